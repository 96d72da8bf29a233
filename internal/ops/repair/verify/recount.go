package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// recount compares the stored rows of one series with the rows that its events add up to. It shares no rule
// with package aggregate except the arithmetic of summaries and the size limit of a row.
type recount struct {
	store  SeriesReader
	kind   *catalog.Kind
	series model.Series
	now    model.Time
	span   Span // of whole buckets
	most   int  // events that are read at most; 0: any number
	keep   bool // the events in kept
	// through is the low watermark of the series, which was read before any row.
	through model.Time
	behind  map[rollup.Key]bool // rows that are right, but behind their events
	shares  *memberShares       // nil: shares are not compared
	members *leftShares         // of a group; nil: the members of its shares are not read
	buckets *groupBuckets       // noted by a member, read by a group

	events int
	kept   []model.Event
	// newestShares has when a share of a group's bucket was written last.
	newestShares map[tier.Bucket]model.Time
	stored       []map[model.Time]*rollup.Row // by tier level and bucket start; no empty rows
	expected     []folds                      // by tier level
}

// folds are the expected contents of the buckets of one tier, by bucket start.
type folds map[model.Time]*rollup.Fold

func (f folds) at(b tier.Bucket, spec *rollup.Spec) *rollup.Fold {
	if f[b.Start] == nil {
		f[b.Start] = rollup.NewFold(spec)
	}
	return f[b.Start]
}

// run compares every bucket of the series, finest tier first. The expected rows of a tier are folded from the
// rows of the tier below, and the rows of the finest tier from the events. The tier below contributes its
// stored row where that is right, because a stored row keeps only the most frequent values of a dimension, or
// sealed, because the events are gone.
func (r *recount) run(ctx context.Context) ([]Finding, error) {
	if err := r.read(ctx); err != nil {
		return nil, fmt.Errorf("recount %s: %w", r.series, err)
	}
	var all []Finding
	for level := range r.kind.Retention.Tiers {
		all = append(all, r.compareTier(level)...)
	}
	shares, err := r.compareShares(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("recount %s: %w", r.series, err)
	}
	return append(all, shares...), nil
}

func (r *recount) read(ctx context.Context) error {
	for _, t := range r.kind.Retention.Tiers {
		rows, err := r.readRows(ctx, t.Unit)
		if err != nil {
			return err
		}
		r.stored, r.expected = append(r.stored, rows), append(r.expected, folds{})
	}
	if err := r.readShares(ctx); err != nil {
		return err
	}
	return r.foldEvents(ctx)
}

func (r *recount) readRows(ctx context.Context, unit tier.Unit) (map[model.Time]*rollup.Row, error) {
	stored := map[model.Time]*rollup.Row{}
	over := r.span
	if over.From > model.MinTime {
		// The row above a bucket says whether its own may have expired.
		over.From = unit.BucketAt(over.From).Start
	}
	span := r.spanRange(over)
	rows := paging.Items(func(after string) ([]rollup.Row, string, error) {
		span.After = after
		page, err := r.store.Rows(ctx, unit, span)
		return page.Rows, page.Next, err
	})
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		if !row.Empty {
			stored[row.Key.Start] = &row
		}
	}
	return stored, nil
}

// changed reports whether a row was written, or is gone, since it was read.
func (r *recount) changed(ctx context.Context) (bool, error) {
	for level, t := range r.kind.Retention.Tiers {
		now, err := r.readRows(ctx, t.Unit)
		if err != nil {
			return false, fmt.Errorf("recount %s: %w", r.series, err)
		}
		same := func(a, b *rollup.Row) bool { return a.Rev == b.Rev }
		if !maps.EqualFunc(r.stored[level], now, same) {
			return true, nil
		}
	}
	return false, nil
}

func (r *recount) spanRange(s Span) storage.Range {
	return storage.Range{Series: r.series, From: s.From, To: s.To, Consistent: true}
}

// eachEvent calls do for every event of a span.
func (r *recount) eachEvent(ctx context.Context, s Span, do func(*model.Event)) error {
	for e, err := range storage.MergeEvents(ctx, r.store, r.kind.SourceSeries(r.series), r.spanRange(s)) {
		if err != nil {
			return err
		}
		do(&e)
	}
	return nil
}

// foldEvents adds each event, or session, to every bucket that is folded from them.
func (r *recount) foldEvents(ctx context.Context) error {
	if r.kind.GroupsOf != "" {
		return r.foldShares(ctx)
	}
	if !r.kind.HasEvents() {
		return r.foldSessions(ctx)
	}
	sources := r.kind.SourceSeries(r.series)
	for e, err := range storage.MergeEvents(ctx, r.store, sources, r.spanRange(r.span)) {
		if err != nil {
			return err
		}
		if r.events++; r.most > 0 && r.events > r.most {
			return ErrManyEvents
		}
		if r.keep {
			r.kept = append(r.kept, e)
		}
		r.addToParents(eventLevel, e.At, func(f *rollup.Fold) { f.AddEvent(&e) })
		r.addToShares(&e)
	}
	return nil
}

// foldSessions folds the sessions of each bucket that is folded from them: the buckets of the
// finest tier, and coarser buckets from before that tier was added.
func (r *recount) foldSessions(ctx context.Context) error {
	for level, t := range r.kind.Retention.Tiers {
		if level > 0 && r.kind.Retention.Finest().From == 0 {
			return nil
		}
		f := sessions.New(r.kind, r.series, level, t.Unit.BucketAt(r.span.From).Start,
			t.Unit.BucketAt(r.span.To-1).End)
		f.FoldBy(func(b tier.Bucket) *rollup.Spec { return r.rowSpec(level, b.Start) })
		if err := f.Read(ctx, r.store, r.kind.SourceSeries(r.series), true); err != nil {
			return err
		}
		for _, fold := range f.Folds() {
			if keeps(t, fold.Bucket) && childLevel(r.kind.Retention, level, fold.Bucket) == eventLevel {
				r.events += int(fold.Summary.Events())
				r.expected[level][fold.Bucket.Start] = fold.Fold
			}
		}
	}
	return nil
}

// eventLevel is the level of the events, below the finest tier.
const eventLevel = -1

// addToParents calls add for each bucket over a time that is folded from the level.
func (r *recount) addToParents(from int, at model.Time, add func(*rollup.Fold)) {
	for level := from + 1; level < len(r.kind.Retention.Tiers); level++ {
		t := r.kind.Retention.Tiers[level]
		if b := t.Unit.BucketAt(at); keeps(t, b) && childLevel(r.kind.Retention, level, b) == from {
			add(r.expected[level].at(b, r.rowSpec(level, b.Start)))
		}
	}
}

// rowSpec returns the fields by which the stored row of a bucket was folded.
func (r *recount) rowSpec(level int, start model.Time) *rollup.Spec {
	row := r.stored[level][start]
	if row == nil {
		return r.kind.Spec()
	}
	return specAt(r.kind.Spec(), row.FieldsAt)
}

// childLevel returns the level that a bucket is folded from: the nearest finer tier
// that had begun when the bucket did, else the events.
func childLevel(l tier.Policy, level int, b tier.Bucket) int {
	for level--; level > eventLevel && !keeps(l.Tiers[level], b); level-- {
	}
	return level
}

// keeps reports whether a tier had begun when the bucket did.
func keeps(t tier.Tier, b tier.Bucket) bool { return t.From <= b.Start || t.From == 0 }

func (r *recount) row(level int, start model.Time) *rollup.Row { return r.stored[level][start] }

// compareTier compares each bucket of a level that has a row or should have one, and
// adds its right contents to the parent buckets.
func (r *recount) compareTier(level int) (all []Finding) {
	expected, stored := r.expected[level], r.stored[level]
	starts := slices.AppendSeq(slices.Collect(maps.Keys(expected)), maps.Keys(stored))
	slices.Sort(starts)
	for _, start := range slices.Compact(starts) {
		want := r.expectedRow(level, start, expected[start])
		f := r.compare(level, start, want)
		all = append(all, f)
		right := want
		if f.Status == Sealed || f.Status == Equal || f.Status == Pending {
			right = stored[start]
		}
		if right != nil && f.Status != Expired {
			r.addToParents(level, start, func(f *rollup.Fold) { f.AddRow(right) })
		}
	}
	return all
}

// open reports whether no sweep has settled a bucket: its row may miss changes.
func (r *recount) open(level int, start model.Time) bool {
	policy := r.kind.Retention
	return policy.ClosesAt(level, policy.Tiers[level].Unit.BucketAt(start), r.series) > r.through
}

// expectedRow returns the row that should be stored for a fold, nil for no fold.
func (r *recount) expectedRow(level int, start model.Time, f *rollup.Fold) *rollup.Row {
	if f == nil {
		return nil
	}
	t := r.kind.Retention.Tiers[level]
	f.Continuation = f.Continuation.StartAt(start)
	row := &rollup.Row{Key: r.key(level, start), Fold: *f, ExpiresAt: t.ExpiresAt(t.Unit.BucketAt(start), r.now),
		WrittenAt: r.now}
	aggregate.Fit(row, r.kind.Spec())
	return row
}

func (r *recount) key(level int, start model.Time) rollup.Key {
	return rollup.Key{Series: r.series, Tier: r.kind.Retention.Tiers[level].Unit.String(), Start: start}
}
