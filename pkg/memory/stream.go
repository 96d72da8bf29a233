package memory

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
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

// AdvanceProgress stores stream progress on condition that none is stored, or progress
// before at and not before floor. If the condition fails, it returns the stored progress.
func (t *Table) AdvanceProgress(ctx context.Context, at, floor model.Time) (_ storage.WriteResult, stored model.Time, _ error) {
	behind := func(old item.Item) bool {
		progress := old[tablekeys.AttrAt].S
		return old == nil || progress < at.String() && progress >= floor.String()
	}
	it := item.FromStreamProgress(at)
	result, old, err := t.writeOne(ctx, "advance stream progress", action{key: it.Key(), condition: behind, change: replaceWith(it)})
	if err != nil || result != storage.ConditionFailed {
		return result, 0, err
	}
	stored, err = item.StreamProgress(old)
	return result, stored, err
}

// PutGap stores a gap on condition that no gap with this start is stored. If one is, the
// result is Written.
func (t *Table) PutGap(ctx context.Context, gap entity.Gap) (storage.WriteResult, error) {
	it := item.FromGap(gap)
	result, _, err := t.writeOne(ctx, "put gap", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result == storage.ConditionFailed {
		return storage.Written, nil
	}
	return result, err
}

// KindConfig reads the configuration of a kind that the table was written under; nil if
// none was applied.
func (t *Table) KindConfig(ctx context.Context, kind string) (*entity.KindConfig, error) {
	it, err := t.read(ctx, "read the configuration", tablekeys.KindConfig(kind), true)
	return table.Decode(it, err, item.KindConfig)
}

// PutKindConfig stores c on condition that the stored revision is prev; the zero prev
// requires that none is stored.
func (t *Table) PutKindConfig(ctx context.Context, c entity.KindConfig, prev [16]byte) (storage.WriteResult, error) {
	it := item.FromKindConfig(&c)
	result, _, err := t.writeOne(ctx, "put the configuration", action{key: it.Key(), change: replaceWith(it), condition: func(old item.Item) bool {
		if prev == ([16]byte{}) {
			return old == nil
		}
		return bytes.Equal(old[tablekeys.AttrRev].B, prev[:])
	}})
	return result, err
}

// PutRotatingSecret stores a day's secret on condition that the day has none yet. When the
// condition fails, it returns the stored secret.
func (t *Table) PutRotatingSecret(ctx context.Context, s entity.RotatingSecret) (storage.WriteResult, entity.RotatingSecret, error) {
	it := item.FromRotatingSecret(&s)
	result, old, err := t.writeOne(ctx, "put rotating secret", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result != storage.ConditionFailed {
		return result, entity.RotatingSecret{}, err
	}
	stored, err := item.RotatingSecret(old)
	return result, stored, err
}
