package tablekeys

import "github.com/tidemark-db/tidemark/pkg/keys"

// AggregateFilter is the event filter pattern of the mapping that invokes the aggregate
// function: records of events, without removals by TTL, which are the only records with
// an identity, and the function's own heartbeat. The pattern names the prefix of events instead of excluding other classes,
// so that no rollup and no class of item that is added later is ever sent to the function.
// The filter only saves invocations: the function checks both rules again.
const AggregateFilter = `{"dynamodb":{"Keys":{"` + keys.AttrSK + `":{"S":[{"prefix":"` + EventPrefix + `"},"` + classHeartbeat + `"]}}},` +
	`"userIdentity":{"type":[{"exists":false}]}}`

// PurgeFilter is the event filter pattern of the mapping that invokes the purge function:
// removals of tombstones by TTL, and nothing else. A restore or a permanent removal
// deletes a tombstone too, but cleans up by itself. The function checks every rule again.
const PurgeFilter = `{"eventName":["REMOVE"],"dynamodb":{"Keys":{"` + keys.AttrSK + `":{"S":[{"prefix":"` + DeletedPrefix + `"}]}}},` +
	`"userIdentity":{"type":["Service"],"principalId":["dynamodb.amazonaws.com"]}}`
