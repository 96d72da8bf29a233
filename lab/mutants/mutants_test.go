package mutants

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// make mutants runs the tests against each mutant, which takes minutes. This test only
// checks that each mutant applies to the present code, and in the longer suite that it
// compiles.
func TestMutants_EachAppliesAndCompiles(t *testing.T) {
	r, err := newRunner(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer r.remove()
	for _, m := range mutants {
		check := r.compiles
		if !testenv.Long() {
			check = r.applies
		}
		if err := check(m); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

func TestMutants_HaveUniqueNamesAndTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		for _, text := range []string{m.Name, m.Says} {
			if text == "" || seen[text] {
				t.Errorf("%q is used twice, or empty", text)
			}
			seen[text] = true
		}
		if strings.ContainsAny(m.Name, " .") || len(m.Tests) == 0 || len(m.Edits) == 0 {
			t.Errorf("%s: want a name for -run, an edit, and tests", m.Name)
		}
	}
}

func TestMutated_RejectsATextThatDoesNotOccurOnce(t *testing.T) {
	r, err := newRunner(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer r.remove()
	for _, old := range []string{"no such text", "return"} {
		m := mutant{Edits: []edit{replace(recomputation, old, "")}}
		if _, err := m.mutated(r.root); err == nil || !strings.Contains(err.Error(), "want once") {
			t.Errorf("%q: %v, want an error", old, err)
		}
	}
}
