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
	// with are the other kinds of the subject, where all are asked for together.
	with         []*catalog.Kind
	dimension    string // of a top
	field, value string // of events by value
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
	rollupsRoute = &route{(*Handler).rollups, append([]string{"last"}, pagingParams...)}
	topRoute     = &route{(*Handler).top, []string{"tier", "from", "to", "last", "limit", "stream", "consistent"}}
	byValueRoute = &route{(*Handler).byValue, []string{"from", "to", "order", "limit", "cursor"}}
	profileRoute = &route{(*Handler).profile, []string{"consistent"}}
)

// find reads a path:
//
//	/v1/{subjects}/{id}                            profile
//	/v1/{subjects}/{id}/rollups/{tier}             rollups of all its kinds together
//	/v1/{subjects}/{id}/top/{dimension}            the same for a dimension
//	/v1/{subjects}/{id}/{kinds}                    history
//	/v1/{subjects}/{id}/{kinds}/current            current
//	/v1/{subjects}/{id}/{kinds}/rollups/{tier}     rollups
//	/v1/{subjects}/{id}/{kinds}/top/{dimension}    most frequent values
//	/v1/{kinds}/{field}/{value}                    events by value
//
// and what lifeOf reads of a subject's life.
//
// The path comes decoded, so an id may hold slashes where a kind follows: the path is
// read from both ends, and what is between is the id.
func find(c *catalog.Catalog, path string) (target, error) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) < 2 || parts[0] != "v1" || parts[len(parts)-1] == "" {
		return target{}, noRoute(path)
	}
	if kind, ok := c.ByPath(parts[1]); ok && kind.IndexBy != "" && len(parts) > 3 {
		series := query.Series{Kind: kind}
		return target{series: series, route: byValueRoute, field: parts[2], value: strings.Join(parts[3:], "/")}, nil
	}
	subject, ok := c.SubjectByPath(parts[1])
	if !ok {
		return target{}, noSubjectType(parts[1], c)
	}
	return findOf(c, subject, parts[2:], path)
}

// findOf reads what follows the subject type.
func findOf(c *catalog.Catalog, subject catalog.SubjectType, parts []string, path string) (target, error) {
	kinds := c.KindsOf(subject)
	if t, ok := lifeOf(kinds, parts); ok {
		return t, nil
	}
	if len(parts) == 1 {
		return target{series: query.Series{Kind: kinds[0], Subject: parts[0]}, route: profileRoute}, nil
	}
	t, rest := ending(parts)
	switch {
	case len(rest) == 1 && (t.route == rollupsRoute || t.route == topRoute):
		t.series, t.with = query.Series{Kind: kinds[0], Subject: rest[0]}, kinds[1:]
		return t, nil
	case len(rest) < 2:
		return target{}, noRoute(path)
	}
	id, name := strings.Join(rest[:len(rest)-1], "/"), rest[len(rest)-1]
	kind, ok := c.ByPath(name)
	if !ok || kind.Subject != subject {
		return target{}, noKind(name, subject, c)
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
	case parts[n-2] == "top":
		return target{route: topRoute, dimension: parts[n-1]}, parts[:n-2]
	default:
		return target{route: historyRoute}, parts
	}
}
