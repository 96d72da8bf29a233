package query

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rollups asks for the rollups of a series in one tier.
type Rollups struct {
	Series
	// With, Subjects and Streams are what is read beside the Series' own: further kinds
	// of the same subject type, further subjects and further streams. All series of
	// these kinds, subjects and streams are merged bucket by bucket into what they say
	// together: sums are added, means and percentiles merged by weight.
	With              []*catalog.Kind
	Subjects, Streams []string

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
	Series model.Series // without a kind, an id or a stream where several are merged
	Kinds  []KindEvents // of what it is merged; none where one kind was asked for
	Bucket tier.Bucket
	Open   bool // the bucket had not ended by the reader's clock: more will come
	Gap    bool // the bucket has no events, and none that expired: only a chart that was asked for gaps shows it
	// Fold has the summary, what was unreadable, and whether the numbers are exact.
	rollup.Fold
}

// RollupPage is one page of rollups. A bucket without events has no rollup.
type RollupPage struct {
	Rollups []Rollup
	Next    string // cursor of the next page; "" at the end
	// WholeFrom is the start of the first bucket that cannot have expired: before it a
	// bucket that is not shown may have had events.
	WholeFrom model.Time
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
	if err != nil {
		return RollupPage{}, err
	}
	t, _, _ := q.ladder().Find(q.Unit)
	return RollupPage{Rollups: rollups, Next: next, WholeFrom: t.WholeFrom(s.Now())}, nil
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
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := q.checkTier(); err != nil {
		return nil, err
	}
	parts, now := q.parts(), s.Now()
	kept, _, _ := q.ladder().Find(q.Unit)
	fetch := func(ctx context.Context, shard int, after string) ([]rollup.Row, string, error) {
		page, err := s.Store.Rows(ctx, q.Unit, model.Range{
			Series: parts[shard], From: q.From, To: q.To, Newest: q.Newest,
			Limit: q.Limit, After: after, Consistent: q.Consistent,
		})
		return page.Rows, page.Next, err
	}
	position := func(shard int, past model.Order) string {
		return keys.Row(rollup.Key{Series: parts[shard], Tier: q.Unit.String(), Start: past.At}).SK
	}
	return &reading[rollup.Row, Rollup]{
		subject: fmt.Sprintf("%s rollups of %s", q.Unit, q.Series),
		cursors: cursorsOf(s.cursorKeys(), q.class(), q.Series, q.From, q.To, q.Newest),
		shardReader: shardReader[rollup.Row]{
			shards: len(parts), newest: q.Newest,
			fetch: fetch, position: position,
			order: func(r *rollup.Row) model.Order { return model.Order{At: r.Key.Start} },
			shows: func(r *rollup.Row) bool { return shows(r, kept, len(parts) > 1, now) },
		},
		answer: func(group []rollup.Row) (Rollup, error) { return q.rollup(group, now) },
	}, nil
}

// rollup makes the answer of a bucket from its rows, one of each part at most.
func (q Rollups) rollup(group []rollup.Row, now model.Time) (Rollup, error) {
	bucket := q.Unit.BucketOf(group[0].Key.Start)
	for _, row := range group {
		switch {
		case row.V > item.Version:
			return Rollup{}, fmt.Errorf("%s: %w", bucket, item.ErrNewer)
		case row.Summary == nil:
			return Rollup{}, fmt.Errorf("%s: %w", bucket, item.ErrDamaged)
		}
	}
	return Rollup{
		Series: q.series(), Kinds: q.eventsOf(group),
		Bucket: bucket, Open: now < bucket.End, Fold: *q.merge(group),
	}, nil
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
