package main

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// planted are faults in the rule, each known to make wrong rows, planted around the
// real code. A simulator that did not see them would prove nothing. What shows only in
// rare histories is looked for from one on that lies shortly before such a one.
var planted = []struct {
	name string
	rule rule
	from uint64
}{
	{"rows are written without their condition", rule{store: func(w *world) aggregate.Store { return heedless{w.store} }}, 0},
	{"children are read without consistency", rule{store: func(w *world) aggregate.Store { return newStale(w) }}, 0},
	{"children are read before the rev", rule{store: func(w *world) aggregate.Store { return &hasty{store: w.store} }}, 0},
	{"an unchanged row is never written", rule{changes: allAs(model.Inserted, model.Deleted, model.Corrected)}, 800},
	{"deletions are dropped", rule{changes: without(model.Deleted)}, 0},
	{"corrections are dropped", rule{changes: without(model.Corrected)}, 0},
	{"the empty row is deleted", rule{store: func(w *world) aggregate.Store { return deleting{w.store} }}, 300},
	{"a fold of no children is not written", rule{store: func(w *world) aggregate.Store { return ignoring{w.store} }}, 0},
	{"no row is ever sealed", rule{store: func(w *world) aggregate.Store { return unsealing{w.store} }}, 0},
	{"the clock is two days slow", rule{settings: slowClock}, 0},
	{"the resume point is kept after an earlier change", rule{store: func(w *world) aggregate.Store { return keeping{w.store} }}, 0},
	{"a failure is answered as success", rule{answer: func([]string, int) []failure { return []failure{} }}, 0},
	{"the failed record is acknowledged", rule{answer: acknowledgeFailed}, 0},
	{"a lost answer is taken for a stored row", rule{store: func(w *world) aggregate.Store { return trusting{w.store} }}, 0},
}

// within is in how many histories each must be seen. Most are within a hundred.
const within = 2000

func TestSimulation_SeesEachFaultPlantedInTheRule(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			trial := streamtest.Trial{Play: func(s *streamtest.Sim) { playUnder(s, p.rule) }}
			for i := range uint64(within) {
				if r := trial.Run(p.from + i); r.Failure != nil {
					t.Logf("seen in history %d: %v", p.from+i+1, r.Failure)
					return
				}
			}
			t.Errorf("not seen in %d histories from %d on", within, p.from+1)
		})
	}
}

// heedless writes whatever stands.
type heedless struct{ *store }

func (h heedless) PutRow(ctx context.Context, row *rollup.Row, _ rollup.Rev) (model.Answer, error) {
	k, kept := keys.Row(row.Key), *row
	return h.write(ctx, request("writes whatever stands", k), func() (model.Answer, error) {
		var prev rollup.Rev
		if stands, _ := h.table.Row(context.Background(), row.Key); stands != nil {
			prev = stands.Rev
		}
		return h.table.PutRow(context.Background(), &kept, prev)
	})
}

// stale reads children from a copy that is seconds behind, now and then.
type stale struct {
	*store
	copy *metered
	at   uint64 // records of the log that the copy has
}

const behind = 20 * time.Second

func newStale(w *world) *stale {
	return &stale{store: w.store, copy: newMetered(memory.New(w.Now), w.Add)}
}

func (s *stale) somewhere(ctx context.Context) *metered {
	if !s.DiceOf(ctx).Chance("from the copy", .5) {
		return s.store.table
	}
	for _, r := range s.store.table.Records(s.at) {
		if r.At > s.Now().Add(-behind) {
			break
		}
		s.at = r.Seq
		if r.New == nil {
			_ = s.copy.DeleteItem(context.Background(), r.Keys)
		} else {
			_ = s.copy.PutItem(context.Background(), r.New)
		}
	}
	return s.copy
}

func (s *stale) Events(ctx context.Context, r model.Range) (page model.EventPage, err error) {
	from := s.somewhere(ctx)
	err = s.Read(ctx, rangeRequest("reads, not consistently, events of", r), func() (err error) {
		page, err = from.Events(context.Background(), r)
		return err
	})
	return page, err
}

func (s *stale) Rows(ctx context.Context, unit tier.Unit, r model.Range) (page rollup.RowPage, err error) {
	from := s.somewhere(ctx)
	err = s.Read(ctx, rangeRequest("reads, not consistently, rows of", r), func() (err error) {
		page, err = from.Rows(context.Background(), unit, r)
		return err
	})
	return page, err
}

// hasty reads the children of a bucket before its row, and hands them out when asked.
type hasty struct {
	*store
	events map[model.Range]model.EventPage
	rows   map[model.Range]rollup.RowPage
}

func (h *hasty) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	unit, _ := tier.ParseUnit(key.Tier)
	b := unit.BucketOf(key.Start)
	r := model.Range{Series: key.Series, From: b.Start, To: b.End, Consistent: true}
	h.events, h.rows = map[model.Range]model.EventPage{}, map[model.Range]rollup.RowPage{}
	_, rung, _ := h.kind().Ladder.Find(unit)
	if rung == 0 {
		if page, err := h.store.Events(ctx, r); err == nil && page.Next == "" {
			h.events[r] = page
		}
	} else if page, err := h.store.Rows(ctx, h.kind().Ladder.Tiers[rung-1].Unit, r); err == nil && page.Next == "" {
		h.rows[r] = page
	}
	return h.store.Row(ctx, key)
}

func (h *hasty) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	if page, early := h.events[r]; early {
		return page, nil
	}
	return h.store.Events(ctx, r)
}

func (h *hasty) Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error) {
	if page, early := h.rows[r]; early {
		return page, nil
	}
	return h.store.Rows(ctx, unit, r)
}

// deleting removes a row of no children, on condition of its rev.
type deleting struct{ *store }

func (d deleting) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	if !row.Empty {
		return d.store.PutRow(ctx, row, prev)
	}
	k := keys.Row(row.Key)
	return d.write(ctx, request("deletes the empty", k), func() (model.Answer, error) {
		stands, err := d.table.Row(context.Background(), row.Key)
		switch {
		case err != nil:
			return model.Uncertain, err
		case stands == nil && prev == rollup.Rev{}:
			return model.Written, nil
		case stands == nil || stands.Rev != prev:
			return model.Refused, nil
		}
		return model.Written, d.table.DeleteItem(context.Background(), k)
	})
}

// ignoring keeps what stands where a fold has no children.
type ignoring struct{ *store }

func (i ignoring) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	if row.Empty {
		return model.Written, nil
	}
	return i.store.PutRow(ctx, row, prev)
}

// unsealing hides from looks how long the children of a row live.
type unsealing struct{ *store }

func (u unsealing) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	row, err := u.store.Row(ctx, key)
	if row != nil {
		row.ChildrenUntil = rollup.NoExpiry
	}
	return row, err
}

// keeping keeps the resume point that stands, whatever was folded since.
type keeping struct{ *store }

func (k keeping) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	kept := *row
	if stands, _ := k.table.Row(context.Background(), row.Key); stands != nil && stands.Resume != nil && !row.Empty {
		kept.Resume = stands.Resume
	}
	return k.store.PutRow(ctx, &kept, prev)
}

// trusting takes a write without an answer for one that was stored.
type trusting struct{ *store }

func (s trusting) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	answer, err := s.store.PutRow(ctx, row, prev)
	if answer == model.Uncertain && err == nil {
		answer = model.Written
	}
	return answer, err
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

func allAs(what model.What, as ...model.What) func([]model.Change) []model.Change {
	return func(changes []model.Change) (out []model.Change) {
		for _, c := range changes {
			for _, a := range as {
				if c.What == a {
					c.What = what
				}
			}
			out = append(out, c)
		}
		return out
	}
}

func without(what model.What) func([]model.Change) []model.Change {
	return func(changes []model.Change) []model.Change {
		out := make([]model.Change, len(changes))
		for i, c := range changes {
			if c.What == what {
				c.What = model.Expired // which is dropped
			}
			out[i] = c
		}
		return out
	}
}
