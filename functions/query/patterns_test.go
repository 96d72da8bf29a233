package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var httpRow = regexp.MustCompile("(?m)^\\| HTTP \\| `GET ([^`]+)` \\|$")

// emptyTableProblems are the problems of valid requests on an empty table.
var emptyTableProblems = []string{"/problems/nothing-yet", "/problems/no-profile",
	"/problems/no-such-subject", "/problems/no-purge", "/problems/no-such-alert", "/problems/no-such-event"}

func TestAccessPatterns_TheRequestsOfThePageAreValid(t *testing.T) {
	page, err := os.ReadFile("../../docs/use/ACCESS-PATTERNS.md")
	if err != nil {
		t.Fatal(err)
	}
	h, _ := newHandler(t)
	h.Catalog = shipped(t)
	clock := func() model.Time { return now }
	table := memory.New(clock)
	h.Query.Store = table
	h.Subjects = &lifecycle.Service{Store: table, Profile: h.Catalog.Profile, Now: clock}
	h.Purger = &lifecycle.Purger{Store: table, Now: clock}
	h.Alerts = &alert.Service{Store: table, Catalog: h.Catalog, Now: clock}
	rows := httpRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 20 {
		t.Fatalf("the page has %d requests", len(rows))
	}
	for _, row := range rows {
		response := get(t, h, row[1])
		var problem struct{ Type string }
		if response.Status == 200 {
			continue
		}
		if json.Unmarshal([]byte(response.Body), &problem) != nil ||
			!slices.Contains(emptyTableProblems, problem.Type) {
			t.Errorf("GET %s: %d %s", row[1], response.Status, response.Body)
		}
	}
}
