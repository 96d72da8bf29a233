package main

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// target is what a path asks for.
type target struct {
	series query.Series // without its stream, which is a parameter
	action catalog.Action
	tier   string // of rollups, as it stands in the path
	// with are the other kinds of the subject, where all are asked for together.
	with         []*catalog.Kind
	dimension    string // of a top
	field, value string // of events by value
}

// find reads a path:
//
//	/v1/{subjects}/{id}                            profile
//	/v1/{subjects}/{id}/rollups[/{tier}]           rollups of all its kinds together
//	/v1/{subjects}/{id}/top/{dimension}            the same for a dimension
//	/v1/{subjects}/{id}/{kinds}                    history
//	/v1/{subjects}/{id}/{kinds}/current            current
//	/v1/{subjects}/{id}/{kinds}/count              how many events
//	/v1/{subjects}/{id}/{kinds}/rollups[/{tier}]   rollups, of the tier that suits or of this one
//	/v1/{subjects}/{id}/{kinds}/top/{dimension}    most frequent values
//	/v1/{kinds}/{field}/{value}                    events by value
//
// the paths of the service itself, the lists of subjects, what ofSubject has of a subject,
// and what alertsOfType reads of all of a type.
//
// The path comes decoded, so an id may hold slashes where a kind follows: the path is
// read from both ends, and what is between is the id.
func find(c *catalog.Catalog, path string) (target, error) {
	for _, r := range catalog.ServiceRoutes() {
		if r.Path == path {
			return target{action: r.Action}, nil
		}
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) < 2 || parts[0] != "v1" || parts[len(parts)-1] == "" {
		return target{}, noRoute(path)
	}
	if kind, ok := c.ByPath(parts[1]); ok && kind.IndexBy != "" && len(parts) > 3 {
		series := query.Series{Kind: kind}
		return target{series: series, action: catalog.ReadByValue, field: parts[2], value: strings.Join(parts[3:], "/")}, nil
	}
	if ofType[parts[1]] != "" {
		return alertsOfType(c, parts, path)
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
	switch len(parts) {
	case 0:
		return target{series: query.Series{Kind: kinds[0]}, action: catalog.ListSubjects}, nil
	case 1:
		return target{series: query.Series{Kind: kinds[0], Subject: parts[0]}, action: catalog.ReadProfile}, nil
	}
	for _, f := range ofSubject {
		if n := len(parts) - f.values; n > 1 && parts[n-1] == f.word && (!f.alerting || c.Alerting(subject)) {
			return target{series: query.Series{Kind: kinds[0], Subject: strings.Join(parts[:n-1], "/")}, action: f.action, value: strings.Join(parts[n:], "/")}, nil
		}
	}
	t, rest := ending(parts)
	switch {
	case len(rest) == 1 && together[t.action] != "":
		t.series, t.with, t.action = query.Series{Kind: kinds[0], Subject: rest[0]}, kinds[1:], together[t.action]
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

// ofSubject are what may follow a subject's id and is of no series: a word, and after
// some the value that is asked for.
var ofSubject = []struct {
	word     string
	values   int  // parts of the path after the word
	alerting bool // only where the subjects can have alerts
	action   catalog.Action
}{
	{word: catalog.WordDeleted, action: catalog.ReadDeleted},
	{word: catalog.WordVersions, action: catalog.ReadVersions},
	{word: catalog.WordPurge, action: catalog.CheckPurge},
	{word: catalog.WordVersions, values: 1, action: catalog.ReadVersion},
	{word: catalog.WordAlerts, alerting: true, action: catalog.ListAlerts},
	{word: catalog.WordRules, alerting: true, action: catalog.ListOwnRules},
	{word: catalog.WordAlerts, values: 1, alerting: true, action: catalog.ReadAlert},
}

// together are the actions that may be asked of all kinds of a subject.
var together = map[catalog.Action]catalog.Action{
	catalog.ReadRollups: catalog.ReadAllRollups,
	catalog.ReadChart:   catalog.ReadAllChart,
	catalog.ReadTop:     catalog.ReadAllTop,
}

// ending takes the words off a path that say what is asked of the series.
func ending(parts []string) (target, []string) {
	switch n := len(parts); {
	case parts[n-1] == catalog.WordCurrent:
		return target{action: catalog.ReadCurrent}, parts[:n-1]
	case parts[n-1] == catalog.WordCount:
		return target{action: catalog.ReadCount}, parts[:n-1]
	case parts[n-1] == catalog.WordRollups:
		return target{action: catalog.ReadChart}, parts[:n-1]
	case parts[n-2] == catalog.WordRollups:
		return target{action: catalog.ReadRollups, tier: parts[n-1]}, parts[:n-2]
	case parts[n-2] == catalog.WordTop:
		return target{action: catalog.ReadTop, dimension: parts[n-1]}, parts[:n-2]
	default:
		return target{action: catalog.ReadHistory}, parts
	}
}
