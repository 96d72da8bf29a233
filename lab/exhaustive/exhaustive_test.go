package exhaustive

import (
	"maps"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

func TestExhaustive_NoHistoryOfASmallScenarioViolatesTheRule(t *testing.T) {
	if err := exploreAll(t.Output(), "s"); err != nil {
		t.Error(err)
	}
}

func TestExhaustive_RejectsASizeWithoutScenarios(t *testing.T) {
	if err := exploreAll(t.Output(), "xl"); err == nil {
		t.Error("no error, want one that names the sizes")
	}
}

// What a process forgets must not matter: with and without forgetting, a scenario has the
// same contents of the table in its quiet states, but for revisions.
func TestForget_LosesNoContentOfTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"c1", "f1"} {
		sc := scenarioNamed(t, name)
		sc.budget.deletes = 0
		merged := reachedContents(t, sc)
		sc.remembersAll = true
		all := reachedContents(t, sc)
		if !maps.Equal(merged, all) {
			t.Errorf("%s: %d contents of the table, without forgetting %d", name, len(merged), len(all))
		}
		t.Logf("%s: %d contents of the table", name, len(all))
	}
}

// reachedContents returns the contents of the table in the quiet states of a scenario.
func reachedContents(t *testing.T, sc scenario) map[string]bool {
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
