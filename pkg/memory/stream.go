package memory

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// What a record says happened to its item.
const (
	Insert = "INSERT"
	Modify = "MODIFY"
	Remove = "REMOVE"
)

// Record is one change of one item in the table stream. Its images are shared: they
// are to be read only.
type Record struct {
	Seq     uint64 // 1, 2, … in the order of the changes
	EventID string // unique
	Name    string // Insert, Modify or Remove
	Keys    keys.Key
	Old     item.Item // nil of an Insert
	New     item.Item // nil of a Remove
	// At is when the change was made, in whole seconds, as the service says it.
	At      model.Time
	Service bool // removed by TTL: the record carries the service's identity
}

// Records are the records of the table stream beyond a Seq, oldest first; 0 is from
// the start. A transaction's records follow one another.
func (t *Table) Records(after uint64) []Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	if after >= uint64(len(t.stream)) {
		return nil
	}
	return append([]Record(nil), t.stream[after:]...)
}

// record writes the record of a change; what changes nothing leaves none. Callers
// hold mu.
func (t *Table) record(k keys.Key, old, image item.Item, service bool) {
	if same(old, image) {
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
