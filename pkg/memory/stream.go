package memory

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The names of stream records.
const (
	Insert = "INSERT"
	Modify = "MODIFY"
	Remove = "REMOVE"
)

// Record is one change of one item in the table stream. Its images are shared with the
// table: do not change them.
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
	t.mu.Lock()
	defer t.mu.Unlock()
	if after >= uint64(len(t.stream)) {
		return nil
	}
	return append([]Record(nil), t.stream[after:]...)
}

// record writes the record of a change, unless the item is unchanged. The caller holds mu.
func (t *Table) record(k keys.Key, old, image item.Item, service bool) {
	if equalItems(old, image) {
		return
	}
	seq := uint64(len(t.stream)) + 1
	t.stream = append(t.stream, Record{
		Seq: seq, EventID: fmt.Sprintf("%032x", seq), Name: nameOf(old, image),
		Keys: k, Old: old, New: image,
		At: model.Time(t.now().Seconds() * time.Second.Milliseconds()), Service: service,
	})
}

func nameOf(old, image item.Item) string {
	switch {
	case old == nil:
		return Insert
	case image == nil:
		return Remove
	default:
		return Modify
	}
}
