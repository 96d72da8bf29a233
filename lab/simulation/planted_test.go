package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// planted are faults that make wrong rows, planted around the real code. The simulation is
// useful only if it detects them. That an unchanged row must be written too shows in one
// history of some thousand: lab/exhaustive plants that fault.
var planted = []struct {
	name    string
	variant variant
}{
	{"rows are written without a condition", variant{store: func(w *world) aggregate.Store { return unconditional{w.store} }}},
	{"children are read without consistency", variant{store: func(w *world) aggregate.Store { return inconsistent{w.store} }}},
	{"children are read before the row", variant{store: func(w *world) aggregate.Store { return newChildrenFirst(w.store) }}},
	{"deletions are dropped", variant{changes: without(storage.Deleted)}},
	{"corrections are dropped", variant{changes: without(storage.Corrected)}},
	{"an empty row is deleted", variant{store: func(w *world) aggregate.Store { return deletingEmpty{w.store} }}},
	{"a fold without children is not written", variant{store: func(w *world) aggregate.Store { return ignoringEmpty{w.store} }}},
	{"no row is ever sealed", variant{store: func(w *world) aggregate.Store { return neverSealing{w.store} }}},
	{"the clock is two days slow", variant{settings: slowClock}},
	{"a failure is reported as success", variant{respond: func([]string, int) []failure { return []failure{} }}},
	{"the failed record is acknowledged", variant{respond: acknowledgeFailed}},
	{"an invalidation is not stored", variant{store: func(w *world) aggregate.Store { return losingPuts{w.store} }}},
	{"invalidations are deleted before their rows are written", variant{store: func(w *world) aggregate.Store { return deletingFirst{w.store} }}},
	{"the low watermark passes what is left", variant{store: func(w *world) aggregate.Store { return passing{w.store} }}},
	{"a deferral ends before its invalidations are worked off", variant{change: func(t changeover.Table) changeover.Table { return neverDraining{t} }}},
	{"readers wait for the newest generation of queue shards alone", variant{live: func(l *query.Live) { l.Watermarks = newestMarks{l.Watermarks} }}},
	{"readers use a low watermark of a day later", variant{live: func(l *query.Live) { l.Watermarks = futureMarks{l.Watermarks} }}},
	{"readers read without consistency", variant{live: func(l *query.Live) { l.Store = inconsistentReader{l.Store} }}},
	{"a latest item is written whatever was written meanwhile", variant{store: func(w *world) aggregate.Store { return overwriting{w.store} }}},
	{"buckets are queued by the table stream alone", variant{writer: withoutQueue}},
	{"buckets are queued after their events", variant{writer: queueAfter}},
	{"an invalidation is remembered before it is stored", variant{writer: rememberFirst}},
	{"a write without a response counts as stored", variant{store: func(w *world) aggregate.Store { return trustingUnknown{w.store} }}},
}

// seeds are of histories that detected the rarest faults: the search begins there.
var seeds = map[string]uint64{
	"readers wait for the newest generation of queue shards alone": 71,
	"a latest item is written whatever was written meanwhile":      2250,
	"buckets are queued after their events":                        138,
	"an invalidation is remembered before it is stored":            232,
}

// within is the number of histories in which each fault must be detected. Most take fewer
// than a hundred.
const within = 2000

func TestSimulation_DetectsEachPlantedFault(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			detect(t, seeds[p.name], func(s *simstream.Sim) { playVariant(s, p.variant) })
		})
	}
}

// detect fails the test unless one of the histories from a seed on fails.
func detect(t *testing.T, seed uint64, play func(*simstream.Sim)) {
	t.Helper()
	trial := simstream.Trial{Setup: play}
	for i := range uint64(within) {
		if r := trial.Run(seed + i); r.Failure != nil {
			t.Logf("detected with seed %d: %v", r.Seed, r.Failure)
			return
		}
	}
	t.Errorf("not detected in %d histories", within)
}

// unconditional writes a row whatever is stored.
type unconditional struct{ *store }

func (h unconditional) PutRow(ctx context.Context, row *rollup.Row,
	_ rollup.Rev) (storage.WriteResult, error) {
	k, copied := keys.Row(row.Key), *row
	return h.write(ctx, request("writes unconditionally", k), func() (storage.WriteResult, error) {
		var prev rollup.Rev
		if stored, _ := h.table.Row(context.Background(), row.Key); stored != nil {
			prev = stored.Rev
		}
		return h.table.PutRow(context.Background(), &copied, prev)
	})
}

// inconsistent asks for no consistency.
type inconsistent struct{ *store }

func (i inconsistent) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	r.Consistent = false
	return i.store.Events(ctx, r)
}

func (i inconsistent) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	r.Consistent = false
	return i.store.Rows(ctx, unit, r)
}

// childrenFirst reads the children of a bucket before its row, and returns them later. Other rows may be read
// meanwhile, so each early page is kept until it is asked for.
type childrenFirst struct {
	*store
	events map[storage.Range]storage.EventPage
	rows   map[storage.Range]rollup.RowPage
}

func newChildrenFirst(s *store) *childrenFirst {
	return &childrenFirst{
		store:  s,
		events: map[storage.Range]storage.EventPage{},
		rows:   map[storage.Range]rollup.RowPage{},
	}
}

func (h *childrenFirst) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	unit, _ := tier.ParseUnit(key.Tier)
	b := unit.BucketAt(key.Start)
	r := storage.Range{Series: key.Series, From: b.Start, To: b.End, Consistent: true}
	retention := h.kind().Retention
	if _, level, _ := retention.Find(unit); level == 0 {
		if page, err := h.store.Events(ctx, r); err == nil && page.Next == "" {
			h.events[r] = page
		}
	} else if page, err := h.store.Rows(ctx, retention.Tiers[level-1].Unit, r); err == nil && page.Next == "" {
		h.rows[r] = page
	}
	return h.store.Row(ctx, key)
}

func (h *childrenFirst) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if page, early := h.events[r]; early {
		delete(h.events, r)
		return page, nil
	}
	return h.store.Events(ctx, r)
}

func (h *childrenFirst) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if page, early := h.rows[r]; early {
		delete(h.rows, r)
		return page, nil
	}
	return h.store.Rows(ctx, unit, r)
}

// deletingEmpty deletes a row without children, on condition of its revision.
type deletingEmpty struct{ *store }

func (d deletingEmpty) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	if !row.Empty {
		return d.store.PutRow(ctx, row, prev)
	}
	k := keys.Row(row.Key)
	return d.write(ctx, request("deletes the empty row", k), func() (storage.WriteResult, error) {
		stored, err := d.table.Row(context.Background(), row.Key)
		switch {
		case err != nil:
			return storage.Unknown, err
		case stored == nil && prev == rollup.Rev{}:
			return storage.Written, nil
		case stored == nil || stored.Rev != prev:
			return storage.ConditionFailed, nil
		}
		return storage.Written, d.table.DeleteItem(context.Background(), k)
	})
}

// ignoringEmpty does not write the fold of no children.
type ignoringEmpty struct{ *store }

func (i ignoringEmpty) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	if row.Empty {
		return storage.Written, nil
	}
	return i.store.PutRow(ctx, row, prev)
}

// neverSealing hides when the children of a row expire.
type neverSealing struct{ *store }

func (u neverSealing) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	row, err := u.store.Row(ctx, key)
	if row != nil {
		row.ChildrenExpireAt = rollup.NoExpiry
	}
	return row, err
}

// trustingUnknown treats a write without a response as stored.
type trustingUnknown struct{ *store }

func (s trustingUnknown) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	result, err := s.store.PutRow(ctx, row, prev)
	if result == storage.Unknown && err == nil {
		result = storage.Written
	}
	return result, err
}

func slowClock(_ *world, agg *aggregate.Aggregator) {
	now := agg.Now
	agg.Now = func() model.Time { return now().Add(-48 * time.Hour) }
}

func acknowledgeFailed(seqs []string, first int) []failure {
	if first+1 < len(seqs) {
		return []failure{{seqs[first+1]}}
	}
	return []failure{}
}

func without(what storage.ChangeType) func([]storage.Change) []storage.Change {
	return func(changes []storage.Change) []storage.Change {
		out := make([]storage.Change, len(changes))
		for i, c := range changes {
			if c.Type == what {
				c.Type = storage.Expired // which is dropped
			}
			out[i] = c
		}
		return out
	}
}
