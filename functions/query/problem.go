package main

import (
	_ "embed"
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/embedded"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/stats"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// readProblems is problems.json: the problem types of reads.
var readProblems = embedded.JSON[[]httpapi.ProblemType](problemsText)

//go:embed problems.json
var problemsText []byte

// errorProblems are the errors of reads and their problem types.
var errorProblems = []struct {
	err  error
	name string // of the problem type
}{
	{lifecycle.ErrNoIndex, "no-such-list"},
	{query.ErrRange, "inverted-range"},
	{query.ErrOrder, "bad-time"},
	{query.ErrSeries, "bad-series"},
	{query.ErrNoLatest, "no-latest"},
	{query.ErrNoTier, "unknown-tier"},
	{query.ErrNoDimension, "unknown-dimension"},
	{query.ErrNotIndexed, "not-indexed"},
	{localday.ErrZone, "bad-zone"},
	{query.ErrTooMany, "too-many-buckets"},
	{query.ErrTooLong, "range-too-long"},
	{query.ErrTooWide, "too-many-series"},
	{model.ErrCondition, "bad-condition"},
	{query.ErrCursor, "forged-cursor"},
	{query.ErrCursorMismatch, "foreign-cursor"},
	{stats.ErrRequest, "bad-query"},
	{httpapi.ErrResponseSize, "response-too-large"},
	{item.ErrNewer, "unreadable-item"},
	{item.ErrDamaged, "unreadable-item"},
}

// problemOf returns the problem that describes err. An error without a problem type is a
// failed request to the table: the caller may retry, and the text is only logged.
func problemOf(err error) *httpapi.Problem {
	var problem *httpapi.Problem
	if errors.As(err, &problem) {
		return problem
	}
	for _, f := range errorProblems {
		if errors.Is(err, f.err) {
			return problemNamed(f.name).New("%v", err)
		}
	}
	return httpapi.ProblemUnavailable.New("the table could not be read: retry").With("Retry-After", httpapi.RetryAfter)
}

func unknownRoute(path string) error {
	return httpapi.ProblemNotFound.New("%.200q: want /v1/{subjects}/{id}/{kinds}, the same with /latest, /rollups/{tier} or /top/{dimension}, /v1/{subjects}/{id}, or /v1/{kinds}/{field}/{value}; %s describes all routes", path, httpapi.PathAPI)
}

func unknownSubjectType(path string, c *catalog.Catalog) error {
	known := lists.Map(c.Subjects(), func(s catalog.SubjectType) string { return s.Path })
	return problemNamed("unknown-subject-type").New("%.64q: want %s", path, strings.Join(known, ", "))
}

func unknownKind(path string, subject catalog.SubjectType, c *catalog.Catalog) error {
	var known []string
	for _, k := range c.Kinds {
		if k.Subject == subject {
			known = append(known, k.Path)
		}
	}
	return problemNamed("unknown-kind").New("%.64q: %s have %s", path, subject.Path, strings.Join(known, ", "))
}

func unknownTier(name string, retention tier.Policy) error {
	return problemNamed("unknown-tier").New("%.64q: want %s", name, strings.Join(lists.Map(retention.Tiers, func(t tier.Tier) string { return t.Unit.String() }), ", "))
}

func methodNotAllowed(method string) error {
	return httpapi.ProblemMethod.New("%.16s: use GET to read; append events with POST /v1/{kinds}", method).With("Allow", "GET")
}
