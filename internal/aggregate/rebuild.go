package aggregate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rebuild is a range of a series to look at again. Every bucket is looked at that has
// a child or a row: what nobody was told of is mended either way.
type Rebuild struct {
	Series model.Series
	// From and To bound the range, half-open; it is widened to whole buckets. Coarser
	// buckets that reach beyond it are folded whole all the same.
	From, To model.Time
	// Tier is the finest tier to look at, folded from the tier below as that stands.
	// Zero means the finest there is, folded from the events.
	Tier tier.Unit
	// Resumed says that From is what an earlier rebuild of the range had Reached.
	Resumed bool
	// Rate is the most looks a second; zero sets no limit.
	Rate float64
	// Reached is told, now and then, how far the rebuild is: a rebuild that is resumed
	// there leaves nothing out. Nil tells nobody.
	Reached func(next model.Time, sofar Counts)
	Terms
}

// Rebuild looks again at every bucket of the range, each tier before the next coarser
// one. Like every look its writes are conditional, so it is safe at any time, twice,
// and beside live traffic. A bucket whose stored items are of a newer version is
// named in the report's failures and passed over; any other failure ends the rebuild
// with an error, and what was Reached by then stands.
func (a *Aggregator) Rebuild(ctx context.Context, r Rebuild) (Report, error) {
	w, err := a.newWalk(&r)
	if err == nil {
		err = w.run(ctx)
	}
	if err != nil {
		err = fmt.Errorf("rebuild %s: %w", r.Series, err)
	}
	if w == nil {
		return Report{}, err
	}
	return w.total.report(a.Now()), err
}

// walk is a rebuild under way: it goes through the buckets of the lowest rung in the
// order of time, and looks at a coarser one as soon as it has passed its end.
type walk struct {
	*Aggregator
	*Rebuild
	kind   *catalog.Kind
	low    int // the rung it goes by
	limits Limits

	sources []*source   // of the lowest rung: where something is that it is folded from, or a row of its own
	coarser []*source   // rows of each rung above, by rung; nil up to low
	pending []bucketSet // coarser buckets to look at once passed, by rung
	began   model.Time
	looked  int
	total   tally
}

// bucketSet is buckets by their start.
type bucketSet map[model.Time]tier.Bucket

func (a *Aggregator) newWalk(r *Rebuild) (*walk, error) {
	kind, known := a.Catalog.Kind(r.Series.Kind)
	if !known {
		return nil, fmt.Errorf("kind %q is not in the catalog: name its tidemark.yaml", r.Series.Kind)
	}
	low, err := lowest(kind.Ladder, r.Tier)
	if err != nil {
		return nil, err
	}
	w := &walk{Aggregator: a, Rebuild: r, kind: kind, low: low, limits: a.Limits.withDefaults(), began: a.Now()}
	w.widen()
	w.sources = append(w.sources, w.eventsFrom())
	w.coarser = make([]*source, len(kind.Ladder.Tiers))
	w.pending = make([]bucketSet, len(kind.Ladder.Tiers))
	for rung, t := range kind.Ladder.Tiers {
		if rung <= low {
			w.sources = append(w.sources, w.rowsFrom(t.Unit, w.From))
			continue
		}
		w.pending[rung] = bucketSet{}
		over := t.Unit.BucketOf(w.From)
		w.coarser[rung] = w.rowsFrom(t.Unit, over.Start)
		if w.Resumed {
			w.pend(rung, over)
		}
	}
	return w, nil
}

// widen grows the range to whole buckets of the lowest rung.
func (w *walk) widen() {
	unit := w.kind.Ladder.Tiers[w.low].Unit
	w.From = unit.BucketOf(max(w.From, model.MinTime)).Start
	w.To = min(w.To, model.MaxTime+1)
	if last := unit.BucketOf(w.To); last.Start < w.To {
		w.To = last.End
	}
}

// run goes from piece to piece. When a piece is done and every coarser bucket that
// ends before the next one too, the rebuild has reached it.
func (w *walk) run(ctx context.Context) error {
	for next := w.From; ; {
		starts, err := w.gather(ctx, next)
		if err != nil {
			return err
		}
		if err := w.lookAt(ctx, w.low, starts); err != nil {
			return err
		}
		end := len(starts) == 0
		if !end {
			next = starts[len(starts)-1].End
		}
		if err := w.pass(ctx, next, end); err != nil || end {
			return err
		}
		if w.Reached != nil {
			w.Reached(next, w.total.Counts)
		}
	}
}

// gather are the next buckets of the lowest rung that have something to look at.
func (w *walk) gather(ctx context.Context, from model.Time) ([]tier.Bucket, error) {
	unit, room := w.kind.Ladder.Tiers[w.low].Unit, 4*w.limits.Concurrency
	if w.Rate > 0 {
		room = max(1, min(room, int(w.Rate)))
	}
	var all []tier.Bucket
	for len(all) < room {
		at, ok, err := earliest(ctx, w.sources, from)
		if err != nil || !ok {
			return all, err
		}
		b := unit.BucketOf(at)
		all, from = append(all, b), b.End
	}
	return all, nil
}

// pass looks at the coarser buckets that end at or before next, finer tiers first; at
// the end of the range, at all.
func (w *walk) pass(ctx context.Context, next model.Time, end bool) error {
	before := next
	if end {
		before = w.To
	}
	for rung := w.low + 1; rung < len(w.pending); rung++ {
		if err := w.pendStored(ctx, rung, before); err != nil {
			return err
		}
		var ready []tier.Bucket
		for start, b := range w.pending[rung] {
			if end || b.End <= next {
				ready = append(ready, b)
				delete(w.pending[rung], start)
			}
		}
		if err := w.lookAt(ctx, rung, ready); err != nil {
			return err
		}
	}
	return nil
}

// pendStored adds the rows of a coarser rung that start before a time: one of which
// no child is left must be looked at too.
func (w *walk) pendStored(ctx context.Context, rung int, before model.Time) error {
	for source := w.coarser[rung]; ; {
		at, ok, err := source.first(ctx, source.at)
		if err != nil || !ok || at >= before {
			return err
		}
		b := w.kind.Ladder.Tiers[rung].Unit.BucketOf(at)
		w.pend(rung, b)
		source.at = b.End
	}
}

func (w *walk) pend(rung int, b tier.Bucket) { w.pending[rung][b.Start] = b }

// lookAt looks at buckets of one rung, and has the bucket over each looked at later.
func (w *walk) lookAt(ctx context.Context, rung int, buckets []tier.Bucket) error {
	t := w.kind.Ladder.Tiers[rung]
	touches := make([]*touch, 0, len(buckets))
	for _, b := range buckets {
		if up, over, ok := above(w.kind.Ladder, rung, b); ok {
			w.pend(up, over)
		}
		if keeps(t, b) {
			touches = append(touches, &touch{key: rowKey(w.Series, b), bucket: b, kind: w.kind, rung: rung, force: true, repair: true, terms: w.Terms.over(w.kind.Ladder, rung, w.low, b)})
		}
	}
	failures := len(w.total.Failures)
	w.lookAtAll(ctx, touches, w.limits, &w.total)
	for _, f := range w.total.Failures[failures:] {
		if !errors.Is(f.Err, item.ErrNewer) {
			w.total.Failures = w.total.Failures[:failures]
			return f.Err
		}
	}
	w.looked += len(touches)
	return w.pace(ctx)
}

// pace waits until so many looks are due.
func (w *walk) pace(ctx context.Context) error {
	if err := ctx.Err(); err != nil || w.Rate <= 0 {
		return err
	}
	due := time.Duration(float64(w.looked) / w.Rate * float64(time.Second))
	if early := due - w.Now().Sub(w.began); early > 0 {
		return w.pause(ctx, early)
	}
	return nil
}
