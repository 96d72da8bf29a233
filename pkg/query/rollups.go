package query

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/pkg/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rollups asks for the rollups of a series in one tier.
type Rollups struct {
	Series
	Unit     tier.Unit
	From, To model.Time // half-open by bucket start: [From, To)
	Newest   bool       // newest first; else oldest first
	// Limit is how many rollups a page, or an iteration, holds at most; 0 is as many
	// as there are (in a page: as one request returns).
	Limit      int
	Cursor     string // Next of the page before; "" starts
	Consistent bool   // strongly consistent reads
}

// Rollup is what the table says of one bucket of a series.
type Rollup struct {
	Series model.Series
	Bucket tier.Bucket
	Open   bool // the bucket had not ended by the reader's clock: more will come
	// Fold has the summary, what was unreadable, and whether the numbers are exact.
	rollup.Fold
}

// RollupPage is one page of rollups. A bucket without events has no rollup.
type RollupPage struct {
	Rollups []Rollup
	Next    string // cursor of the next page; "" at the end
}

// Rollups reads one page by one Query a shard. A page may be shorter than its limit,
// even empty, before the end: only Next tells whether there is more. The error is
// ErrNoTier where the kind's ladder lacks the unit, and wraps item.ErrNewer or
// item.ErrDamaged where a row cannot be read: a hole would look like no events.
func (s *Service) Rollups(ctx context.Context, q Rollups) (RollupPage, error) {
	r, err := s.rollups(q)
	if err != nil {
		return RollupPage{}, err
	}
	rollups, next, err := r.one(ctx, q.Cursor, q.Limit)
	return RollupPage{Rollups: rollups, Next: next}, err
}

// EachRollup reads page after page, from q.Cursor on, and hands out at most q.Limit
// rollups. An error comes last, with no rollup.
func (s *Service) EachRollup(ctx context.Context, q Rollups) iter.Seq2[Rollup, error] {
	r, err := s.rollups(q)
	if err != nil {
		return func(yield func(Rollup, error) bool) { yield(Rollup{}, err) }
	}
	return r.all(ctx, q.Cursor, q.Limit)
}

func (s *Service) rollups(q Rollups) (*reading[rollup.Row, Rollup], error) {
	if err := q.checkPage(q.From, q.To, q.Limit); err != nil {
		return nil, err
	}
	_, _, ok := q.Kind.Ladder.Find(q.Unit)
	if !ok {
		return nil, fmt.Errorf("%s of kind %s: %w", q.Unit, q.Kind.Name, ErrNoTier)
	}
	shards, now := q.shards(), s.Now()
	fetch := func(ctx context.Context, shard int, after string) ([]rollup.Row, string, error) {
		page, err := s.Store.Rows(ctx, q.Unit, model.Range{
			Series: shards[shard], From: q.From, To: q.To, Newest: q.Newest,
			Limit: q.Limit, After: after, Consistent: q.Consistent,
		})
		return page.Rows, page.Next, err
	}
	position := func(shard int, past model.Order) string {
		return keys.Row(rollup.Key{Series: shards[shard], Tier: q.Unit.String(), Start: past.At}).SK
	}
	return &reading[rollup.Row, Rollup]{
		subject: fmt.Sprintf("%s rollups of %s", q.Unit, q.Series),
		cursors: cursorsOf(s.CursorKey, q.Unit.String(), q.Series, q.From, q.To, q.Newest),
		shardReader: shardReader[rollup.Row]{
			shards: len(shards), newest: q.Newest,
			fetch: fetch, position: position,
			order: func(r *rollup.Row) model.Order { return model.Order{At: r.Key.Start} },
			shows: func(r *rollup.Row) bool { return Shows(q.Kind.Ladder, r, now) },
		},
		answer: func(group []rollup.Row) (Rollup, error) { return q.rollup(group, now) },
	}, nil
}

// Shows reports whether readers see a row: it is neither empty nor expired. The rows
// of one bucket of a spread series expire one by one; the bucket is hidden from when
// the first of them may, since what is left would not be the whole. ladder is the
// kind's.
func Shows(ladder tier.Ladder, r *rollup.Row, now model.Time) bool {
	if r.Empty || expired(r.ExpiresAt, now) {
		return false
	}
	unit, err := tier.ParseUnit(r.Key.Tier)
	t, _, known := ladder.Find(unit)
	if err != nil || !known || r.Key.Series.Shard == 0 || t.LeastRetention() == tier.Forever {
		return true
	}
	first := unit.BucketOf(r.Key.Start).End.Add(t.LeastRetention()).Seconds()
	return !expired(first, now)
}

// rollup makes the answer of a bucket from its rows, one of each shard at most.
func (q Rollups) rollup(group []rollup.Row, now model.Time) (Rollup, error) {
	bucket := q.Unit.BucketOf(group[0].Key.Start)
	answer := Rollup{Series: q.whole(), Bucket: bucket, Open: now < bucket.End, Fold: group[0].Fold}
	for _, row := range group {
		switch {
		case row.V > item.Version:
			return Rollup{}, fmt.Errorf("%s: %w", bucket, item.ErrNewer)
		case row.Summary == nil:
			return Rollup{}, fmt.Errorf("%s: %w", bucket, item.ErrDamaged)
		}
	}
	if len(group) > 1 {
		whole := rollup.NewFold(q.Kind.Spec())
		for i := range group {
			whole.AddRow(&group[i])
		}
		answer.Fold = *whole
	}
	return answer, nil
}

// Measure is the named measure of the bucket; without any values where no event of
// the bucket had it.
func (r Rollup) Measure(name string) rollup.Measure {
	m, ok := r.Summary.Measure(name)
	if !ok {
		return rollup.Measure{Name: name}
	}
	return m
}
