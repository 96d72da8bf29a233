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

// PurgeFilter is the event filter pattern of the mapping that feeds the purge
// function: removals of tombstones by TTL, and nothing else. What somebody removes,
// by restoring a subject or for good, is cleaned up by whoever does it. The function
// checks every rule again.
const PurgeFilter = `{"eventName":["REMOVE"],"dynamodb":{"Keys":{"` + AttrSK + `":{"S":[{"prefix":"` + DeletedPrefix + `"}]}}},` +
	`"userIdentity":{"type":["Service"],"principalId":["dynamodb.amazonaws.com"]}}`
