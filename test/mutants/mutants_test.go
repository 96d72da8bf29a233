package main

import (
	"strings"
	"testing"
	"time"
)

// Running them all takes minutes: `make mutants` does. What must hold at any time is
// that each still is a change of the rule as it stands.
func TestMutants_EachStillAppliesAndCompiles(t *testing.T) {
	b, err := newBench(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer b.remove()
	for _, m := range mutants {
		if err := b.compiles(m); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

func TestMutants_HaveNamesAndSentencesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		for _, text := range []string{m.Name, m.Says} {
			if text == "" || seen[text] {
				t.Errorf("%q stands twice, or is empty", text)
			}
			seen[text] = true
		}
		if strings.ContainsAny(m.Name, " .") || len(m.Tests) == 0 || len(m.Edits) == 0 {
			t.Errorf("%s: want a name to choose it by, an edit, and tests to find it", m.Name)
		}
	}
}

func TestMutated_RefusesATextThatDoesNotStandThereOnce(t *testing.T) {
	b, err := newBench(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer b.remove()
	for _, old := range []string{"no such text", "return"} {
		m := mutant{Edits: []edit{{look, old, ""}}}
		if _, err := m.mutated(b.root); err == nil || !strings.Contains(err.Error(), "want once") {
			t.Errorf("%q: %v, want it refused", old, err)
		}
	}
}

func TestReadResults_NamesTheFirstTestThatFailedAndNoTimeout(t *testing.T) {
	const killed = `{"Action":"run","Test":"TestA"}
{"Action":"fail","Test":"TestA/sub"}
{"Action":"fail","Test":"TestB"}
{"Action":"fail"}`
	if r := readResults([]byte(killed)); r.killer != "TestA" || r.timeout {
		t.Errorf("%+v, want TestA", r)
	}
	const hung = `{"Action":"output","Test":"TestA","Output":"panic: test timed out after 1m0s\n"}
{"Action":"fail","Test":"TestA"}`
	if r := readResults([]byte(hung)); !r.timeout {
		t.Errorf("%+v, want a timeout", r)
	}
	if r := readResults([]byte(`{"Action":"fail","Output":"broken"}`)); r.killer != "" || r.timeout {
		t.Errorf("%+v, want neither", r)
	}
}
