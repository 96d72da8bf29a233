package style

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// baseline lists the places that are older than their rule, one line for each rule and key with their
// number. It may only shrink: go test ./test/style -shrink removes what is gone, and adds nothing.
const baseline = "baseline.txt"

var shrink = flag.Bool("shrink", false, "remove from baseline.txt what is no longer there")

// entry is a line of the baseline.
type entry struct{ rule, key string }

func TestForms_NoPlaceIsNew(t *testing.T) {
	files, err := parse("../..")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := readTexts("../..")
	if err != nil {
		t.Fatal(err)
	}
	requireSources(t, files, texts)
	allowed := readBaseline(t)
	found := map[entry][]string{}
	for _, p := range find(files, texts) {
		at := entry{rule: p.rule, key: p.key}
		found[at] = append(found[at], p.at)
	}
	report(t, found, allowed)
	if *shrink {
		writeBaseline(t, found, allowed)
	}
}

// requireSources checks that the rules are applied to each kind of text.
func requireSources(t *testing.T, files []file, texts []text) {
	t.Helper()
	read := map[string]int{".go": len(files)}
	for _, text := range texts {
		for _, end := range []string{".md", ".yaml", ".tsx"} {
			if strings.HasSuffix(text.path, end) {
				read[end]++
			}
		}
	}
	for end, least := range map[string]int{".go": 1000, ".md": 50, ".yaml": 2, ".tsx": 10} {
		if read[end] < least {
			t.Errorf("read %d files %s, want at least %d", read[end], end, least)
		}
	}
}

// report prints the number of places of each rule, and fails on each new one.
func report(t *testing.T, found map[entry][]string, allowed map[entry]int) {
	t.Helper()
	now, before := map[string]int{}, map[string]int{}
	for at, n := range allowed {
		before[at.rule] += n
	}
	for at, places := range found {
		now[at.rule] += len(places)
		if n := allowed[at]; len(places) > n {
			slices.Sort(places)
			t.Errorf("%s: %d places of %q, want at most %d; write it plainly (forms_test.go says how), one of\n  %s",
				at.rule, len(places), at.key, n, strings.Join(places[:min(shown, len(places))], "\n  "))
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(before)) {
		t.Logf("%-14s %6d of at most %d", rule, now[rule], before[rule])
	}
}

func readBaseline(t *testing.T) map[entry]int {
	t.Helper()
	content, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[entry]int{}
	for line := range strings.Lines(string(content)) {
		var at entry
		var n int
		if _, err := fmt.Sscanf(line, "%s %d %q\n", &at.rule, &n, &at.key); err != nil || n < 1 ||
			allowed[at] != 0 {
			t.Fatalf("%s: %q: want a rule, a number and a quoted key, once (%v)", baseline, line, err)
		}
		allowed[at] = n
	}
	return allowed
}

func writeBaseline(t *testing.T, found map[entry][]string, allowed map[entry]int) {
	t.Helper()
	var b strings.Builder
	byName := func(a, b entry) int { return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.key, b.key)) }
	for _, at := range slices.SortedFunc(maps.Keys(allowed), byName) {
		if n := min(allowed[at], len(found[at])); n > 0 {
			fmt.Fprintf(&b, "%s %d %q\n", at.rule, n, at.key)
		}
	}
	if err := os.WriteFile(baseline, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
