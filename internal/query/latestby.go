package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

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

// LatestBy reads one page by one Query of an index, which may lag behind by moments. The
// error is ErrNotIndexed if the kind has no such index, or if
// the number of values does not fit the index.
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
		SubjectType: q.Kind.Subject.Name, Kind: q.Kind.Name, Index: x.Index, Values: q.Values, SortPrefix: q.SortPrefix,
		SortFields: len(x.Sort), Descending: q.Descending, Limit: q.Limit, After: string(after),
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
	name := q.Index
	if name == "" {
		name = catalog.FirstIndex
	}
	i := slices.IndexFunc(q.Kind.LatestBy, func(x catalog.LatestIndex) bool { return x.Index == name })
	switch {
	case i < 0:
		return catalog.LatestIndex{}, fmt.Errorf("latest items of %s in index %.16q: %w", q.Kind.Name, name, ErrNotIndexed)
	case len(q.Values) != len(q.Kind.LatestBy[i].By) || len(q.SortPrefix) > len(q.Kind.LatestBy[i].Sort):
		return catalog.LatestIndex{}, fmt.Errorf("the index of latest items of %s has the fields %q and the sort fields %q: %w: give one value for each field, and at most one for each sort field",
			q.Kind.Name, q.Kind.LatestBy[i].By, q.Kind.LatestBy[i].Sort, ErrNotIndexed)
	case q.Limit < 0:
		return catalog.LatestIndex{}, fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	return q.Kind.LatestBy[i], nil
}

// cursorBinding returns the parts of the request that its cursors are bound to.
func (q LatestBy) cursorBinding(x catalog.LatestIndex) []string {
	return []string{"latest", q.Kind.Name, x.Index, fmt.Sprintf("%q %q %v", q.Values, q.SortPrefix, q.Descending)}
}
