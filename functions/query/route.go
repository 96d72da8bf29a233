package main

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/query"
)

// target is what a path asks for.
type target struct {
	series query.Series // without its stream, which is a parameter
	route  *route
	tier   string // of rollups, as it stands in the path
}

// route is one way of asking, with the parameters it takes.
type route struct {
	answer func(h *Handler, ctx context.Context, asked target, given params) (any, error)
	params []string
}

var (
	pagingParams = []string{"from", "to", "order", "limit", "cursor", "stream", "consistent"}

	historyRoute = &route{(*Handler).history, pagingParams}
	currentRoute = &route{(*Handler).current, []string{"stream", "consistent"}}
	rollupsRoute = &route{(*Handler).rollups, pagingParams}
)

// find reads a path:
//
//	/v1/{subjects}/{id}/{kinds}                  history
//	/v1/{subjects}/{id}/{kinds}/current          current
//	/v1/{subjects}/{id}/{kinds}/rollups/{tier}   rollups
//
// The path comes decoded, so an id may hold slashes: the path is read from both
// ends, and what is between is the id.
func find(c *catalog.Catalog, path string) (target, error) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) < 4 || parts[0] != "v1" {
		return target{}, noRoute(path)
	}
	subject, ok := c.SubjectByPath(parts[1])
	if !ok {
		return target{}, noSubjectType(parts[1], c)
	}
	t, rest := ending(parts[2:])
	if len(rest) < 2 {
		return target{}, noRoute(path)
	}
	id, kinds := strings.Join(rest[:len(rest)-1], "/"), rest[len(rest)-1]
	kind, ok := c.ByPath(kinds)
	if !ok || kind.Subject != subject {
		return target{}, noKind(kinds, subject, c)
	}
	t.series = query.Series{Kind: kind, Subject: id}
	return t, nil
}

// ending takes the words off a path that say what is asked of the series.
func ending(parts []string) (target, []string) {
	switch n := len(parts); {
	case parts[n-1] == "current":
		return target{route: currentRoute}, parts[:n-1]
	case parts[n-2] == "rollups":
		return target{route: rollupsRoute, tier: parts[n-1]}, parts[:n-2]
	default:
		return target{route: historyRoute}, parts
	}
}
