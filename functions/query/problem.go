package main

import (
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The problem types of reading, each mistake its own.
var (
	problemSubjectType = envelope.ProblemType{URI: "/problems/unknown-subject-type", Title: "There is no such subject type", Status: 404}
	problemKind        = envelope.ProblemType{URI: "/problems/unknown-kind", Title: "There is no such kind of event", Status: 404}
	problemTier        = envelope.ProblemType{URI: "/problems/unknown-tier", Title: "The kind has no such tier", Status: 404}
	problemNoCurrent   = envelope.ProblemType{URI: "/problems/no-current", Title: "The kind keeps no current", Status: 404}
	problemNothingYet  = envelope.ProblemType{URI: "/problems/nothing-yet", Title: "Nothing was appended to the series yet", Status: 404}
	problemTime        = envelope.ProblemType{URI: "/problems/bad-time", Title: "A bound of the range is no time", Status: 400}
	problemLimit       = envelope.ProblemType{URI: "/problems/bad-limit", Title: "The limit cannot be met", Status: 400}
	problemLast        = envelope.ProblemType{URI: "/problems/bad-span", Title: "The span before now cannot be read", Status: 400}
	problemDimension   = envelope.ProblemType{URI: "/problems/unknown-dimension", Title: "The field is not counted by value", Status: 404}
	problemIndex       = envelope.ProblemType{URI: "/problems/not-indexed", Title: "Events are not found by this field", Status: 404}
	problemSeverity    = envelope.ProblemType{URI: "/problems/unknown-severity", Title: "There is no such severity", Status: 400}
	problemList        = envelope.ProblemType{URI: "/problems/no-such-list", Title: "There is no such list of subjects", Status: 400}
	problemNoProfile   = envelope.ProblemType{URI: "/problems/no-profile", Title: "The subject has no profile", Status: 404}
	problemTooMany     = envelope.ProblemType{URI: "/problems/too-many-buckets", Title: "The range holds too many buckets", Status: 422}
	problemOrder       = envelope.ProblemType{URI: "/problems/bad-order", Title: "The order is neither newest nor oldest", Status: 400}
	problemRange       = envelope.ProblemType{URI: "/problems/inverted-range", Title: "The range holds no instant", Status: 400}
	problemSeries      = envelope.ProblemType{URI: "/problems/bad-series", Title: "No series can have this name", Status: 400}
	problemCursor      = envelope.ProblemType{URI: "/problems/forged-cursor", Title: "The cursor was not made here", Status: 400}
	problemForeign     = envelope.ProblemType{URI: "/problems/foreign-cursor", Title: "The cursor belongs to another request", Status: 400}
	problemLong        = envelope.ProblemType{URI: "/problems/range-too-long", Title: "The range holds too many points", Status: 400}
	problemWide        = envelope.ProblemType{URI: "/problems/too-many-series", Title: "Too many series are read together", Status: 400}
	problemWhere       = envelope.ProblemType{URI: "/problems/bad-condition", Title: "The condition means nothing", Status: 400}
	problemAnswer      = envelope.ProblemType{URI: "/problems/answer-too-large", Title: "The answer is too large", Status: 422}
	problemStored      = envelope.ProblemType{URI: "/problems/unreadable-item", Title: "A stored item cannot be read", Status: 500}
)

// failures are the errors of reading and the problems they are told as.
var failures = []struct {
	err     error
	problem envelope.ProblemType
}{
	{lifecycle.ErrNoIndex, problemList},
	{query.ErrRange, problemRange},
	{query.ErrSeries, problemSeries},
	{query.ErrNoCurrent, problemNoCurrent},
	{query.ErrNoTier, problemTier},
	{query.ErrNoDimension, problemDimension},
	{query.ErrNotIndexed, problemIndex},
	{query.ErrTooMany, problemTooMany},
	{query.ErrTooLong, problemLong},
	{query.ErrTooWide, problemWide},
	{model.ErrCondition, problemWhere},
	{query.ErrCursor, problemCursor},
	{query.ErrForeignCursor, problemForeign},
	{envelope.ErrAnswerSize, problemAnswer},
	{item.ErrNewer, problemStored},
	{item.ErrDamaged, problemStored},
}

// problemOf is what the caller is told of err. What has no problem of its own is the
// table that did not answer: it may pass, and its words are for the log.
func problemOf(err error) *envelope.Problem {
	var told *envelope.Problem
	if errors.As(err, &told) {
		return told
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			return f.problem.New("%v", err)
		}
	}
	return envelope.ProblemUnavailable.New("the table could not be read; ask again").With("Retry-After", envelope.RetryAfter)
}

func noRoute(path string) error {
	return envelope.ProblemNotFound.New("%.200q: want /v1/{subjects}/{id}/{kinds}, the same with /current, /rollups/{tier} or /top/{dimension}, /v1/{subjects}/{id}, or /v1/{kinds}/{field}/{value}; %s tells all", path, catalog.PathAPI)
}

func noSubjectType(path string, c *catalog.Catalog) error {
	var known []string
	for _, s := range c.Subjects() {
		known = append(known, s.Path)
	}
	return problemSubjectType.New("%.64q: want %s", path, strings.Join(known, ", "))
}

func noKind(path string, subject catalog.SubjectType, c *catalog.Catalog) error {
	var known []string
	for _, k := range c.Kinds {
		if k.Subject == subject {
			known = append(known, k.Path)
		}
	}
	return problemKind.New("%.64q: %s have %s", path, subject.Path, strings.Join(known, ", "))
}

func noTier(name string, ladder tier.Ladder) error {
	var known []string
	for _, t := range ladder.Tiers {
		known = append(known, t.Unit.String())
	}
	return problemTier.New("%.64q: want %s", name, strings.Join(known, ", "))
}

func notAllowed(method string) error {
	return envelope.ProblemMethod.New("%.16s: what is stored is read by GET; events are sent to POST /v1/{kinds}", method).With("Allow", "GET")
}
