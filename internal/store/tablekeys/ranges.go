package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Prefixes of sort keys. Every item of the class has the prefix, and no other item has.
const (
	EventPrefix  = keys.ClassEvent + string(keyparts.Separator)
	LatestPrefix = keys.ClassLatest + string(keyparts.Separator)
	RowsPrefix   = keys.ClassRow + string(keyparts.Separator)
)

// RowPrefix returns the prefix of the sort keys of all rollups of a tier.
func RowPrefix(unit string) string { return keyparts.Join(keys.ClassRow, unit, "") }

// EventRange returns the inclusive bounds of the sort keys of the events of a range, as
// keys.EventRange does, with the bounds of their ids.
func EventRange(r *storage.Range) (lo, hi string) {
	lo, hi = keys.EventRange(r.Series, r.From, r.To)
	if r.From >= r.To {
		return lo, hi
	}
	if r.FirstID != "" {
		lo += string(separator) + keyparts.Join(r.FirstID)
	}
	if r.LastID != "" {
		hi = hi[:len(hi)-1] + string(separator) + keyparts.Join(r.LastID)
	}
	return lo, max(lo, hi)
}

// AggregateFilter is the event filter pattern of the mapping that invokes the aggregate function: records of
// events and of the logs of groups, without removals by TTL, which are the only records with an identity,
// and the function's own heartbeat. The pattern names the prefix of events instead of excluding other
// classes, so that no rollup and no class of item that is added later is ever sent to the function. The
// filter only saves invocations: the function checks both rules again.
const AggregateFilter = `{"dynamodb":{"Keys":{"` + keys.AttrSK + `":{"S":[{"prefix":"` + EventPrefix +
	`"},"` + ClassMemberships + `","` + classHeartbeat + `"]}}},` +
	`"userIdentity":{"type":[{"exists":false}]}}`

// PurgeFilter is the event filter pattern of the mapping that invokes the purge function:
// removals of tombstones by TTL, and nothing else. A restore or a permanent removal
// deletes a tombstone too, but cleans up by itself. The function checks every rule again.
const PurgeFilter = `{"eventName":["REMOVE"],"dynamodb":{"Keys":{"` + keys.AttrSK + `":{"S":[{"prefix":"` +
	DeletedPrefix + `"}]}}},` +
	`"userIdentity":{"type":["Service"],"principalId":["dynamodb.amazonaws.com"]}}`
