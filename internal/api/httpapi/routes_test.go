package httpapi

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// A group has rollups and rules, and is not purged.
func TestRoutes_OfGroups(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(catalog.Kind{
		Name: "GAUGE", Subject: catalog.SubjectType{Name: "DEVICE"}, Groups: []string{"site"},
	})
	if err != nil {
		t.Fatal(err)
	}
	group, _ := kinds.SubjectType("BY_SITE")
	for _, r := range routeRows() {
		if r.needs != needMembers && r.needs != needRules {
			continue
		}
		has := r.needs.met(routeOwner{kinds: kinds, subject: group})
		if has == (r.needs == needMembers) {
			t.Errorf("%s %s: a group has it: %v", r.method, r.path, has)
		}
	}
}

// Sessions have two of the routes of events.
var actionsOfTwoRows = map[Action]bool{ReadHistory: true, ReadEventByID: true}

func TestRoutes_EachActionHasItsRow(t *testing.T) {
	t.Parallel()
	rows := map[Action]int{}
	for _, r := range routeRows() {
		rows[r.action]++
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^\t\w+ +Action = "([a-z-]+)"`).FindAllStringSubmatch(
			string(source), -1) {
			constants++
			action, want := Action(match[1]), 1
			if actionsOfTwoRows[action] {
				want = 2
			}
			if rows[action] != want {
				t.Errorf("action %s has %d rows in the table of routes, want %d", action, rows[action], want)
			}
			delete(rows, action)
		}
	}
	if constants < 40 || len(rows) > 0 {
		t.Errorf("%d constants; actions without a constant: %v", constants, rows)
	}
}
