package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// seriesStore is the table as a recount reads it: pages of events and of rows,
// expired ones included.
type seriesStore interface {
	Events(ctx context.Context, r model.Range) (model.EventPage, error)
	Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error)
}

// recount compares the stored rows of one series with what its events add up to. It
// shares no rule with aggregate but the arithmetic of summaries, and what is stored of a
// fold too large for a row.
type recount struct {
	store  seriesStore
	kind   *catalog.Kind
	series model.Series
	now    model.Time
	span   span

	events int
	stored []map[model.Time]*rollup.Row // by rung and bucket start, without empty rows
	should []folds                      // what they should hold
}

// span is a range of time, half-open, that cuts no bucket of any tier in two.
type span struct{ from, to model.Time }

// widened grows a range to the edges of a ladder's coarsest buckets.
func (s span) widened(l tier.Ladder) span {
	coarsest := l.Tiers[len(l.Tiers)-1].Unit
	if s.from > model.MinTime {
		s.from = coarsest.BucketOf(s.from).Start
	}
	if s.to < model.MaxTime {
		if b := coarsest.BucketOf(s.to); b.Start < s.to {
			s.to = b.End
		}
	}
	return s
}

// folds are what the buckets of one tier should hold, by bucket start.
type folds map[model.Time]*rollup.Fold

func (f folds) at(b tier.Bucket, spec *rollup.Spec) *rollup.Fold {
	if f[b.Start] == nil {
		f[b.Start] = rollup.NewFold(spec)
	}
	return f[b.Start]
}

// run judges every bucket of the series, finest tier first. What a tier's rows should
// be is folded from what the tier below should be, and that, in the end, from the
// events. The stored row speaks for them where it is right, since a dimension of more
// values than are kept is cut in it, and where the events are gone.
func (r *recount) run(ctx context.Context) ([]finding, error) {
	if err := r.read(ctx); err != nil {
		return nil, fmt.Errorf("recount %s: %w", r.series, err)
	}
	var all []finding
	for rung := range r.kind.Ladder.Tiers {
		all = append(all, r.judgeTier(rung)...)
	}
	return all, nil
}

func (r *recount) read(ctx context.Context) error {
	for _, t := range r.kind.Ladder.Tiers {
		rows, err := r.rows(ctx, t.Unit)
		if err != nil {
			return err
		}
		r.stored, r.should = append(r.stored, rows), append(r.should, folds{})
	}
	return r.foldEvents(ctx)
}

func (r *recount) rows(ctx context.Context, unit tier.Unit) (map[model.Time]*rollup.Row, error) {
	stored := map[model.Time]*rollup.Row{}
	page := r.wholeSpan()
	for {
		got, err := r.store.Rows(ctx, unit, page)
		if err != nil {
			return nil, err
		}
		for i := range got.Rows {
			if !got.Rows[i].Empty {
				stored[got.Rows[i].Key.Start] = &got.Rows[i]
			}
		}
		if page.After = got.Next; page.After == "" {
			return stored, nil
		}
	}
}

func (r *recount) wholeSpan() model.Range {
	return model.Range{Series: r.series, From: r.span.from, To: r.span.to, Consistent: true}
}

// foldEvents folds each event into every bucket that is made of events.
func (r *recount) foldEvents(ctx context.Context) error {
	for page := r.wholeSpan(); ; {
		got, err := r.store.Events(ctx, page)
		if err != nil {
			return err
		}
		for i := range got.Events {
			e := &got.Events[i]
			r.addTo(fromEvents, e.At, func(f *rollup.Fold) { f.AddEvent(e) })
		}
		r.events += len(got.Events)
		if page.After = got.Next; page.After == "" {
			return nil
		}
	}
}

// fromEvents stands below every rung.
const fromEvents = -1

// addTo calls add for each coarser bucket over a time that is folded from that rung.
func (r *recount) addTo(from int, at model.Time, add func(*rollup.Fold)) {
	for rung := from + 1; rung < len(r.kind.Ladder.Tiers); rung++ {
		t := r.kind.Ladder.Tiers[rung]
		if b := t.Unit.BucketOf(at); keeps(t, b) && rungBelow(r.kind.Ladder, rung, b) == from {
			add(r.should[rung].at(b, r.kind.Spec()))
		}
	}
}

// rungBelow is the rung that a bucket is folded from: the nearest that had begun when
// the bucket did.
func rungBelow(l tier.Ladder, rung int, b tier.Bucket) int {
	for rung--; rung > fromEvents && !keeps(l.Tiers[rung], b); rung-- {
	}
	return rung
}

func (r *recount) row(rung int, start model.Time) *rollup.Row { return r.stored[rung][start] }

// keeps reports whether a tier had begun when the bucket did.
func keeps(t tier.Tier, b tier.Bucket) bool { return t.From <= b.Start || t.From == 0 }

// judgeTier judges each bucket of a rung that has a row or ought to have one, and
// hands what it should hold on to the coarser tier.
func (r *recount) judgeTier(rung int) (all []finding) {
	should, stored := r.should[rung], r.stored[rung]
	starts := slices.AppendSeq(slices.Collect(maps.Keys(should)), maps.Keys(stored))
	slices.Sort(starts)
	for _, start := range slices.Compact(starts) {
		wanted := r.rowOf(rung, start, should[start])
		f := r.judge(rung, start, wanted)
		all = append(all, f)
		truth := stored[start]
		if f.is != sealed && f.is != equal {
			truth = wanted
		}
		if truth != nil && f.is != expired {
			r.addTo(rung, start, func(f *rollup.Fold) { f.AddRow(truth) })
		}
	}
	return all
}

// rowOf is the row that should stand for what a bucket adds up to; nil where it has
// nothing in it.
func (r *recount) rowOf(rung int, start model.Time, f *rollup.Fold) *rollup.Row {
	if f == nil {
		return nil
	}
	t := r.kind.Ladder.Tiers[rung]
	row := &rollup.Row{Key: r.keyOf(rung, start), Fold: *f, ExpiresAt: t.ExpiresAt(t.Unit.BucketOf(start), r.now), WrittenAt: r.now}
	aggregate.Fit(row, r.kind.Spec())
	return row
}

func (r *recount) keyOf(rung int, start model.Time) rollup.Key {
	return rollup.Key{Series: r.series, Tier: r.kind.Ladder.Tiers[rung].Unit.String(), Start: start}
}
