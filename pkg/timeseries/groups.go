package timeseries

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Groups returns the groups of a level that the kind declares, such as site or site/line: subjects with
// rollups alone. Series lists them, Rollups, Chart and Total read them, Members counts their members, and
// SilentMembers the silent ones. They have no events: an append is ErrRejected, and a latest item is
// ErrNoLatest.
func (e *Events[T]) Groups(level string) (*Events[T], error) {
	kinds := e.declared.GroupKinds()
	i := slices.IndexFunc(kinds, func(g *catalog.Kind) bool { return g.GroupLevel() == level })
	if i < 0 {
		return nil, fmt.Errorf("kind %s has no groups by %q, only by %q: declare the level in Kind.Groups",
			e.declared.Name, level, lists.Map(kinds, (*catalog.Kind).GroupLevel))
	}
	g := &Events[T]{
		declared: kinds[i], sources: e.sources, members: e, store: e.store, unmanaged: e.unmanaged,
		layout: e.layout, ingest: e.ingest, editor: e.editor, patience: e.patience,
	}
	var err error
	g.query, err = g.newQuery(e.query.CursorKey)
	return g, err
}
