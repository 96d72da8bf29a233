package keys

// EventPrefix begins the sort key of every event and of nothing else.
const EventPrefix = ClassEvent + string(separator)

// AggregateFilter is the event filter pattern of the mapping that feeds the
// aggregate function: records of events, and of these not the removals by TTL, which
// alone carry an identity. The prefix is positive, so that no class of item that is
// added later, and no rollup, is ever fed back. A filter saves invocations only: the
// function checks both rules again.
const AggregateFilter = `{"dynamodb":{"Keys":{"` + AttrSK + `":{"S":[{"prefix":"` + EventPrefix + `"}]}}},` +
	`"userIdentity":{"type":[{"exists":false}]}}`
