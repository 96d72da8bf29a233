package timeseries

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Groups returns the groups of a level that the kind declares, such as site or site/line: subjects with
// rollups alone. Series lists them, Rollups, Chart and Total read them, and SilentMembers counts their silent
// members. They have no events: an append is ErrRejected, and a latest item is ErrNoLatest.
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

// SilentMembers counts the members without an event of the kind in a span by group, as Silent lists them;
// through is when the span ends. A member counts in the group of the latest value of the field that groups
// are by, of a field of profiles in the group of its profile: "" if it has none. unknown are members of
// which no event is stored any more. It is an error unless e is the result of Groups.
func (e *Events[T]) SilentMembers(
	ctx context.Context, span time.Duration,
) (byGroup map[string]int, unknown int, through time.Time, _ error) {
	if e.members == nil {
		return nil, 0, through, fmt.Errorf("kind %s: %w", e.declared.Name, query.ErrNoMembers)
	}
	if _, err := e.kindOfTable(ctx); err != nil {
		return nil, 0, through, err
	}
	q, err := e.members.silentQuery(ctx, span)
	if err != nil {
		return nil, 0, through, err
	}
	q.By = e.declared
	found, err := paging.Collect(e.query.EachSilent(ctx, q))
	if err != nil {
		return nil, 0, through, err
	}
	counts := query.CountSilent(found)
	byGroup = map[string]int{}
	if counts.None > 0 {
		byGroup[""] = counts.None
	}
	for _, g := range counts.Groups {
		byGroup[g.Group] = g.Silent
	}
	return byGroup, counts.Unknown, toTime(q.Through), nil
}
