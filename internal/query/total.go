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

// Errors of a total that cannot be answered as asked.
var (
	ErrTooMany     = errors.New("the range holds more buckets than one answer merges: ask a coarser tier, or a shorter range")
	ErrNoDimension = errors.New("no kind asked for counts this field by value")
)

// Total is what all rollups of a range say together: sums are added, averages and
// percentiles merged by weight, distinct values counted once whatever the number of
// buckets they came in.
type Total struct {
	Buckets int  // that had events
	Open    bool // one of them had not ended by the reader's clock
	Kinds   []KindEvents
	rollup.Fold
}

// Total merges the rollups of a range. Where q.Limit is set and the range holds more
// buckets, the error is ErrTooMany: a total of some of them would be a lie.
func (s *Service) Total(ctx context.Context, q Rollups) (Total, error) {
	most := q.Limit
	if most > 0 {
		q.Limit++
	}
	t := Total{Fold: *rollup.NewFold(nil)}
	for r, err := range s.EachRollup(ctx, q) {
		if err != nil {
			return Total{}, err
		}
		if t.add(r); most > 0 && t.Buckets > most {
			return Total{}, fmt.Errorf("%s of %s: %w (%d)", q.Unit, q.Series, ErrTooMany, most)
		}
	}
	return t, nil
}

func (t *Total) add(r Rollup) {
	t.Buckets++
	t.Open = t.Open || r.Open
	t.AddRow(&rollup.Row{Fold: r.Fold})
	if t.Kinds == nil {
		t.Kinds = make([]KindEvents, len(r.Kinds))
	}
	for i, k := range r.Kinds {
		t.Kinds[i] = KindEvents{Kind: k.Kind, Events: t.Kinds[i].Events + k.Events}
	}
}

// Last is the range of the buckets of a unit that reach into the last span before
// now, the open one included: for real time, the last five minutes in minutes.
func Last(span time.Duration, unit tier.Unit, now model.Time) (from, to model.Time) {
	open := unit.BucketOf(now)
	return unit.BucketOf(max(open.End.Add(-span), model.MinTime)).Start, open.End
}
