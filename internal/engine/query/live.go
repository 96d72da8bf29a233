package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// LowWatermarks reads how far the queue of closed buckets has been worked off.
type LowWatermarks interface {
	// Sweeps reads the low watermarks of all queue shards, by one request.
	Sweeps(ctx context.Context) (storage.LowWatermarks, error)
}

// Swept is low watermarks that were read once. A reader of rows in other ways, such as a scan,
// reads them before the first row, and uses them to the end.
type Swept storage.LowWatermarks

var _ LowWatermarks = Swept{}

// Sweeps returns them.
func (s Swept) Sweeps(context.Context) (storage.LowWatermarks, error) {
	return storage.LowWatermarks(s), nil
}

// Live is a Store whose rows are up to date although aggregation leaves the rows of open
// buckets unwritten. A bucket that closed at or before the low watermark of its series is
// its stored row; any other is folded now, from events or from the rows of the finer tier
// by the same rule, and its stored row is ignored. Kinds without deferred tiers are read
// as they are stored, without a further request. It is safe for concurrent use.
type Live struct {
	Store
	Watermarks LowWatermarks
	// Stream says how far the table stream is processed; nil if results do not tell.
	Stream StreamStates
	// Kind returns a kind, with the tiers of the table; nil if it is not declared.
	Kind func(ctx context.Context, name string) (*catalog.Kind, error)
	Now  func() model.Time
	// Folded, if set, is called for each range of events of open buckets that a read has folded, with their
	// number.
	Folded func(kind string, events int)
	// Parallel is how many shards of an open bucket are read at once; 0 means 8.
	Parallel int

	swept  recent[storage.LowWatermarks]
	stream recent[storage.StreamState]
}

// CatalogKinds is the Kind of a Live that is replaced when the table's configuration changes, or
// that does not live for an hour.
func CatalogKinds(c *catalog.Catalog) func(context.Context, string) (*catalog.Kind, error) {
	return func(_ context.Context, name string) (*catalog.Kind, error) {
		kind, _ := c.Kind(name)
		return kind, nil
	}
}

// Rows reads one page of rows, and folds the open buckets of the range.
func (l *Live) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	f, deferred, err := l.folder(ctx, unit, r)
	switch {
	case err != nil:
		return rollup.RowPage{}, err
	case !deferred:
		return l.Store.Rows(ctx, unit, r)
	}
	return f.page(ctx, f.level, r)
}

// folder returns the folder of a read, with the low watermark that was read before any
// row; false where the rows of the unit are not deferred.
func (l *Live) folder(ctx context.Context, unit tier.Unit, r storage.Range) (*folder, bool, error) {
	kind, err := l.Kind(ctx, r.Series.Kind)
	if kind == nil || err != nil {
		return nil, false, err
	}
	t, level, found := kind.Retention.Find(unit)
	if !found || !t.Deferred {
		return nil, false, nil
	}
	through, err := l.CompleteThrough(ctx, r.Series)
	f := &folder{
		store: l.Store, kind: kind, level: level, series: r.Series, now: l.Now(), through: through,
		consistent: r.Consistent, folded: l.Folded, parallel: cmp.Or(l.Parallel, shardReads),
	}
	return f, true, err
}

// CompleteThrough returns the low watermark of a series: each bucket that closed at or
// before it is served from its stored row. It is MinTime before the first sweep.
func (l *Live) CompleteThrough(ctx context.Context, s model.Series) (model.Time, error) {
	marks, err := l.swept.get(ctx, l.Now(), l.Watermarks.Sweeps)
	return marks.For(s), err
}

// folder reads the rows of a series as of one low watermark.
type folder struct {
	store      Store
	kind       *catalog.Kind
	level      int
	series     model.Series
	now        model.Time
	through    model.Time
	since      model.Time // no event before it was processed; 0 if that is not known
	consistent bool
	folded     func(kind string, events int) // may be nil
	parallel   int                           // stored series read at once
}

// page returns one page of a range: closed buckets page by page as they are stored, then
// all open ones; newest first, the other way round. Rows up to the low watermark are read
// consistently: an eventually consistent read might not see the row of a bucket that has
// just been swept, and the bucket would be in neither part.
func (f *folder) page(ctx context.Context, level int, r storage.Range) (rollup.RowPage, error) {
	unit := f.kind.Retention.Tiers[level].Unit
	open := f.openFrom(level)
	past, inOpen := f.resume(r.After, open)
	if r.Newest {
		return f.newest(ctx, level, r, open, past, inOpen)
	}
	var page rollup.RowPage
	if !inOpen && r.From < open {
		closed := r
		closed.To = min(r.To, open)
		closed.Consistent = r.Consistent || r.To >= open
		var err error
		if page, err = f.store.Rows(ctx, unit, closed); err != nil || page.Next != "" {
			return page, err
		}
	}
	from := max(r.From, open)
	if inOpen {
		from = max(from, unit.BucketAt(past).End)
	}
	rows, err := f.fold(ctx, level, from, r.To)
	page.Rows = append(page.Rows, rows...)
	return page, err
}

// newest returns one page of a range in descending order. The open buckets are a page of
// their own where closed ones follow.
func (f *folder) newest(ctx context.Context, level int, r storage.Range, open, past model.Time,
	inOpen bool) (rollup.RowPage, error) {
	unit := f.kind.Retention.Tiers[level].Unit
	var rows []rollup.Row
	if r.After == "" || inOpen {
		to := r.To
		if inOpen {
			to = min(to, past)
		}
		var err error
		if rows, err = f.fold(ctx, level, max(r.From, open), to); err != nil {
			return rollup.RowPage{}, err
		}
		slices.Reverse(rows)
		r.After = ""
	}
	if r.From >= open {
		return rollup.RowPage{Rows: rows}, nil
	}
	r.Consistent = r.Consistent || r.To >= open
	r.To = min(r.To, open)
	page, err := f.store.Rows(ctx, unit, r)
	page.Rows = append(rows, page.Rows...)
	return page, err
}

// openFrom returns the start of the first bucket of a level that closed after the low watermark.
func (f *folder) openFrom(level int) model.Time {
	t := f.kind.Retention.Tiers[level]
	if !t.Deferred {
		return model.MaxTime + 1
	}
	if f.through <= model.MinTime {
		return model.MinTime
	}
	b := t.Unit.BucketAt(f.through)
	for f.kind.Retention.ClosesAt(level, b, f.series) > f.through && b.Start > model.MinTime {
		b = t.Unit.BucketAt(b.Start - 1)
	}
	return b.End
}

// resume returns the start of the bucket that a position names, and whether that bucket is open.
func (f *folder) resume(after string, open model.Time) (past model.Time, inOpen bool) {
	if after == "" {
		return 0, false
	}
	pk := keys.Row(rollup.Key{Series: f.series, Tier: f.kind.Retention.Tiers[f.level].Unit.String()}).PK
	at, err := keys.ParseRow(keys.Key{PK: pk, SK: after})
	return at.Start, err == nil && at.Start >= open
}
