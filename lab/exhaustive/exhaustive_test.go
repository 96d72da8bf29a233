package exhaustive

import (
	"fmt"
	"maps"
	"strings"
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

// A process whose requests come in another order when its history is repeated gets the response of another
// request: the search must not go on.
func TestNext_RefusesCodeThatIsNoFunctionOfItsResponses(t *testing.T) {
	runs := 0
	body := func(d *driver) {
		runs++
		first, second := "row 1", "row 2"
		if runs == 2 {
			first, second = second, first
		}
		d.ask(&request{kind: reads, text: first})
		d.ask(&request{kind: reads, text: second})
	}
	defer func() {
		const want = `asks for "row 2" where it asked for "row 1"`
		if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
			t.Errorf("%s: want both requests named", got)
		}
	}()
	p := newProcesses()
	root := p.root("function", body)
	p.next(root)
	p.next(p.step(root, &response{text: "none"}))
}
