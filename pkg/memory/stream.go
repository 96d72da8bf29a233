package memory

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The names of stream records.
const (
	Insert = engine.Insert
	Modify = engine.Modify
	Remove = engine.Remove
)

// Record is one change of one item in the table stream.
type Record struct {
	Seq     uint64 // 1, 2, … in the order of the changes
	EventID string // unique
	Name    string // Insert, Modify or Remove
	Keys    keys.Key
	Old     item.Item // nil for Insert
	New     item.Item // nil for Remove
	// At is when the change was made, in whole seconds as in DynamoDB.
	At      model.Time
	Service bool // removed by TTL: the record has the identity of the service
}

// Records returns the records of the table stream after a Seq, oldest first; 0 is the
// start. The records of a transaction are consecutive.
func (t *Table) Records(after uint64) []Record {
	return lists.Map(t.engine.Records(after), func(r engine.Record) Record {
		return Record{Seq: r.Seq, EventID: r.EventID(), Name: r.Name(), Keys: r.Keys, Old: r.Old, New: r.New,
			At: r.At, Service: r.Service}
	})
}

// Trim removes the records of the table stream up to a Seq, as DynamoDB removes older
// ones after a day. Without it the table keeps them all.
func (t *Table) Trim(through uint64) { t.engine.TrimThrough(through) }

// Expire removes all items that have expired by now, as TTL does, in order of their keys.
// It returns how many it removed. Expired items stay readable until it is called.
func (t *Table) Expire(now model.Time) int { return t.engine.Expire(now, nil) }

// ExpireWhere is Expire for the expired items that pick selects: TTL removes items late
// and in no particular order.
func (t *Table) ExpireWhere(now model.Time, pick func(keys.Key) bool) (removed int) {
	return t.engine.Expire(now, pick)
}
