package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Errors of an invalid request for a total.
var (
	ErrTooMany = errors.New(
		"the time range has more buckets than one total may merge: request a coarser tier, or a shorter range")
	ErrNoDimension = errors.New("none of the requested kinds declares this dimension")
)

// Total is the merged summary of all rollups of a time range: sums are added, averages and percentiles
// weighted, and each distinct value counted once, no matter in how many buckets it occurred.
type Total struct {
	Buckets int  // buckets with events
	Open    bool // one of the buckets had not ended by the reader's clock
	Kinds   []KindEvents
	Partial rollup.AddedFields // of the rollups; see Rollup
	// Missing are the parts of the range of which it is not known whether they had events: see
	// Segment.Reason. The total has no event of them, but for those that are left of a kind without tiers,
	// and is not exact.
	Missing []Segment
	Progress
	Before     *rollup.LastReadings // as of a Rollup
	Properties []string             // as of a Rollup
	rollup.Fold
}

// Measure returns the named measure of the total; one without values if no event has it.
func (t *Total) Measure(name string) rollup.Measure {
	return Rollup{Fold: t.Fold, Before: t.Before}.Measure(name)
}

// Total merges the rollups of a time range. The error is ErrTooMany if q.Limit is set and
// the range has more buckets: a total of some of them would be wrong.
func (s *Service) Total(ctx context.Context, q Rollups) (Total, error) {
	limit := q.Limit
	if limit > 0 {
		q.Limit++
	}
	t := Total{Fold: *rollup.NewFold(q.specForReading())}
	rows, err := s.pagerOfRollups(ctx, q)
	if err != nil {
		return Total{}, err
	}
	for r, err := range rows.all(ctx, q.Cursor, q.Limit) { // which notes what is missing
		if err != nil {
			return Total{}, err
		}
		if t.add(r); limit > 0 && t.Buckets > limit {
			return Total{}, fmt.Errorf("%s of %s: %w (%d)", q.Unit, q.Series, ErrTooMany, limit)
		}
	}
	t.lack(rows.missing)
	t.Progress = rows.progress
	t.Before, err = s.readingsBefore(ctx, q, q.Unit, firstStart(q.Unit, q.From))
	return t, err
}

// lack notes what is missing of a total to which everything else was added. No step leads over it.
func (t *Total) lack(missing []Segment) {
	t.Missing, t.Exact = missing, t.Exact && len(missing) == 0
	var edges []model.Time
	for _, m := range missing {
		edges = append(edges, m.From, m.To)
	}
	t.Summary = t.Summary.Apart(edges)
}

func (t *Total) add(r Rollup) {
	t.Buckets++
	t.Open = t.Open || r.Open
	t.Partial = t.Partial.Merge(r.Partial)
	t.Properties = r.Properties // of one request: all are the same
	t.AddRow(&rollup.Row{Fold: r.Fold})
	if t.Kinds == nil {
		t.Kinds = make([]KindEvents, len(r.Kinds))
	}
	for i, k := range r.Kinds {
		t.Kinds[i] = KindEvents{Kind: k.Kind, Events: t.Kinds[i].Events + k.Events}
	}
}

// Last returns the range of the buckets of a unit that overlap the given span before now,
// including the open bucket: the last five minutes in minute buckets, for example.
func Last(span time.Duration, unit tier.Unit, now model.Time) (from, to model.Time) {
	open := unit.BucketAt(now)
	return unit.BucketAt(max(open.End.Add(-span), model.MinTime)).Start, open.End
}
