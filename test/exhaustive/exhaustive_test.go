package exhaustive

import (
	"cmp"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// size is the size of the run: s for the suites, m for make exhaustive-small, l for make
// exhaustive.
var size = cmp.Or(os.Getenv("TIDEMARK_EXHAUSTIVE"), "s")

func TestExhaustive_NoHistoryOfASmallScenarioViolatesTheRule(t *testing.T) {
	const line = "%-62s %12d states %13d transitions %8d quiet %7d tables %8.1f s"
	var sum result
	for _, sc := range scenarios {
		if !strings.Contains(sc.sizes, size) {
			continue
		}
		r, err := explore(sc)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf(line, sc.name, r.states, r.transitions, r.quiet, r.tables, r.took.Seconds())
		if r.err != nil {
			t.Errorf("violated by\n  %s", strings.Join(r.path, "\n  "))
		}
		if r.quiet < 10 || r.states < 300 {
			t.Errorf("%d states, %d of them quiet: too few", r.states, r.quiet)
		}
		sum.add(r)
	}
	t.Logf(line, "all", sum.states, sum.transitions, sum.quiet, sum.tables, sum.took.Seconds())
}

// What a process forgets must not matter: with and without forgetting, a scenario has the
// same contents of the table in its quiet states, but for revisions.
func TestForget_LosesNoContentOfTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"c1", "f1"} {
		sc := scenarioNamed(t, name)
		sc.budget.deletes = 0
		merged := contentsOf(t, sc)
		sc.remembersAll = true
		all := contentsOf(t, sc)
		if !maps.Equal(merged, all) {
			t.Errorf("%s: %d contents of the table, without forgetting %d", name, len(merged), len(all))
		}
		t.Logf("%s: %d contents of the table", name, len(all))
	}
}

// contentsOf returns the contents of the table in the quiet states of a scenario.
func contentsOf(t *testing.T, sc scenario) map[string]bool {
	x, err := newSystem(&sc)
	if err != nil {
		t.Fatal(err)
	}
	if r := x.explore(); r.err != nil {
		t.Fatal(r.err)
	}
	all := map[string]bool{}
	for _, content := range x.tables.known {
		text := ""
		for _, it := range content.items {
			plain := maps.Clone(it)
			delete(plain, tablekeys.AttrRev)
			text += itemText(plain)
		}
		if len(content.right) > 0 {
			all[text] = true
		}
	}
	return all
}
