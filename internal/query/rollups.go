package query

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Rollups requests the rollups in one tier of the Series it embeds, alone or merged with others.
type Rollups struct {
	Series
	// With, Subjects and Streams add further kinds of the same subject type, further
	// subjects and further streams. All series of these kinds, subjects and streams are
	// merged bucket by bucket: sums are added, averages and percentiles are weighted.
	With              []*catalog.Kind
	Subjects, Streams []string

	Unit     tier.Unit
	From, To model.Time // bucket starts: [From, To)
	Newest   bool       // newest first; otherwise oldest first
	// Limit is the maximum number of rollups in a page or iteration; 0 means all (in a
	// page: as many as one request returns).
	Limit      int
	Cursor     string // Next of the previous page; "" for the first
	Consistent bool   // strongly consistent reads
}

// Rollup is the summary of one bucket of a series, or of several series merged.
type Rollup struct {
	Series model.Series // kind, id and stream are empty if several are merged
	Kinds  []KindEvents // events of each kind; nil if one kind was requested
	Bucket tier.Bucket
	Open   bool        // the bucket had not ended by the reader's clock, or sessions of it may go on
	Gap    bool        // the bucket has no events and had none; only in charts with Gaps
	Local  LocalPeriod // if it is of a time zone; the bucket then has no unit
	// Partial has the fields whose figures do not include all events of the bucket, although
	// the bucket is exact: they were added to the kind after these events were folded.
	Partial rollup.AddedFields
	// Fold has the summary, the number of unreadable events, and whether the numbers are exact.
	rollup.Fold
}

// RollupPage is one page of rollups. A bucket without events has no rollup.
type RollupPage struct {
	Rollups []Rollup
	Next    string // cursor of the next page; "" after the last
	// CompleteFrom is the start of the first bucket that cannot have expired. Buckets
	// before it may be missing.
	CompleteFrom model.Time
	// CompleteThrough is the low watermark of the series: later buckets of deferred tiers
	// were folded for this page. It is nil if no kind has deferred tiers.
	CompleteThrough *model.Time
}

// Rollups reads one page by one Query for each merged series. A page may be
// shorter than its limit, even empty, before the end: check Next. The error is ErrNoTier
// if a kind does not have the tier, and wraps item.ErrNewer or item.ErrDamaged if a row
// cannot be read: skipping the row would look like a bucket without events.
func (s *Service) Rollups(ctx context.Context, q Rollups) (RollupPage, error) {
	r, through, err := s.rollupPager(ctx, q)
	if err != nil {
		return RollupPage{}, err
	}
	rollups, next, err := r.page(ctx, q.Cursor, q.Limit)
	if err != nil {
		return RollupPage{}, err
	}
	t, _, _ := q.commonPolicy().Find(q.Unit)
	return RollupPage{Rollups: rollups, Next: next, CompleteFrom: t.CompleteFrom(s.Now()), CompleteThrough: through}, nil
}

// EachRollup returns an iterator that reads page after page, from q.Cursor on, and
// yields at most q.Limit rollups. An error comes last, with no rollup.
func (s *Service) EachRollup(ctx context.Context, q Rollups) iter.Seq2[Rollup, error] {
	r, _, err := s.rollupPager(ctx, q)
	if err != nil {
		return pages.Fail[Rollup](err)
	}
	return r.all(ctx, q.Cursor, q.Limit)
}

// rollupPager returns the pager of a request, and the low watermark of its series, which is
// read before any row.
func (s *Service) rollupPager(ctx context.Context, q Rollups) (*pager[rollup.Row, Rollup], *model.Time, error) {
	if err := q.check(); err != nil {
		return nil, nil, err
	}
	if err := q.checkTier(); err != nil {
		return nil, nil, err
	}
	through, err := s.completeThrough(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	parts, now := q.series(), s.Now()
	kept, _, _ := q.commonPolicy().Find(q.Unit)
	fetch := func(ctx context.Context, shard int, after string) ([]rollup.Row, string, error) {
		page, err := s.Store.Rows(ctx, q.Unit, storage.Range{
			Series: parts[shard], From: q.From, To: q.To, Newest: q.Newest,
			Limit: q.Limit, After: after, Consistent: q.Consistent,
		})
		return page.Rows, page.Next, err
	}
	position := func(shard int, past model.Order) string {
		return keys.Row(rollup.Key{Series: parts[shard], Tier: q.Unit.String(), Start: past.At}).SK
	}
	return &pager[rollup.Row, Rollup]{
		description: fmt.Sprintf("%s rollups of %s", q.Unit, q.Series),
		cursors:     cursorsOf(s.cursorKeys(), q.cursorClass(), q.Series, q.From, q.To, q.Newest),
		shards: shardMerger[rollup.Row]{
			shards: len(parts), newest: q.Newest,
			fetch: fetch, position: position,
			order:   func(r *rollup.Row) model.Order { return model.Order{At: r.Key.Start} },
			visible: func(r *rollup.Row) bool { return visible(r, kept, len(parts) > 1, now) },
		},
		build: func(group []rollup.Row) (Rollup, error) { return q.buildRollup(group, now, through) },
	}, through, nil
}

// buildRollup merges the rows of one bucket, at most one of each series. The bucket is open
// also if events that began in it may go on.
func (q Rollups) buildRollup(group []rollup.Row, now model.Time, through *model.Time) (Rollup, error) {
	bucket := q.Unit.BucketOf(group[0].Key.Start)
	for _, row := range group {
		switch {
		case row.V > item.Version:
			return Rollup{}, fmt.Errorf("%s: %w", bucket, item.ErrNewer)
		case row.Summary == nil:
			return Rollup{}, fmt.Errorf("%s: %w", bucket, item.ErrDamaged)
		}
	}
	fold := q.mergeRows(group)
	settles := fold.Continuation.Settles
	return Rollup{
		Series: q.commonSeries(), Kinds: q.eventsByKind(group),
		Bucket: bucket, Open: now < bucket.End || settles > now || through != nil && settles > *through,
		Partial: q.partial(group), Fold: *fold,
	}, nil
}

// Label names the bucket, or the period of a time zone, for people: 2026-04-20-14, 2026-04-20.
func (r Rollup) Label() string {
	if r.Local.Label != "" {
		return r.Local.Label
	}
	return r.Bucket.Label()
}

// TierName returns the unit of the bucket, or of the period of a time zone: day.
func (r Rollup) TierName() string {
	if r.Local.Unit != "" {
		return string(r.Local.Unit)
	}
	return r.Bucket.Unit.String()
}

// Measure returns the named measure of the bucket; one without values if no event of the bucket has it.
func (r Rollup) Measure(name string) rollup.Measure {
	m, ok := r.Summary.Measure(name)
	if !ok {
		return rollup.Measure{Name: name}
	}
	return m
}

// NewestEnd returns the end of the newest bucket of the series of q. It asks the coarsest tier, which is kept
// longest, and then the next finer one within that bucket.
func (s *Service) NewestEnd(ctx context.Context, q Rollups) (model.Time, error) {
	end := model.MaxTime + 1
	q.From, q.To, q.Newest, q.Limit = model.MinTime, end, true, 1
	for _, t := range slices.Backward(q.Kind.Retention.Tiers) {
		q.Unit = t.Unit
		for r, err := range s.EachRollup(ctx, q) {
			if err != nil {
				return 0, err
			}
			end, q.From = r.Bucket.End, r.Bucket.Start
		}
		if t.Unit == tier.Day {
			break
		}
	}
	return end, nil
}
