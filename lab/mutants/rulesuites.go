package mutants

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/lab/overlay"
)

// ruleRunner has the tests of all suites, compiled with all faults.
type ruleRunner struct {
	root, dir string
	suites    []*suite
	faults    []fault
	chosen    []fault
}

// suite is the compiled tests of one package.
type suite struct {
	pkg    string // from the module's root
	binary string
	tests  []*testCase
}

// testCase is one test of a suite.
type testCase struct {
	Name    string
	Reached map[int]int64 // how often the test reaches each fault, rounded down to a power of two
	Took    time.Duration // alone, on the unchanged code
}

// resultsDir has the compiled tests, and what each test reaches: a further run of the same code uses them.
// Its name begins so that go leaves its files out of ./... .
const resultsDir = "build/_mutation"

// prepare compiles the tests and runs each suite once without a fault. It chooses the faults to try.
func prepare(ctx context.Context, o options) (*ruleRunner, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	packages, err := check(ctx, root)
	if err != nil {
		return nil, err
	}
	texts, faults, err := plantAll(root, packages)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(faults, o)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, resultsDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	r := &ruleRunner{root: root, dir: dir, faults: faults, chosen: chosen}
	replaced, err := overlay.Write(root, dir, texts)
	if err != nil {
		return r, err
	}
	for _, pkg := range chosenSuites(r.chosen, o) {
		if tests, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go")); err != nil || len(tests) == 0 {
			continue // tested by the packages that use it
		}
		s := &suite{pkg: pkg, binary: filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test")}
		if err := r.compile(ctx, replaced, s); err != nil {
			return r, err
		}
		if err := r.baseline(ctx, s); err != nil {
			return r, err
		}
		r.suites = append(r.suites, s)
		fmt.Printf("%s: %d tests, together %s\n", s.pkg, len(s.tests), tookBy(s.tests).Round(time.Second))
	}
	return r, nil
}

// chosenSuites returns the packages whose tests are run.
func chosenSuites(chosen []fault, o options) (all []string) {
	if !o.own {
		return append(targets[:len(targets):len(targets)], furtherSuites...)
	}
	for _, t := range targets {
		if slices.ContainsFunc(chosen, func(f fault) bool { return filepath.Dir(f.file()) == t }) {
			all = append(all, t)
		}
	}
	return all
}

// timeLimit returns how long tests may take with a fault.
func timeLimit(tests []*testCase) time.Duration { return 20*time.Second + 5*tookBy(tests) }

func tookBy(tests []*testCase) (sum time.Duration) {
	for _, t := range tests {
		sum += t.Took
	}
	return sum
}

// setting switches a fault on. A fault that is met far more often than its place is without the
// fault does not end.
func setting(f fault, tests []*testCase) []string {
	var times int64
	for _, t := range tests {
		times += t.Reached[f.id]
	}
	return []string{"MUTANT=" + strconv.Itoa(f.id),
		"MUTANT_LIMIT=" + strconv.FormatInt(max(1<<14, 200*times), 10)}
}

func (r *ruleRunner) compile(ctx context.Context, overlay string, s *suite) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary,
		"./"+s.pkg)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the tests of %s with all faults: %w\n%s", s.pkg, err, out)
	}
	return nil
}

// baseline runs each test of a suite alone and without a fault, several at once, and records which
// faults it reaches and how long it takes, unless it has for the same binary.
func (r *ruleRunner) baseline(ctx context.Context, s *suite) error {
	binary, err := os.ReadFile(s.binary)
	if err != nil {
		return err
	}
	record := fmt.Sprintf("%s.%x.json", s.binary, sha256.Sum256(binary))
	if text, err := os.ReadFile(record); err == nil && json.Unmarshal(text, &s.tests) == nil {
		return nil
	}
	if err := r.runEach(ctx, s); err != nil {
		return err
	}
	text, err := json.Marshal(s.tests)
	if err != nil {
		return err
	}
	return os.WriteFile(record, text, 0o644)
}

func (r *ruleRunner) runEach(ctx context.Context, s *suite) error {
	list := exec.CommandContext(ctx, s.binary, "-test.list", "^(Test|Example|Fuzz)")
	list.Dir = filepath.Join(r.root, s.pkg)
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the tests of %s: %w", s.pkg, err)
	}
	tests, ctx := errgroup.WithContext(ctx)
	tests.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range strings.Fields(string(names)) {
		t := &testCase{Name: name}
		s.tests = append(s.tests, t)
		tests.Go(func() error { return r.measureBaseline(ctx, s, t) })
	}
	return tests.Wait()
}

func (r *ruleRunner) measureBaseline(ctx context.Context, s *suite, t *testCase) error {
	record := s.binary + "." + t.Name
	defer os.Remove(record)
	began := time.Now()
	killer, err := r.run(ctx, s, []*testCase{t}, []string{"MUTANT_REACHED=" + record}, 10*time.Minute)
	t.Took = time.Since(began)
	switch {
	case err != nil:
		return err
	case killer != "":
		return fmt.Errorf("the tests fail on the unchanged code (%s): repair that first", killer)
	}
	if t.Reached, err = readReached(record); err != nil {
		return fmt.Errorf("read the faults that %s of %s reaches: %w", t.Name, s.pkg, err)
	}
	return nil
}

// readReached reads what the switch recorded: for each fault the largest number of times.
func readReached(record string) (map[int]int64, error) {
	reached := map[int]int64{}
	text, err := os.ReadFile(record)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var id int
		var times int64
		if _, err := fmt.Sscan(line, &id, &times); err != nil {
			return nil, err
		}
		reached[id] = max(reached[id], times)
	}
	return reached, nil
}

// errTimeout reports that a suite did not end in time: a fault that does not end, or a busy machine.
var errTimeout = errors.New("timeout")

// run runs tests of a suite with a setting of the switch. It returns the test that failed, or a
// crash; "" if there is none.
func (r *ruleRunner) run(ctx context.Context, s *suite, tests []*testCase, setting []string,
	limit time.Duration) (killer string, err error) {
	within, cancel := context.WithTimeout(ctx, limit+30*time.Second)
	defer cancel()
	var names []string
	for _, t := range tests {
		names = append(names, t.Name)
	}
	args := append([]string{"-test.run=^(" + strings.Join(names, "|") + ")$", "-test.v=test2json", "-test.short",
		"-test.failfast", "-test.timeout=" + limit.String()}, testFlags(s.pkg)...)
	cmd := exec.CommandContext(within, s.binary, args...)
	cmd.Dir = filepath.Join(r.root, s.pkg)
	cmd.Env = append(os.Environ(), "TIDEMARK_LONG=", "TIDEMARK_REQUIRE=java")
	cmd.Env = append(cmd.Env, setting...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		return "", fmt.Errorf("run the tests of %s: %w", s.pkg, err)
	}
	events := exec.CommandContext(ctx, "go", "tool", "test2json")
	events.Stdin = bytes.NewReader(out)
	lines, failure := events.Output()
	if failure != nil {
		return "", fmt.Errorf("read the results of %s: %w", s.pkg, failure)
	}
	parsed := readResults(lines)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case parsed.Timeout, within.Err() != nil:
		return "", fmt.Errorf("%s: %w", s.pkg, errTimeout)
	case parsed.Killer != "":
		return s.pkg + "." + parsed.Killer, nil
	case err != nil:
		return s.pkg + ": crash", nil
	}
	return "", nil
}
