package timeseries

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// SilentMembers counts the members without an event of the kind in a span by group, as Silent lists them;
// through is when the span ends. A member counts in the group of the latest value of the field that groups
// are by, of a field of profiles in the group of its profile: "" if it has none. unknown are members of
// which no event is stored any more. It is an error unless e is the result of Groups.
func (e *Events[T]) SilentMembers(
	ctx context.Context, span time.Duration,
) (byGroup map[string]int, unknown int, through time.Time, _ error) {
	return e.countMembers(ctx, query.Silent{For: span}, func(c query.SilentCount) int { return c.Silent })
}

// Members counts all members by group, silent or not, as SilentMembers counts the silent ones. It reads the
// list of series and 0.5 read units for each member, or 1 if groups are by profiles, and returns when all are
// read. It is an error unless e is the result of Groups.
func (e *Events[T]) Members(
	ctx context.Context,
) (byGroup map[string]int, unknown int, through time.Time, _ error) {
	return e.countMembers(ctx, query.Silent{Members: true}, func(c query.SilentCount) int { return c.Members })
}

// countMembers counts members by the span of a request, or all of them. number is the count that is returned.
func (e *Events[T]) countMembers(
	ctx context.Context, request query.Silent, number func(query.SilentCount) int,
) (byGroup map[string]int, unknown int, through time.Time, _ error) {
	if e.members == nil {
		return nil, 0, through, fmt.Errorf("kind %s: %w", e.declared.Name, query.ErrNoMembers)
	}
	if _, err := e.kindOfTable(ctx); err != nil {
		return nil, 0, through, err
	}
	q, err := e.members.silentQuery(ctx, request.For)
	if err != nil {
		return nil, 0, through, err
	}
	q.By, q.Members = e.declared, request.Members
	found, err := paging.Collect(e.query.EachSilent(ctx, q))
	if err != nil {
		return nil, 0, through, err
	}
	counts := query.CountSilent(found)
	byGroup = map[string]int{}
	for _, c := range append(counts.Groups, counts.None) {
		if n := number(c); n > 0 {
			byGroup[c.Group] = n
		}
	}
	return byGroup, number(counts.Unknown), toTime(q.Through), nil
}
