package mutants

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
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
	pkg     string // from the module's root
	binary  string
	reached map[int]int64 // how often the tests reach each fault, rounded down to a power of two
	took    time.Duration // on the unchanged code
}

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
	dir, err := os.MkdirTemp("", "mutation-")
	if err != nil {
		return nil, err
	}
	r := &ruleRunner{root: root, dir: dir, faults: faults, chosen: choose(faults, o)}
	overlay, err := overlayOf(root, dir, texts)
	if err != nil {
		return r, err
	}
	for _, pkg := range suitesOf(r.chosen, o) {
		if tests, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go")); err != nil || len(tests) == 0 {
			continue // tested by the packages that use it
		}
		s := &suite{pkg: pkg, binary: filepath.Join(dir, fmt.Sprint(len(r.suites), ".test"))}
		if err := r.compile(ctx, overlay, s); err != nil {
			return r, errors.Join(err, os.RemoveAll(dir))
		}
		if err := r.baseline(ctx, s); err != nil {
			return r, errors.Join(err, os.RemoveAll(dir))
		}
		r.suites = append(r.suites, s)
	}
	return r, nil
}

// suitesOf returns the packages whose tests are run.
func suitesOf(chosen []fault, o options) (all []string) {
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

// limit is how long a suite may take with a fault.
func (s *suite) limit() time.Duration { return 20*time.Second + 5*s.took }

// setting switches a fault on. A fault that is met far more often than its place is without the
// fault does not end.
func (s *suite) setting(f fault) []string {
	return []string{"MUTANT=" + strconv.Itoa(f.id), "MUTANT_LIMIT=" + strconv.FormatInt(max(1<<14, 200*s.reached[f.id]), 10)}
}

func (r *ruleRunner) remove() { os.RemoveAll(r.dir) }

func (r *ruleRunner) compile(ctx context.Context, overlay string, s *suite) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary, "./"+s.pkg)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the tests of %s with all faults: %w\n%s", s.pkg, err, out)
	}
	return nil
}

// baseline runs a suite without a fault, and records which faults it reaches and how long it takes.
func (r *ruleRunner) baseline(ctx context.Context, s *suite) error {
	record := s.binary + ".reached"
	began := time.Now()
	killer, err := r.run(ctx, s, []string{"MUTANT_REACHED=" + record}, 10*time.Minute)
	s.took = time.Since(began)
	switch {
	case err != nil:
		return err
	case killer != "":
		return fmt.Errorf("the tests fail on the unchanged code (%s): repair that first", killer)
	}
	s.reached = map[int]int64{}
	file, err := os.Open(record)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var id int
		var times int64
		if _, err := fmt.Sscan(lines.Text(), &id, &times); err != nil {
			return fmt.Errorf("read the faults that %s reaches: %w", s.pkg, err)
		}
		s.reached[id] = max(s.reached[id], times)
	}
	return lines.Err()
}

// errTimeout reports that a suite did not end in time: a fault that does not end, or a busy machine.
var errTimeout = errors.New("timeout")

// run runs the tests of a suite with a setting of the switch. It returns the test that failed, or a
// crash; "" if there is none.
func (r *ruleRunner) run(ctx context.Context, s *suite, setting []string, limit time.Duration) (killer string, err error) {
	within, cancel := context.WithTimeout(ctx, limit+30*time.Second)
	defer cancel()
	args := append([]string{"-test.v=test2json", "-test.short", "-test.failfast", "-test.timeout=" + limit.String()}, testFlags(s.pkg)...)
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
