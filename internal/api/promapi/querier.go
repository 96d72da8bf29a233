package promapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// concurrentReads is how many series are read at once.
const concurrentReads = 8

// querier reads the samples of one query. Its methods are called one after another. The engine
// does not read labels.
type querier struct {
	storage.LabelQuerier
	api   *API
	units []tier.Unit // of the selectors so far
}

var (
	_ storage.Queryable = (*API)(nil)
	_ storage.Querier   = (*querier)(nil)
)

// Querier returns a reader of the samples of one query. The selectors have their own ranges.
func (a *API) Querier(_, _ int64) (storage.Querier, error) {
	return &querier{LabelQuerier: storage.NoopQuerier(), api: a}, nil
}

// Select reads the samples that one selector of a query needs.
func (q *querier) Select(ctx context.Context, _ bool, hints *storage.SelectHints,
	matchers ...*labels.Matcher) storage.SeriesSet {
	set, err := q.read(ctx, hints, matchers)
	if err != nil {
		return storage.ErrSeriesSet(&storageError{err})
	}
	if len(set.series) == 0 {
		behind, err := q.api.behind(ctx)
		if err != nil {
			return storage.ErrSeriesSet(&storageError{err})
		}
		for _, text := range append(q.api.unknown(matchers), behind...) {
			set.warn(text)
		}
	}
	return set
}

// behind returns why series may be missing from the list of series: one is listed when its first event is
// processed.
func (a *API) behind(ctx context.Context) ([]string, error) {
	progress, err := a.Query.StreamProgress(ctx)
	return progress.Warnings(a.Query.Now()), err
}

func (q *querier) read(ctx context.Context, hints *storage.SelectHints,
	matchers []*labels.Matcher) (*seriesSet, error) {
	series, err := q.api.list(ctx, matchers)
	switch {
	case err != nil:
		return nil, err
	case len(series) == 0:
		return &seriesSet{}, nil
	case len(series) > maxSeries:
		return nil, beyond("the selector reads %d series of the table, at most %d: name the kind or the "+
			"subject, as in {kind=%q}", len(series), maxSeries, series[0].Kind.Name)
	}
	w, err := chooseWindow(kindsIn(series), hints, q.api.Query.Now(), func(w window) (bool, error) {
		return q.api.whole(ctx, w, series)
	})
	if err != nil || w.isEmpty() {
		return &seriesSet{}, err
	}
	set := &seriesSet{}
	set.inform(w.reason)
	if w.tooShort != "" {
		set.warn(w.tooShort)
	}
	if q.units = append(q.units, w.unit); q.units[0] != w.unit {
		set.warn(fmt.Sprintf(
			"the query reads %s and %s rollups: their sums and counts are of periods of different length",
			q.units[0].Adjective(), w.unit.Adjective()))
	}
	read, err := q.api.readAll(ctx, w, series, matchers)
	if err != nil {
		return nil, err
	}
	for _, c := range read {
		set.add(c)
		for _, text := range c.progress.Warnings(q.api.Query.Now()) {
			set.warn(text) // equal warnings are one
		}
	}
	slices.SortFunc(set.series, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return set, nil
}

func kindsIn(series []query.Series) (kinds []*catalog.Kind) {
	for _, s := range series {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	return kinds
}

// whole reports whether the rows of a window of each series are stored, although they may have expired by
// their age.
func (a *API) whole(ctx context.Context, w window, series []query.Series) (bool, error) {
	found := make([]bool, len(series))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i, s := range series {
		group.Go(func() (err error) {
			q := w.newChart(s).Rollups
			found[i], err = a.Query.Whole(ctx, q, w.unit, q.From, q.To)
			return err
		})
	}
	err := group.Wait()
	return !slices.Contains(found, false), err
}

// readAll reads the buckets of each series.
func (a *API) readAll(ctx context.Context, w window, series []query.Series,
	matchers []*labels.Matcher) ([]*columns, error) {
	read := make([]*columns, len(series))
	var buckets atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i, s := range series {
		group.Go(func() error {
			curve, err := a.chart(ctx, w, s)
			switch {
			case errors.Is(err, query.ErrTooLong), err == nil && buckets.Add(int64(len(curve.Rollups))) > maxBuckets:
				return beyond("the selector reads more than %d buckets: query fewer series, "+
					"a shorter range or a longer step", maxBuckets)
			case err != nil:
				return err
			}
			c := &columns{series: modelSeries(s), unit: w.unit, matchers: matchers, index: map[[2]string]*column{}}
			c.missing, c.progress = curve.Missing, curve.Progress
			now := a.Query.Now()
			for _, r := range curve.Rollups {
				switch {
				case !r.Open:
					c.addRollup(r, curve.Progress)
				case isAwaited(r, now):
					c.await(r.Bucket)
				}
			}
			read[i] = c
			return nil
		})
	}
	return read, group.Wait()
}

// maxAwaited is how many buckets that have ended may have no sample yet, for the one before them to be found.
const maxAwaited = 64

// isAwaited reports whether a bucket has ended and is not whole yet: see columns.await.
func isAwaited(r query.Rollup, now model.Time) bool { return r.Open && r.Bucket.End <= now }

// chart reads the buckets of a series in a window. Where the first one is awaited, it reads those before the
// window too, until one has a sample or none follows on another.
func (a *API) chart(ctx context.Context, w window, s query.Series) (query.Curve, error) {
	now, first := a.Query.Now(), model.MaxTime
	for back := 1; ; back *= 2 {
		curve, err := a.Query.Chart(ctx, w.newChart(s))
		if err != nil || back > maxAwaited || len(curve.Rollups) == 0 || !isAwaited(curve.Rollups[0], now) ||
			curve.Rollups[0].Bucket.Start == first {
			return curve, err
		}
		first = curve.Rollups[0].Bucket.Start
		w.from = max(w.from.Add(-time.Duration(back)*w.unit.Longest()), model.MinTime)
	}
}

// seriesSet is the result of a selector.
type seriesSet struct {
	series []storage.Series
	next   int
	notes  annotations.Annotations
}

func (s *seriesSet) inform(text string) {
	s.notes.Add(fmt.Errorf("%w: %s", annotations.PromQLInfo, text))
}
func (s *seriesSet) warn(text string) { s.notes.Add(note{text: text}) }

// doubt warns of inexact buckets: a query can find them by a metric.
func (s *seriesSet) doubt(text string) { s.notes.Add(note{text: text, less: true}) }

// add adds the samples of a series of the table, and what a reader must know of them.
func (s *seriesSet) add(c *columns) {
	found := c.set()
	s.series = append(s.series, found...)
	for _, m := range c.missing {
		to := min(m.To, model.MaxTime)
		s.warn(fmt.Sprintf("%s: not known from %s to %s: %s", c.series, m.From, to, m.Reason()))
	}
	if len(c.awaited) > 0 {
		s.inform(fmt.Sprintf("the last %s buckets of %s are not whole yet and have no sample: "+
			"the sample before them is valid until then", c.unit.Adjective(), c.series.Kind))
	}
	if c.inexact > 0 {
		s.doubt(fmt.Sprintf("%s: %d buckets are inexact: %s is 1 for them", c.series, c.inexact,
			metricInexact))
	}
	if c.omitting > 0 {
		s.warn(fmt.Sprintf("%s: %d buckets had no space for all measures: undeclared ones are missing", c.series,
			c.omitting))
	}
	if c.partial > 0 {
		s.warn(fmt.Sprintf("%s: %d values are left out, because the measure was declared during their buckets",
			c.series, c.partial))
	}
}

// Next advances to the next series.
func (s *seriesSet) Next() bool { s.next++; return s.next <= len(s.series) }

// At returns the present series.
func (s *seriesSet) At() storage.Series { return s.series[s.next-1] }

// Err returns nil: all samples have been read.
func (*seriesSet) Err() error { return nil }

// Warnings returns which tier was read, and which numbers are not whole.
func (s *seriesSet) Warnings() annotations.Annotations { return s.notes }
