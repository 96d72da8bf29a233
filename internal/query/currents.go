package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Currents asks for the currents of a kind, of all subjects and streams, that have
// these values of the fields by which one of its indexes finds them.
type Currents struct {
	Kind      *catalog.Kind
	Index     string   // "" is the first
	By        []string // a value for each field the index finds by
	First     []string // of those, the ones whose first fields of order have these values
	Backwards bool     // from the end of the order
	Limit     int      // 0 is as many as one request returns
	Cursor    string   // Next of the page before; "" starts
}

// CurrentPage is one page of currents, in order of the index.
type CurrentPage struct {
	Currents []model.Current
	Next     string // cursor of the next page; "" at the end
}

// Currents reads one page by one Query of an index, which may be some moments behind.
// The error is ErrNotIndexed where the kind has no such index, or other fields.
func (s *Service) Currents(ctx context.Context, q Currents) (CurrentPage, error) {
	x, err := q.index()
	if err != nil {
		return CurrentPage{}, err
	}
	request := q.request(x)
	after, err := s.Open(q.Cursor, request...)
	if err != nil {
		return CurrentPage{}, err
	}
	page, err := s.Store.Currents(ctx, model.ByFields{
		SubjectType: q.Kind.Subject.Name, Kind: q.Kind.Name, Index: x.Index, By: q.By, First: q.First,
		Order: len(x.Sort), Backwards: q.Backwards, Limit: q.Limit, After: string(after),
	})
	if err != nil {
		return CurrentPage{}, fmt.Errorf("read currents of %s by %q: %w", q.Kind.Name, x.By, err)
	}
	found := CurrentPage{Currents: page.Currents}
	if page.Next != "" {
		found.Next, err = s.Seal([]byte(page.Next), request...)
	}
	return found, err
}

func (q Currents) index() (catalog.CurrentIndex, error) {
	name := q.Index
	if name == "" {
		name = catalog.FirstIndex
	}
	i := slices.IndexFunc(q.Kind.CurrentBy, func(x catalog.CurrentIndex) bool { return x.Index == name })
	switch {
	case i < 0:
		return catalog.CurrentIndex{}, fmt.Errorf("currents of %s in %.16q: %w", q.Kind.Name, name, ErrNotIndexed)
	case len(q.By) != len(q.Kind.CurrentBy[i].By) || len(q.First) > len(q.Kind.CurrentBy[i].Sort):
		return catalog.CurrentIndex{}, fmt.Errorf("currents of %s are found by %q and ordered by %q: %w: give a value for each, of the order for the first ones at most",
			q.Kind.Name, q.Kind.CurrentBy[i].By, q.Kind.CurrentBy[i].Sort, ErrNotIndexed)
	case q.Limit < 0:
		return catalog.CurrentIndex{}, fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	return q.Kind.CurrentBy[i], nil
}

// request is what the cursors of q are bound to.
func (q Currents) request(x catalog.CurrentIndex) []string {
	return []string{"currents", q.Kind.Name, x.Index, fmt.Sprintf("%q %q %v", q.By, q.First, q.Backwards)}
}
