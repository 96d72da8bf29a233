package main

import (
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// errorProblems are the errors of reads and their problem types.
var errorProblems = []struct {
	err     error
	problem httpapi.ProblemType
}{
	{err: lifecycle.ErrNoIndex, problem: problemNoSuchList},
	{err: query.ErrRange, problem: problemInvertedRange},
	{err: query.ErrOrder, problem: problemBadTime},
	{err: query.ErrSeries, problem: problemBadSeries},
	{err: query.ErrNoLatest, problem: problemNoLatest},
	{err: query.ErrNoTier, problem: problemUnknownTier},
	{err: query.ErrNoDimension, problem: problemUnknownDimension},
	{err: query.ErrNoMembers, problem: problemNoMembers},
	{err: query.ErrNoCounter, problem: problemNoCounter},
	{err: query.ErrRanking, problem: problemNoRanking},
	{err: query.ErrOneBucket, problem: problemOneBucket},
	{err: query.ErrNotIndexed, problem: problemNotIndexed},
	{err: times.ErrZone, problem: problemBadZone},
	{err: query.ErrTooMany, problem: problemTooManyBuckets},
	{err: query.ErrTooLarge, problem: problemResponseTooLarge},
	{err: query.ErrTooLong, problem: problemRangeTooLong},
	{err: query.ErrTooWide, problem: problemTooManySeries},
	{err: model.ErrCondition, problem: problemBadCondition},
	{err: query.ErrCursor, problem: problemForgedCursor},
	{err: query.ErrCursorMismatch, problem: problemForeignCursor},
	{err: plausible.ErrRequest, problem: problemBadQuery},
	{err: httpapi.ErrResponseSize, problem: problemResponseTooLarge},
	{err: item.ErrNewer, problem: problemUnreadableItem},
	{err: item.ErrDamaged, problem: problemUnreadableItem},
}

// newProblem returns the problem that describes err. An error without a problem type is a
// failed request to the table: the caller may retry, and the text is only logged.
func newProblem(err error) *httpapi.Problem {
	var problem *httpapi.Problem
	if errors.As(err, &problem) {
		return problem
	}
	for _, f := range errorProblems {
		if errors.Is(err, f.err) {
			return f.problem.New("%v", err)
		}
	}
	return httpapi.ProblemUnavailable.New("the table could not be read: retry").With("Retry-After",
		httpapi.RetryAfter)
}

func unknownRoute(path string) error {
	return httpapi.ProblemNotFound.New(
		"%.200q: want /v1/{subjects}/{id}/{kinds}, the same with /latest, /rollups/{tier} or "+
			"/top/{dimension}, /v1/{subjects}/{id}, or /v1/{kinds}/{field}/{value}; "+
			"%s describes all routes", path, httpapi.PathAPI)
}

func unknownSubjectType(path string, c *catalog.Catalog) error {
	known := lists.Map(c.Subjects(), func(s catalog.SubjectType) string { return s.Path })
	return problemUnknownSubjectType.New("%.64q: want %s%s", path, strings.Join(known, ", "),
		names.DidYouMean(path, known))
}

func unknownKind(path string, subject catalog.SubjectType, c *catalog.Catalog) error {
	var known []string
	for _, k := range c.Kinds {
		if k.Subject == subject {
			known = append(known, k.Path)
		}
	}
	return problemUnknownKind.New("%.64q: %s have %s%s", path, subject.Path, strings.Join(known, ", "),
		names.DidYouMean(path, known))
}

func unknownTier(name string, retention tier.Policy) error {
	known := lists.Map(retention.Tiers, func(t tier.Tier) string { return t.Unit.String() })
	return problemUnknownTier.New("%.64q: want %s%s", name, strings.Join(known, ", "),
		names.DidYouMean(name, known))
}

func methodNotAllowed(method string) error {
	return httpapi.ProblemMethod.New("%.16s: use GET to read; append events with POST /v1/{kinds}",
		method).With("Allow", "GET")
}
