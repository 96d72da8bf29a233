package main

import (
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A read that fails for a reason of the caller must not look like a failed table, which callers retry.
func TestProblems_EachErrorOfAReadHasItsType(t *testing.T) {
	t.Parallel()
	want := map[error]string{
		lifecycle.ErrNoIndex:    "/problems/no-such-list",
		query.ErrRange:          "/problems/inverted-range",
		query.ErrOrder:          "/problems/bad-time",
		query.ErrSeries:         "/problems/bad-series",
		query.ErrNoLatest:       "/problems/no-latest",
		query.ErrNoTier:         "/problems/unknown-tier",
		query.ErrNoDimension:    "/problems/unknown-dimension",
		query.ErrNoMembers:      "/problems/no-members",
		query.ErrNoCounter:      "/problems/no-counter",
		query.ErrTooLarge:       "/problems/response-too-large",
		query.ErrRanking:        "/problems/no-ranking",
		query.ErrOneBucket:      "/problems/one-bucket",
		query.ErrNotIndexed:     "/problems/not-indexed",
		times.ErrZone:           "/problems/bad-zone",
		query.ErrTooMany:        "/problems/too-many-buckets",
		query.ErrTooLong:        "/problems/range-too-long",
		query.ErrTooWide:        "/problems/too-many-series",
		model.ErrCondition:      "/problems/bad-condition",
		query.ErrCursor:         "/problems/forged-cursor",
		query.ErrCursorMismatch: "/problems/foreign-cursor",
		plausible.ErrRequest:    "/problems/bad-query",
		httpapi.ErrResponseSize: "/problems/response-too-large",
		item.ErrNewer:           "/problems/unreadable-item",
		item.ErrDamaged:         "/problems/unreadable-item",
	}
	for err, uri := range want {
		problem := newProblem(fmt.Errorf("read: %w", err))
		if problem.Type != uri || problem.Status < 400 || problem.Title == "" {
			t.Errorf("%v: %+v, want %s", err, problem, uri)
		}
	}
	for _, row := range errorProblems {
		if want[row.err] == "" {
			t.Errorf("%v is in the table, but not in this test", row.err)
		}
	}
}

// Callers tell problems apart by their URI.
func TestProblems_EachTypeHasAURIOfItsOwn(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	for action := range operations {
		for _, p := range findOperation(action).problems(true) {
			if p.Status < 400 || p.Title == "" || titles[p.URI] != "" && titles[p.URI] != p.Title {
				t.Errorf("%s has the problem %+v", action, p)
			}
			titles[p.URI] = p.Title
		}
	}
	if len(titles) < 40 {
		t.Errorf("%d types, want all of the API", len(titles))
	}
}
