package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromStreamProgress returns the stored form of the stream progress: the newest change of
// the table stream that is processed.
func FromStreamProgress(at model.Time) Item {
	it := newItem(tablekeys.StreamProgress(), 1)
	it[tablekeys.AttrAt] = timeOf(at)
	return it
}

// StreamProgress is the inverse of FromStreamProgress. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func StreamProgress(it Item) (model.Time, error) {
	if k := it.Key(); k != tablekeys.StreamProgress() {
		return 0, fmt.Errorf("read stream progress under %.80q: %w", k.SK, keys.ErrKeyForm)
	}
	r := readerOf(it)
	at := r.time(tablekeys.AttrAt, required)
	if r.err != nil {
		return 0, fmt.Errorf("read stream progress: %w", r.err)
	}
	return at, nil
}

// FromHeartbeat returns the stored form of a heartbeat at a time. Each replaces the one
// before; the time makes it a change, which the table stream records.
func FromHeartbeat(at model.Time) Item {
	it := newItem(tablekeys.Heartbeat(), 1)
	it[tablekeys.AttrAt] = timeOf(at)
	return it
}

// FromGap returns the stored form of g. It is kept until the gap is repaired.
func FromGap(g entity.Gap) Item {
	it := newItem(tablekeys.Gap(g.From), 1)
	it[tablekeys.AttrGapEnd] = timeOf(g.To)
	return it
}

// Gap is the inverse of FromGap. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Gap(it Item) (entity.Gap, error) {
	from, err := tablekeys.ParseGap(it.Key())
	if err != nil {
		return entity.Gap{}, err
	}
	r := readerOf(it)
	g := entity.Gap{From: from, To: r.time(tablekeys.AttrGapEnd, required)}
	return decoded(&r, g, "gap from %s", from)
}
