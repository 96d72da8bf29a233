package httpapi_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var update = flag.Bool("update", false, "write the table of docs/run/ACCESS.md")

// The page with the table, between these lines.
const (
	accessPage  = "../../../docs/run/ACCESS.md"
	accessBegin = "<!-- table of actions -->\n"
	accessEnd   = "<!-- end -->\n"
)

// everyRoute returns all routes of a catalog in which the service, subject type HALL and kind VISIT have all.
func everyRoute(t *testing.T) []httpapi.Route {
	t.Helper()
	hall := catalog.SubjectType{Name: "HALL"}
	kinds, err := catalog.New(
		catalog.Kind{Name: "VISIT", Subject: hall, Measures: []rollup.MeasureSpec{{Name: "weight"}},
			Dimensions: []rollup.DimensionSpec{{Name: "door"}}, IndexBy: "badge",
			LatestBy: []catalog.LatestIndex{{By: []string{"door"}}}},
		catalog.Kind{Name: "ALARM", Subject: hall})
	if err != nil {
		t.Fatal(err)
	}
	return httpapi.Routes(kinds)
}

// Every route says who may have it. A route of a new action fails here until access.go has its row.
func TestAccess_EveryRouteHasARow(t *testing.T) {
	t.Parallel()
	actions := map[httpapi.Action]bool{}
	for _, r := range everyRoute(t) {
		who := r.Action.Access()
		actions[r.Action] = true
		if !slices.Contains(httpapi.Scopes, who.Scope) || who.Link == "" || who.Owner == "" {
			t.Errorf("%s %s (%s) does not say who may have it: %+v", r.Method, r.Path, r.Action, who)
		}
		named := strings.Contains(r.Path, "{id}") || r.Action == httpapi.Append
		about := strings.HasPrefix(r.Path, "/v1/")
		want := []httpapi.OwnerPart{httpapi.OwnerAll}
		switch {
		case named:
			want = []httpapi.OwnerPart{httpapi.OwnerSubject}
		case about:
			want = []httpapi.OwnerPart{httpapi.OwnerList, httpapi.OwnerNone}
		}
		if !slices.Contains(want, who.Owner) || who.Owner == httpapi.OwnerList && r.Method != http.MethodGet {
			t.Errorf("%s %s: an owner has %q, want one of %q: the path names a subject: %v", r.Method, r.Path,
				who.Owner, want, named)
		}
		if who.Link != httpapi.LinkNever && r.Method != http.MethodGet {
			t.Errorf("%s %s: a link may change something", r.Method, r.Path)
		}
	}
	if len(actions) != 50 {
		t.Errorf("%d actions have a route in this catalog, want all 50", len(actions))
	}
}

// docs/run/ACCESS.md has the row of every action. Tests of functions query, manage and ingest send each of
// its routes as these callers.
func TestAccess_ThePageHasEveryAction(t *testing.T) {
	t.Parallel()
	table := &strings.Builder{}
	fmt.Fprint(table, "| action | route | scope | shared link | caller of an owner |\n|---|---|---|---|---|\n")
	written := map[httpapi.Action]bool{}
	for _, r := range everyRoute(t) {
		if written[r.Action] {
			continue
		}
		written[r.Action] = true
		who := r.Action.Access()
		fmt.Fprintf(table, "| %s | `%s %s` | %s | %s | %s |\n", r.Action, r.Method, r.Path, who.Scope, who.Link,
			who.Owner)
	}
	text, err := os.ReadFile(accessPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), accessBegin)
	was, after, ends := strings.Cut(rest, accessEnd)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", accessPage, accessBegin, accessEnd)
	}
	if *update {
		page := before + accessBegin + table.String() + accessEnd + after
		if err := os.WriteFile(accessPage, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table.String(), was); diff != "" {
		t.Errorf("go test ./internal/api/httpapi -update writes it (-want +got):\n%s", diff)
	}
}
