package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample prints one letter for each rule; a fault changes its letter.
const sample = `package sample

func Letters(n int, list []int) (out string) {
	yes, most := true, 3
	if n == 1 {
		out += "a"
	}
	if n < most {
		out += "b"
	} else {
		out += "B"
	}
	if minus(n+most, n) == most {
		out += "c"
	}
	for _, i := range list {
		if i > most && yes {
			continue
		}
		most++
	}
	return out
}

func minus(a, b int) int { return a - b }
`

// findFaults returns the text of a file with its faults.
func findFaults(t *testing.T, source string) (string, []fault) {
	t.Helper()
	p := checked{dir: "sample", fset: token.NewFileSet(),
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	f, err := parser.ParseFile(p.fset, "sample.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := new(types.Config).Check("sample", p.fset, []*ast.File{f}, p.info); err != nil {
		t.Fatal(err)
	}
	var faults []fault
	text := p.plant(f, "sample/sample.go", source, &faults)
	addNames(faults)
	return text, faults
}

func TestPlant_MakesEachFaultByItsRule(t *testing.T) {
	_, faults := findFaults(t, sample)
	var got []string
	for _, f := range faults {
		got = append(got, strings.TrimPrefix(f.name, "sample/sample.go "))
	}
	want := []string{
		"Letters: flip true", "Letters: negate n == 1", `Letters: drop out += "a"`,
		"Letters: negate n < most", `Letters: drop out += "b"`, "Letters: bound n < most", `Letters: drop out += "B"`,
		"Letters: negate minus(n+most, n) == most", `Letters: drop out += "c"`, "Letters: operator n+most",
		"Letters: drop most++", "Letters: negate i > most && yes", "Letters: drop continue",
		"Letters: negate i > most", "Letters: negate yes", "Letters: bound i > most", "minus: operator a - b",
	}
	for _, name := range want {
		if !contains(got, name) {
			t.Errorf("no fault %q in %q", name, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d: %q", len(got), len(want), got)
	}
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// The file with faults compiles, does what it did with all switches off, and something else with
// one of them on.
func TestPlant_AFaultIsOnlyThereIfItsSwitchIsOn(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("skipped: there is no go tool to build the sample with")
	}
	const swapped = `package main

func less(a, b int) bool { return a < b }

func main() {
	one, two := 1, 2
	if less(one, two) {
		println("less")
	}
}
`
	text, faults := findFaults(t, strings.Replace(swapped, "package main", "package sample", 1))
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":  "module " + module + "\n\ngo 1.25\n",
		"main.go": strings.Replace(text, "package sample", "package main", 1), switchFile: switchSource,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), goTool, "build", "-o", "sample", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	for id := -1; id < len(faults); id++ {
		program := exec.CommandContext(t.Context(), filepath.Join(dir, "sample"))
		program.Env = []string{"MUTANT=" + string(rune('0'+max(id, 0)))}
		want := ""
		if id < 0 {
			program.Env, want = nil, "less\n"
		} else if strings.Contains(faults[id].name, "bound") {
			want = "less\n" // 1 < 2 and 1 <= 2
		}
		if out, err := program.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("fault %d: %q, %v; want %q", id, out, err, want)
		}
	}
}

func TestParseSurvivors_WantsOneReasonForEachName(t *testing.T) {
	known, err := parseSurvivors("# comment\n\na.go f: drop x\tlogs only\n")
	if err != nil || known["a.go f: drop x"] != "logs only" || len(known) != 1 {
		t.Errorf("%v, %v", known, err)
	}
	for _, text := range []string{"a.go f: drop x\n", "a\t\n", "a\tb\na\tc\n"} {
		if _, err := parseSurvivors(text); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
	if got := known.unknown([]fault{{name: "b"}}); len(got) != 1 {
		t.Errorf("unknown names: %q, want the list's", got)
	}
}

func TestScore_CountsListedFaultsApart(t *testing.T) {
	s := &score{known: survivors{"same": "does the same"}}
	s.add(fault{name: "same"}, result{reached: true})
	for range 19 {
		s.add(fault{name: "found"}, result{killer: "p.TestX", reached: true})
	}
	s.add(fault{name: "missed"}, result{reached: true})
	if err := s.print(0); err != nil || s.explained != 1 {
		t.Errorf("19 of 20 found, 1 listed: %v, want no error", err)
	}
	s.add(fault{name: "missed too"}, result{})
	if err := s.print(0); err == nil {
		t.Error("19 of 21 found: want an error")
	}
	s = &score{}
	for range 19 {
		s.add(fault{name: "found"}, result{killer: "p.TestX", reached: true})
	}
	for range 2 {
		s.add(fault{name: "endless"}, result{reached: true, err: fmt.Errorf("p: %w", errTimeout)})
	}
	if err := s.print(0); err == nil || len(s.timeouts) != 2 {
		t.Errorf("19 of 21 found, two timeouts: %v, want an error", err)
	}
	s = &score{known: survivors{"same": "does the same"}}
	s.add(fault{name: "same"}, result{killer: "p.TestX", reached: true})
	if err := s.print(0); err == nil {
		t.Error("a listed fault is found: want an error")
	}
}

// Only a value that a caller may read is changed.
func TestFaults_LeaveWhatIsReturnedBesideAnError(t *testing.T) {
	_, faults := findFaults(t, `package sample

var ErrEmpty error

func parse(text string) (bool, error) { return len(text) > 1, nil }

func Whole(text string) (bool, error) {
	if text == "" {
		return false, ErrEmpty
	}
	known, err := parse(text)
	if err != nil {
		return true, err
	}
	return known || true, err
}
`)
	flips := 0
	for _, f := range faults {
		if strings.Contains(f.name, "flip") {
			flips++
		}
	}
	if flips != 1 {
		t.Errorf("%d booleans are changed, want the one beside an error that may be nil: %+v", flips, faults)
	}
}

// A reason must not outlive its fault, nor cover another one that takes its name.
func TestSurvivors_AreFaultsOfTheCode(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	packages, err := check(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	_, faults, err := plantAll(root, packages)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readSurvivors()
	if err != nil {
		t.Fatal(err)
	}
	if unknown := known.unknown(faults); len(unknown) > 0 {
		t.Errorf("%s names faults that do not exist: %q", survivorsFile, unknown)
	}
}

// Of the tests that reach a fault the fastest run first, and those that take too long never.
func TestReaching_RunsTheFastestTestsFirst(t *testing.T) {
	var s suite
	for i := range firstTests + 3 {
		s.tests = append(s.tests,
			&testCase{Name: fmt.Sprint(i), Took: time.Duration(20-i) * time.Second, Reached: map[int]int64{7: 1}})
	}
	s.tests = append(s.tests, &testCase{Name: "elsewhere", Reached: map[int]int64{8: 1}})
	parts := s.reaching(fault{id: 7})
	if len(parts) != 2 || len(parts[0].tests) != firstTests || parts[0].tests[0].Name != "10" ||
		len(parts[1].tests) != 2 {
		t.Errorf("%d parts, want the %d fastest tests from 10 on, and two others", len(parts), firstTests)
	}
	if parts := s.reaching(fault{id: 9}); len(parts) != 0 {
		t.Errorf("%d parts for a fault that no test reaches", len(parts))
	}
}

func TestReadReached_KeepsTheLargestNumberOfEachFault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reached")
	if reached, err := readReached(path); err != nil || len(reached) != 0 {
		t.Errorf("no file: %v, %v", reached, err)
	}
	for text, want := range map[string]int64{"3 1\n3 2\n5 1\n3 1\n": 2, "3\n": 0, "x 1\n": 0} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if reached, err := readReached(path); reached[3] != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v; want fault 3 %d times", text, reached, err, want)
		}
	}
}
