package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// shardReads is how many shards of a series are read at once.
const shardReads = 8

// Latest reads the latest item of a series by one Get for each shard; if the item is derived from events, by
// a Query of the newest event too. It returns nil if nothing was ever appended. A latest item never expires.
// The error is ErrNoLatest if the kind stores none.
func (s *Service) Latest(ctx context.Context, series Series, consistent bool) (*model.Latest, error) {
	if !series.Kind.HasLatest() {
		instead := "its history or its rollups"
		if series.Kind.GroupsOf != "" {
			instead = "its rollups"
		}
		return nil, fmt.Errorf("read latest item of %s: %w: read %s instead", series, ErrNoLatest, instead)
	}
	if err := series.check(); err != nil {
		return nil, err
	}
	shards := series.shards()
	found := make([]*model.Latest, len(shards))
	read := s.latestReader(series.Kind)
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i, shard := range shards {
		reads.Go(func() (err error) {
			found[i], err = read(ctx, shard, consistent)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, fmt.Errorf("read latest item of %s: %w", series, err)
	}
	newest := newestItem(found)
	if newest.Empty() {
		return nil, nil // nothing was stored, or all was deleted
	}
	merged := *newest
	merged.Series = series.unsharded()
	return &merged, nil
}

// newestItem returns the item with the newest event. An item that holds only enrichment
// is older than any item with an event.
func newestItem(found []*model.Latest) (newest *model.Latest) {
	for _, c := range found {
		switch {
		case c == nil:
		case newest == nil,
			c.Ordered && !newest.Ordered,
			c.Ordered && newest.Before(c.Order):
			newest = c
		}
	}
	return newest
}

// LatestBy requests the latest items of a kind, of all subjects and streams, whose
// fields have the given values. The kind declares the index.
type LatestBy struct {
	Kind       *catalog.Kind
	Index      string   // "" is the first index
	Values     []string // one value for each field of the index
	SortPrefix []string // values of the first sort fields; nil for all items
	Descending bool     // from the end of the sort order
	Limit      int      // items in a page; 0 is as many as one request returns
	Cursor     string   // Next of the previous page; "" for the first
}

// LatestPage is one page of latest items in the order of the index.
type LatestPage struct {
	Items []model.Latest
	Next  string // cursor of the next page; "" after the last
}

// LatestBy reads one page by one Query of an index, which may lag behind by moments. The error is
// ErrNotIndexed if the kind has no such index, or if the number of values does not fit the index.
func (s *Service) LatestBy(ctx context.Context, q LatestBy) (LatestPage, error) {
	x, err := q.declaredIndex()
	if err != nil {
		return LatestPage{}, err
	}
	request := q.cursorBinding(x)
	after, err := s.OpenCursor(q.Cursor, request...)
	if err != nil {
		return LatestPage{}, err
	}
	page, err := s.Store.LatestBy(ctx, storage.LatestIndexQuery{
		SubjectType: q.Kind.Subject.Name, Kind: q.Kind.Name, Index: x.Index, Values: q.Values,
		SortPrefix: q.SortPrefix, SortFields: len(x.Sort), Descending: q.Descending, Limit: q.Limit,
		After: string(after),
	})
	if err != nil {
		return LatestPage{}, fmt.Errorf("read latest items of %s by %q: %w", q.Kind.Name, x.By, err)
	}
	found := LatestPage{Items: page.Items}
	if page.Next != "" {
		found.Next, err = s.SealCursor([]byte(page.Next), request...)
	}
	return found, err
}

func (q LatestBy) declaredIndex() (catalog.LatestIndex, error) {
	name := cmp.Or(q.Index, catalog.FirstIndex)
	i := slices.IndexFunc(q.Kind.LatestBy, func(x catalog.LatestIndex) bool { return x.Index == name })
	switch {
	case i < 0:
		return catalog.LatestIndex{},
			fmt.Errorf("latest items of %s in index %.16q: %w", q.Kind.Name, name, ErrNotIndexed)
	case len(q.Values) != len(q.Kind.LatestBy[i].By) || len(q.SortPrefix) > len(q.Kind.LatestBy[i].Sort):
		return catalog.LatestIndex{},
			fmt.Errorf("the index of latest items of %s has the fields %q and the sort fields %q: %w: "+
				"give one value for each field, and at most one for each sort field",
				q.Kind.Name, q.Kind.LatestBy[i].By, q.Kind.LatestBy[i].Sort, ErrNotIndexed)
	case q.Limit < 0:
		return catalog.LatestIndex{}, fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	return q.Kind.LatestBy[i], nil
}

// cursorBinding returns the parts of the request that its cursors are bound to.
func (q LatestBy) cursorBinding(x catalog.LatestIndex) []string {
	return []string{"latest", q.Kind.Name, x.Index,
		fmt.Sprintf("%q %q %v", q.Values, q.SortPrefix, q.Descending)}
}

// latestReader reads the latest item of one series; nil if there is none.
type latestReader func(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error)

// latestReader returns how the latest items of a kind are read.
func (s *Service) latestReader(kind *catalog.Kind) latestReader {
	if kind.LatestInTransaction() {
		return s.Store.Latest
	}
	return func(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error) {
		return s.derivedLatest(ctx, kind, series, consistent)
	}
}

// derivedLatest returns the later of the newest event and the event of the latest item. The newest event is
// read first, strongly consistent: an event that expires before the read was folded into the item long ago.
func (s *Service) derivedLatest(
	ctx context.Context, kind *catalog.Kind, series model.Series, consistent bool,
) (*model.Latest, error) {
	newest, err := storage.NewestEvent(ctx, s.Store, series)
	if err != nil {
		return nil, err
	}
	stored, err := s.Store.Latest(ctx, series, consistent)
	switch {
	case err != nil:
		return nil, err
	case newest == nil || stored != nil && stored.Ordered && newest.Before(stored.Order):
		return stored, nil
	}
	return newLatest(kind, newest, stored), nil
}

// newLatest returns the latest item with event e and the enrichment that is stored.
func newLatest(kind *catalog.Kind, e *model.Event, stored *model.Latest) *model.Latest {
	l := &model.Latest{
		Series: e.Series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt,
	}
	if stored == nil {
		return l
	}
	enrichment := model.Attrs(lists.Filter(stored.Attrs, func(a model.Attr) bool {
		return kind.IsEnrichment(a.Name)
	}))
	l.Attrs, l.PurgeLocked = enrichment.Union(e.Attrs), stored.PurgeLocked
	if stored.CreatedAt != 0 {
		l.CreatedAt = stored.CreatedAt
	}
	return l
}
