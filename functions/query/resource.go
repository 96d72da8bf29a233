package main

import (
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// resource is what the path of a request names, and the action on it.
type resource struct {
	series query.Series // without its stream, which is a parameter
	action httpapi.Action
	tier   string // of rollups, as in the path
	// with are the other kinds of the subject, if the action merges all of them.
	with         []*catalog.Kind
	dimension    string // of the most frequent values
	field, value string // of an index query; value is also a version or an alert's id
	event        httpapi.EventPath
}

func (r resource) subject() model.Subject {
	return model.Subject{Type: r.series.Kind.Subject.Name, ID: r.series.Subject}
}

// resourceOf reads a path:
//
//	/v1/{subjects}/{id}                            profile
//	/v1/{subjects}/{id}/rollups[/{tier}]           rollups of all its kinds, merged
//	/v1/{subjects}/{id}/top/{dimension}            most frequent values over all its kinds
//	/v1/{subjects}/{id}[/{kinds}]/rollups/total    summary of any range
//	/v1/{subjects}/{id}/{kinds}                    history
//	/v1/{subjects}/{id}/{kinds}/{time}[/{event}]   one event
//	/v1/{subjects}/{id}/{kinds}/latest             latest item
//	/v1/{subjects}/{id}/{kinds}/count              number of events
//	/v1/{subjects}/{id}/{kinds}/rollups[/{tier}]   rollups of a tier, or of the one that suits the range
//	/v1/{subjects}/{id}/{kinds}/top/{dimension}    most frequent values
//	/v1/{kinds}/{field}/{value}                    index query
//	/v1/{kinds}/latest                             latest items by indexed fields
//
// and the paths of the service, of lists of subjects, of subjectSegments and of
// typeResource.
//
// An id may contain slashes if a kind follows it. The path is therefore read from both
// ends, and the id is the part between.
func resourceOf(c *catalog.Catalog, path string) (resource, error) {
	for _, r := range httpapi.ServiceRoutes() {
		if r.Path == path {
			return resource{action: r.Action}, nil
		}
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) < 2 || parts[0] != "v1" || parts[len(parts)-1] == "" {
		return resource{}, unknownRoute(path)
	}
	if kind, ok := c.ByPath(parts[1]); ok && kind.HasEvents() && kind.IndexBy != "" && len(parts) > 3 {
		series := query.Series{Kind: kind}
		return resource{series: series, action: httpapi.ReadByIndex, field: parts[2], value: strings.Join(parts[3:], "/")}, nil
	}
	if kind, ok := c.ByPath(parts[1]); ok && len(kind.LatestBy) > 0 && len(parts) == 3 && parts[2] == httpapi.WordLatest {
		return resource{series: query.Series{Kind: kind}, action: httpapi.ReadLatestBy}, nil
	}
	if typeActions[parts[1]] != "" {
		return typeResource(c, parts, path)
	}
	subject, ok := c.SubjectByPath(parts[1])
	if !ok {
		return resource{}, unknownSubjectType(parts[1], c)
	}
	return subjectResource(c, subject, parts[2:], path)
}

// typeActions are the actions on all subjects of a type: /v1/alerts/{subjects} and /v1/rules/{subjects}.
var typeActions = map[string]httpapi.Action{httpapi.WordAlerts: httpapi.ListOpenAlerts, httpapi.WordRules: httpapi.ListRules}

// typeResource reads a path of typeActions.
func typeResource(c *catalog.Catalog, parts []string, path string) (resource, error) {
	subject, ok := c.SubjectByPath(parts[len(parts)-1])
	if !ok || len(parts) != 3 || !c.AllowsRules(subject) {
		return resource{}, unknownRoute(path)
	}
	return resource{series: query.Series{Kind: c.KindsOf(subject)[0]}, action: typeActions[parts[1]]}, nil
}

// subjectResource reads the parts of a path after the subject type.
func subjectResource(c *catalog.Catalog, subject catalog.SubjectType, parts []string, path string) (resource, error) {
	kinds := c.KindsOf(subject)
	if len(kinds) == 0 {
		kinds = []*catalog.Kind{{Subject: subject}} // what is read of a subject needs only its type
	}
	switch len(parts) {
	case 0:
		return resource{series: query.Series{Kind: kinds[0]}, action: httpapi.ListSubjects}, nil
	case 1:
		return resource{series: query.Series{Kind: kinds[0], Subject: parts[0]}, action: httpapi.ReadProfile}, nil
	}
	for _, s := range subjectSegments {
		if n := len(parts) - s.values; n > 1 && parts[n-1] == s.word && (!s.rules || c.AllowsRules(subject)) {
			return resource{series: query.Series{Kind: kinds[0], Subject: strings.Join(parts[:n-1], "/")}, action: s.action, value: strings.Join(parts[n:], "/")}, nil
		}
	}
	r, rest := splitAction(parts)
	switch {
	case len(rest) == 1 && mergedActions[r.action] != "" && kinds[0].Name != "":
		kinds = catalog.WithEvents(kinds)
		r.series, r.with, r.action = query.Series{Kind: kinds[0], Subject: rest[0]}, kinds[1:], mergedActions[r.action]
		return r, nil
	case len(rest) < 2:
		return resource{}, unknownRoute(path)
	}
	id, name := strings.Join(rest[:len(rest)-1], "/"), rest[len(rest)-1]
	kind, ok := c.ByPath(name)
	if !ok || kind.Subject != subject {
		if e, found := eventOf(c, subject, parts); found && (e.Kind.HasEvents() || e.Kind.IndexBy != "" && e.ID != "") {
			return resource{series: query.Series{Kind: e.Kind, Subject: e.Subject}, action: e.Action(http.MethodGet), event: e}, nil
		}
		return resource{}, unknownKind(name, subject, c)
	}
	if !kind.HasEvents() && mergedActions[r.action] == "" && (kind.IndexBy == "" || r.action != httpapi.ReadHistory) {
		return resource{}, unknownRoute(path)
	}
	r.series = query.Series{Kind: kind, Subject: id}
	return r, nil
}

// eventOf reads the path of one event. A part after a kind that is not a time is none.
func eventOf(c *catalog.Catalog, subject catalog.SubjectType, parts []string) (httpapi.EventPath, bool) {
	e, ok := httpapi.FindEvent(c, subject, parts)
	if !ok {
		return e, false
	}
	_, problem := e.Key("")
	return e, problem == nil
}

// subjectSegments are the ends of paths that belong to a subject and not to one of its
// series: a word, and after some words a value.
var subjectSegments = []struct {
	word   string
	values int  // parts of the path after the word
	rules  bool // only if the subject type allows rules
	action httpapi.Action
}{
	{word: httpapi.WordSeries, action: httpapi.ReadSeries},
	{word: httpapi.WordDeleted, action: httpapi.ReadDeleted},
	{word: httpapi.WordVersions, action: httpapi.ReadVersions},
	{word: httpapi.WordPurge, action: httpapi.CheckPurge},
	{word: httpapi.WordVersions, values: 1, action: httpapi.ReadVersion},
	{word: httpapi.WordAlerts, rules: true, action: httpapi.ListAlerts},
	{word: httpapi.WordRules, rules: true, action: httpapi.ListOwnRules},
	{word: httpapi.WordAlerts, values: 1, rules: true, action: httpapi.ReadAlert},
}

// mergedActions has, for an action on one kind, the action on all kinds of a subject.
var mergedActions = map[httpapi.Action]httpapi.Action{
	httpapi.ReadRollups: httpapi.ReadAllRollups,
	httpapi.ReadChart:   httpapi.ReadAllChart,
	httpapi.ReadTop:     httpapi.ReadAllTop,
	httpapi.ReadTotal:   httpapi.ReadAllTotal,
}

// splitAction reads the end of a path that names the action on a series, and returns the
// parts before it. At least two parts are required.
func splitAction(parts []string) (resource, []string) {
	switch n := len(parts); {
	case parts[n-1] == httpapi.WordLatest:
		return resource{action: httpapi.ReadLatest}, parts[:n-1]
	case parts[n-1] == httpapi.WordCount:
		return resource{action: httpapi.ReadCount}, parts[:n-1]
	case parts[n-1] == httpapi.WordRollups:
		return resource{action: httpapi.ReadChart}, parts[:n-1]
	case parts[n-2] == httpapi.WordRollups && parts[n-1] == httpapi.WordTotal:
		return resource{action: httpapi.ReadTotal}, parts[:n-2]
	case parts[n-2] == httpapi.WordRollups:
		return resource{action: httpapi.ReadRollups, tier: parts[n-1]}, parts[:n-2]
	case parts[n-2] == httpapi.WordTop:
		return resource{action: httpapi.ReadTop, dimension: parts[n-1]}, parts[:n-2]
	default:
		return resource{action: httpapi.ReadHistory}, parts
	}
}
