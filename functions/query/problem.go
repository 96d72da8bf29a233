package main

import (
	"errors"
	"strings"

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

// The problem types of reads.
var (
	problemSubjectType    = httpapi.ProblemType{URI: "/problems/unknown-subject-type", Title: "There is no such subject type", Status: 404}
	problemKind           = httpapi.ProblemType{URI: "/problems/unknown-kind", Title: "There is no such kind of event", Status: 404}
	problemTier           = httpapi.ProblemType{URI: "/problems/unknown-tier", Title: "The kind has no such tier", Status: 404}
	problemNoLatest       = httpapi.ProblemType{URI: "/problems/no-latest", Title: "The kind has no latest items", Status: 404}
	problemNothingYet     = httpapi.ProblemType{URI: "/problems/nothing-yet", Title: "The series has no events yet", Status: 404}
	problemTime           = httpapi.ProblemType{URI: "/problems/bad-time", Title: "A bound of the range is invalid", Status: 400}
	problemZone           = httpapi.ProblemType{URI: "/problems/bad-zone", Title: "The time zone cannot be used", Status: 400}
	problemLimit          = httpapi.ProblemType{URI: "/problems/bad-limit", Title: "The number is out of range", Status: 400}
	problemLast           = httpapi.ProblemType{URI: "/problems/bad-span", Title: "The duration cannot be read", Status: 400}
	problemDimension      = httpapi.ProblemType{URI: "/problems/unknown-dimension", Title: "The field is not a dimension", Status: 404}
	problemIndex          = httpapi.ProblemType{URI: "/problems/not-indexed", Title: "The field is not indexed", Status: 404}
	problemSeverity       = httpapi.ProblemType{URI: "/problems/unknown-severity", Title: "There is no such severity", Status: 400}
	problemList           = httpapi.ProblemType{URI: "/problems/no-such-list", Title: "The list of subjects does not exist", Status: 400}
	problemNoProfile      = httpapi.ProblemType{URI: "/problems/no-profile", Title: "The subject has no profile", Status: 404}
	problemTooManyBuckets = httpapi.ProblemType{URI: "/problems/too-many-buckets", Title: "The range has too many buckets", Status: 422}
	problemOrder          = httpapi.ProblemType{URI: "/problems/bad-order", Title: "The order is neither newest nor oldest", Status: 400}
	problemRange          = httpapi.ProblemType{URI: "/problems/inverted-range", Title: "The range is empty", Status: 400}
	problemSeries         = httpapi.ProblemType{URI: "/problems/bad-series", Title: "The name of the series is invalid", Status: 400}
	problemCursor         = httpapi.ProblemType{URI: "/problems/forged-cursor", Title: "The cursor is not from this service", Status: 400}
	problemForeignCursor  = httpapi.ProblemType{URI: "/problems/foreign-cursor", Title: "The cursor belongs to another request", Status: 400}
	problemRangeTooLong   = httpapi.ProblemType{URI: "/problems/range-too-long", Title: "The range has too many points", Status: 400}
	problemTooManySeries  = httpapi.ProblemType{URI: "/problems/too-many-series", Title: "Too many series are read together", Status: 400}
	problemWhere          = httpapi.ProblemType{URI: "/problems/bad-condition", Title: "The condition is invalid", Status: 400}
	problemStats          = httpapi.ProblemType{URI: "/problems/bad-query", Title: "The query cannot be served", Status: 400}
	problemResponseSize   = httpapi.ProblemType{URI: "/problems/response-too-large", Title: "The response is too large", Status: 422}
	problemUnreadableItem = httpapi.ProblemType{URI: "/problems/unreadable-item", Title: "A stored item cannot be read", Status: 500}
)

// errorProblems are the errors of reads and their problem types.
var errorProblems = []struct {
	err     error
	problem httpapi.ProblemType
}{
	{lifecycle.ErrNoIndex, problemList},
	{query.ErrRange, problemRange},
	{query.ErrOrder, problemTime},
	{query.ErrSeries, problemSeries},
	{query.ErrNoLatest, problemNoLatest},
	{query.ErrNoTier, problemTier},
	{query.ErrNoDimension, problemDimension},
	{query.ErrNotIndexed, problemIndex},
	{localday.ErrZone, problemZone},
	{query.ErrTooMany, problemTooManyBuckets},
	{query.ErrTooLong, problemRangeTooLong},
	{query.ErrTooWide, problemTooManySeries},
	{model.ErrCondition, problemWhere},
	{query.ErrCursor, problemCursor},
	{query.ErrCursorMismatch, problemForeignCursor},
	{stats.ErrRequest, problemStats},
	{httpapi.ErrResponseSize, problemResponseSize},
	{item.ErrNewer, problemUnreadableItem},
	{item.ErrDamaged, problemUnreadableItem},
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
			return f.problem.New("%v", err)
		}
	}
	return httpapi.ProblemUnavailable.New("the table could not be read: retry").With("Retry-After", httpapi.RetryAfter)
}

func unknownRoute(path string) error {
	return httpapi.ProblemNotFound.New("%.200q: want /v1/{subjects}/{id}/{kinds}, the same with /latest, /rollups/{tier} or /top/{dimension}, /v1/{subjects}/{id}, or /v1/{kinds}/{field}/{value}; %s describes all routes", path, httpapi.PathAPI)
}

func unknownSubjectType(path string, c *catalog.Catalog) error {
	known := lists.Map(c.Subjects(), func(s catalog.SubjectType) string { return s.Path })
	return problemSubjectType.New("%.64q: want %s", path, strings.Join(known, ", "))
}

func unknownKind(path string, subject catalog.SubjectType, c *catalog.Catalog) error {
	var known []string
	for _, k := range c.Kinds {
		if k.Subject == subject {
			known = append(known, k.Path)
		}
	}
	return problemKind.New("%.64q: %s have %s", path, subject.Path, strings.Join(known, ", "))
}

func unknownTier(name string, retention tier.Policy) error {
	return problemTier.New("%.64q: want %s", name, strings.Join(lists.Map(retention.Tiers, func(t tier.Tier) string { return t.Unit.String() }), ", "))
}

func methodNotAllowed(method string) error {
	return httpapi.ProblemMethod.New("%.16s: use GET to read; append events with POST /v1/{kinds}", method).With("Allow", "GET")
}
