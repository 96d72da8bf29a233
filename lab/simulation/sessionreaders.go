package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Counts of what readers of sessions got.
const (
	visitsRead   = "hours of sessions that readers got, checked"
	visitsAhead  = "of these, with views on time that the table stream had not delivered"
	visitsSummed = "days and months of sessions whose number of views was checked"
)

// readSessions reads the sessions of one tier around an hour, while everything else goes on.
func (w *world) readSessions(name string, d simstream.Dice, hour model.Time) {
	skew := d.Span("reader's clock", aggregate.ClockMargin) - aggregate.ClockMargin/2
	w.Go(name+" reads sessions", d, func(ctx context.Context) {
		kind := w.visits()
		around := tier.Month.BucketAt(hour)
		a := receivedSessions{received{
			readers: w.readers, kind: kind, level: d.Pick("tier", len(kind.Retention.Tiers)),
			from: around.Start, to: around.End, series: kind.Series(site, "", model.Order{}),
			processed: w.readers.processed, began: len(w.readers.changes),
			rows: map[model.Time]*query.Rollup{},
		}}
		now := func() model.Time { return w.Now().Add(skew) }
		live := &query.Live{
			Store: readable{w.table, w.store}, Watermarks: w.store, Kind: query.CatalogKinds(w.now), Now: now,
			Parallel: 1,
		}
		if w.variant.live != nil {
			w.variant.live(live)
		}
		switch err := a.get(ctx, &query.Service{Store: live, Now: now}, d.Chance("newest first", .3)); {
		case errors.Is(err, errTwice):
			w.Fail(err)
		case err == nil:
			w.Fail(a.check())
		}
	})
}

// receivedSessions is what a reader got of the sessions of one tier.
type receivedSessions struct{ received }

// check checks each bucket from which no view can have expired. An hour has the sessions of one set of
// changes: at least those that were processed, or on time, before the read began. A coarser bucket
// may have different sets in its hours, so that only its number of views is checked.
func (a *receivedSessions) check() error {
	if !a.viewsLast() {
		return nil
	}
	swept, _ := a.table.Sweeps(context.Background()) // a table in memory does not fail
	buckets := map[tier.Bucket]bool{}
	for _, hour := range a.hours {
		b := a.unit().BucketAt(hour)
		if buckets[b] || b.Start < a.from || b.Start >= a.to {
			continue
		}
		buckets[b] = true
		if err := a.bucket(b, swept.For(a.series)); err != nil {
			return fmt.Errorf("sessions of %s: %w", b, err)
		}
	}
	return nil
}

// mostSetsOfViews is the most sets of views that are tried for one hour: each of them is a recount.
const mostSetsOfViews = 512

// bucket checks one bucket. Of one that had not closed when the read ended, the reader folded every view that
// was stored before it began.
func (a *receivedSessions) bucket(b tier.Bucket, through model.Time) error {
	row, got := a.rows[b.Start]
	if got && !row.Exact {
		return nil
	}
	all, ahead := a.versions(b, through)
	if b.Unit != tier.Hour {
		return a.sum(row, all)
	}
	sets := 1
	for _, possible := range all {
		sets *= len(possible)
		if sets > mostSetsOfViews {
			return nil
		}
	}
	possible, tried := someSet(all, nil, func(events []*model.Event) bool {
		want := countSessions(byVisitor(values(events)), b)
		switch {
		case !got:
			return want.views == 0
		case row.Open:
			return countIn(&row.Fold).soFar() == want.soFar()
		}
		return countIn(&row.Fold) == want
	}, 0)
	switch {
	case !possible && got:
		return fmt.Errorf("a reader got %+v (open %v), not of a possible set of views, of which there are %d",
			countIn(&row.Fold), row.Open, tried)
	case !possible:
		return errors.New("a reader did not get it, which had views")
	}
	a.Count(visitsRead)
	if ahead {
		a.Count(visitsAhead)
	}
	return nil
}

// sum checks the number of views of a day or month, whose row is nil if the reader got none.
func (a *receivedSessions) sum(row *query.Rollup, all [][]*model.Event) error {
	var got, least, most int64
	if row != nil {
		got = countIn(&row.Fold).views
	}
	for _, possible := range all {
		absent := slices.Contains(possible, nil)
		if !absent {
			least++
		}
		if !absent || len(possible) > 1 {
			most++
		}
	}
	if got < least || got > most {
		return fmt.Errorf("a reader got %d views of %d to %d", got, least, most)
	}
	a.Count(visitsSummed)
	return nil
}

// versions returns what each view that has a part in the sessions of a bucket may have been to the reader,
// and whether one of them is of a change on time that was not processed.
func (a *receivedSessions) versions(b tier.Bucket, through model.Time) (all [][]*model.Event, ahead bool) {
	policy := a.kind.Retention
	index := map[model.EventKey]int{}
	for n, c := range a.changes {
		if c.key.At < b.Start.Add(-sessionGap) || c.key.At >= b.End.Add(followed) ||
			b.Unit != tier.Hour && !b.Contains(c.key.At) {
			continue
		}
		i, known := index[c.key]
		if !known {
			i = len(all)
			index[c.key] = i
			all = append(all, []*model.Event{nil})
		}
		// The sessions of an hour that has closed get a view of a later hour from the table stream.
		closes := policy.ClosesAt(0, tier.Hour.BucketAt(min(c.key.At, b.End-1)), a.series)
		folded := closes > max(through, model.MinTime)
		onTime := c.onTime && c.at.Add(clockError) < closes
		if least := n < a.processed || n < a.began && (folded || onTime); least {
			ahead = ahead || n >= a.processed && !folded
			all[i] = all[i][:0]
		}
		all[i] = append(all[i], c.to)
	}
	return all, ahead
}

func values(events []*model.Event) (all []model.Event) {
	for _, e := range events {
		all = append(all, *e)
	}
	return all
}
