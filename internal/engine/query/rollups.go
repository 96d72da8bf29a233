package query

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/storage"
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
	// Before has the last readings of counters before the bucket: its increase is since these. nil if no kind
	// declares a counter.
	Before *rollup.LastReadings
	// Changes are of a bucket that is a row; zero for a period of a time zone, and for a total.
	Changes Changes
	// Properties are the fields of the kinds that hold properties: see Dimensions.
	Properties []string
	// Err says why nothing is known of the bucket, such as item.ErrDamaged or item.ErrNewer of its row; nil
	// for a rollup with figures. Only iterators have such rollups: pages have them in Missing.
	Err error
	// Fold has the summary, the number of unreadable events, and whether the numbers are exact.
	rollup.Fold
}

// RollupPage is one page of rollups. A bucket without events has no rollup.
type RollupPage struct {
	Rollups []Rollup
	Next    string // cursor of the next page; "" after the last
	// CompleteFrom is the start of the first bucket that, by its age, cannot have expired.
	CompleteFrom model.Time
	// Missing are the parts of the page's range, oldest first, of which it is not known whether they had
	// events: see Segment.Reason. Any other bucket without a rollup had none.
	Missing []Segment
	Progress
}

// Rollups reads one page by one Query for each merged series. A page may be
// shorter than its limit, even empty, before the end: check Next. The error is ErrNoTier
// if a kind does not have the tier.
func (s *Service) Rollups(ctx context.Context, q Rollups) (RollupPage, error) {
	r, err := s.linkedPager(ctx, q)
	if err != nil {
		return RollupPage{}, err
	}
	rollups, next, err := r.page(ctx, q.Cursor, q.Limit)
	if err != nil {
		return RollupPage{}, err
	}
	return r.list(rollups, next), nil
}

// AllRollups is Rollups with as many pages as the request has, or until they have q.Limit rollups.
func (s *Service) AllRollups(ctx context.Context, q Rollups) (RollupPage, error) {
	r, err := s.linkedPager(ctx, q)
	if err != nil {
		return RollupPage{}, err
	}
	found, err := paging.Collect(r.all(ctx, q.Cursor, q.Limit))
	return r.list(found, ""), err
}

// EachRollup returns an iterator that reads page after page, from q.Cursor on, and
// yields at most q.Limit rollups. An error comes last, with no rollup. A bucket of which a row cannot be read
// is a rollup with an Err. A bucket without a rollup had no events, or is in another part that Missing of a
// page names.
func (s *Service) EachRollup(ctx context.Context, q Rollups) iter.Seq2[Rollup, error] {
	r, err := s.linkedPager(ctx, q)
	if err != nil {
		return paging.Fail[Rollup](err)
	}
	return s.each(ctx, q, r)
}

func (s *Service) each(ctx context.Context, q Rollups, r *rollupPager) iter.Seq2[Rollup, error] {
	if len(q.series()) == 1 {
		r.check = nil // a stored row of one series is a value
	}
	return r.all(ctx, q.Cursor, q.Limit)
}

// rollupPager is the pager of a request for rollups.
type rollupPager struct {
	*pager[rollup.Row, Rollup]
	progress     Progress  // read before any row
	missing      []Segment // of the pages so far
	completeFrom model.Time
}

// list returns rollups that were read with what is known of their range.
func (r *rollupPager) list(rollups []Rollup, next string) RollupPage {
	return RollupPage{Rollups: rollups, Next: next, CompleteFrom: r.completeFrom, Missing: r.missing,
		Progress: r.progress}
}

// linkedPager returns the pager of a request whose rollups have the last readings before them.
func (s *Service) linkedPager(ctx context.Context, q Rollups) (*rollupPager, error) {
	r, err := s.pagerOfRollups(ctx, q)
	if err == nil {
		r.complete = func(ctx context.Context, page []Rollup) error { return s.link(ctx, q, page, r.missing) }
	}
	return r, err
}

// pagerOfRollups returns the pager of a request.
func (s *Service) pagerOfRollups(ctx context.Context, q Rollups) (*rollupPager, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := q.checkTier(); err != nil {
		return nil, err
	}
	progress, err := s.progress(ctx, q.series())
	if err != nil {
		return nil, err
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
	r := &rollupPager{progress: progress, completeFrom: kept.CompleteFrom(now)}
	r.pager = &pager[rollup.Row, Rollup]{
		description: fmt.Sprintf("%s rollups of %s", q.Unit, q.Series),
		cursors:     newCursors(s.cursorKeys(), q.cursorClass(), q.Series, q.From, q.To, q.Newest),
		shards: shardMerger[rollup.Row]{
			shards: len(parts), newest: q.Newest,
			fetch: fetch, position: position,
			order:   func(r *rollup.Row) model.Order { return model.Order{At: r.Key.Start} },
			visible: func(r *rollup.Row) bool { return visible(r, kept, now) },
		},
		build: func(group []rollup.Row) Rollup {
			return q.buildRollup(group, now, progress.CompleteThrough)
		},
		check: func(ctx context.Context, past, next *model.Order, page []Rollup) ([]Rollup, error) {
			covered := q.covered(past, next)
			missing, err := s.missing(ctx, q, q.Unit, covered.From, covered.To)
			if covered.From == q.From {
				missing = append(missing, q.beginning()...)
			}
			for _, r := range page {
				if r.Err != nil {
					missing = append(missing, r.unreadable())
				}
			}
			missing = union(missing)
			r.missing = union(append(r.missing, missing...))
			known := func(r Rollup) bool { return !overlaps(missing, Segment{From: r.Bucket.Start, To: r.Bucket.End}) }
			return lists.Filter(page, known), err
		},
	}
	return r, nil
}

// covered returns the part of the range that a page between two orders covers.
func (q Rollups) covered(past, next *model.Order) Segment {
	all := Segment{From: max(q.From, model.MinTime), To: min(q.To, model.MaxTime+1)}
	if q.Newest {
		past, next = next, past
	}
	if past != nil && q.Newest {
		all.From = past.At
	} else if past != nil {
		all.From = q.Unit.BucketAt(past.At).End
	}
	if next != nil && q.Newest {
		all.To = next.At
	} else if next != nil {
		all.To = q.Unit.BucketAt(next.At).End
	}
	return all
}

// buildRollup merges the rows of one bucket, at most one of each series. The bucket is open
// also if events that began in it may go on.
func (q Rollups) buildRollup(group []rollup.Row, now model.Time, through *model.Time) Rollup {
	bucket := q.Unit.BucketAt(group[0].Key.Start)
	for i := range group {
		if err := readable(&group[i]); err != nil {
			return Rollup{Series: q.commonSeries(), Bucket: bucket, Err: err, Fold: *rollup.NewFold(nil)}
		}
		group[i].Summary = q.ofSeries(group[i].Summary, group[i].Key.Series)
	}
	fold := q.mergeRows(group)
	settles := max(fold.Continuation.Settles, q.closesAt(group, bucket))
	return Rollup{
		Series: q.commonSeries(), Kinds: q.eventsByKind(group),
		Bucket: bucket, Open: now < bucket.End || settles > now || through != nil && settles > *through,
		Changes: q.changes(group, bucket, through),
		Partial: q.partial(group), Properties: q.properties(), Fold: *fold,
	}
}

// closesAt returns when the bucket of the groups among some rows has closed: until then it has the finer
// buckets that have closed, alone. It is MinTime if there is no group.
func (q Rollups) closesAt(rows []rollup.Row, b tier.Bucket) model.Time {
	closes := model.MinTime
	for i := range rows {
		kind := q.findKind(rows[i].Key.Series.Kind)
		if _, level, found := kind.Retention.Find(b.Unit); found && kind.GroupsOf != "" {
			closes = max(closes, kind.Retention.ClosesAt(level, b, rows[i].Key.Series))
		}
	}
	return closes
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
	m, ok := r.Summary.MeasureAfter(name, r.Before)
	if !ok {
		return rollup.Measure{Name: name}
	}
	return m
}

// NewestEnd returns the end of the newest bucket of the series of q. It asks the coarsest tier, which is kept
// longest, and then the next finer one within that bucket.
func (s *Service) NewestEnd(ctx context.Context, q Rollups) (model.Time, error) {
	end := model.MaxTime + 1
	q.From = model.MinTime
	q.To = end
	q.Newest = true
	q.Limit = 1
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
