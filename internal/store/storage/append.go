package storage

import (
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AppendTransaction is one TransactWriteItems: at most 100 items in total.
type AppendTransaction struct {
	// Token makes the transaction idempotent for ten minutes: if it is already stored, a
	// repetition returns Written. A changed transaction needs a new token.
	Token     string
	Latest    *LatestWrite     // nil if no event of the transaction is newer than the latest item
	Check     *LatestCheck     // a condition if the latest item is not written; never with Latest
	PurgeLock *model.Subject   // if set, the purge lock of this subject must not exist
	Puts      []model.Event    // each on condition that its identity is not stored
	Absent    []model.EventKey // identities that must not be stored (of late events that are dropped)
	Merge     *EventMerge      // replaces a stored event
}

// EventMerge replaces a stored event by itself with more fields. Its conditions: the event
// is stored with hash Was, and does not expire within tier.ExpiryMargin of Now.
type EventMerge struct {
	Event model.Event
	Was   model.Hash
	Now   model.Time
}

// LatestWrite changes the latest item of a series. Its condition always includes that the
// latest item is not purge locked.
type LatestWrite struct {
	Series model.Series
	// Create requires that there is no item, or one without order (written by enrichment
	// alone). Otherwise the stored order must be before First.
	Create bool
	// OrCreate accepts both: no order, or an order before First.
	OrCreate bool
	// Same requires that the stored order is First: the write adds fields of a merged event.
	Same      bool
	First     model.Order     // the order of the oldest advancing event, which the condition compares with
	Last      model.Order     // the order of the newest advancing event, which is written
	Hash      model.Hash      // payload hash of the newest advancing event
	Set       model.Attrs     // fields of all advancing events, the newer winning; other fields stay unchanged
	Now       model.Time      // createdAt, if there is none yet
	Condition model.Condition // the caller's own condition, in addition
	// Entries are the secondary indexes in which the item's key changes. It keeps its place in all others.
	Entries []IndexEntry
}

// LatestCheck is a condition on the latest item of a series, without a write.
type LatestCheck struct {
	Series    model.Series
	Condition model.Condition
	// Not, if set, requires that the latest item is not of the event with this order.
	Not *model.Order
}

// StoreResult is what the server said about one request of a Store. All fields but Result
// and Cause are set only if Result is ConditionFailed.
type StoreResult struct {
	Result          WriteResult
	Cause           error         // the client's error if the table did not decide; may be nil
	LatestFailed    bool          // the condition of Latest or Check failed
	Latest          *model.Latest // the item on which it failed; nil if there was none
	PurgeLockFailed bool          // the subject has a purge lock
	// Stored has one entry for each of Puts, then each of Absent, then Merge: the event that is stored under
	// the identity, or nil if that condition did not fail. It is unreadable if a Merge found no event.
	Stored []*model.Event
}

// IndexEntry is a change of the latest item's key in a secondary index.
type IndexEntry struct {
	Index string
	Key   keys.Key // the zero Key removes the item from the index
}
