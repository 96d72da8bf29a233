package mutants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// tryAll tries faults, several at once.
func (r *ruleRunner) tryAll(ctx context.Context, chosen []fault, known survivors) *score {
	t := &score{known: known}
	next := make(chan fault)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for f := range next {
				if result := r.try(ctx, f, known[f.name] != ""); ctx.Err() == nil { // interrupted: print what is known
					t.add(f, result)
				}
			}
		})
	}
	for _, f := range chosen {
		if ctx.Err() == nil {
			next <- f
		}
	}
	close(next)
	workers.Wait()
	return t
}

// try runs the tests that reach a fault until one fails: the tests of its own package first, then the
// fastest. A fault that is listed as without effect is tried with its own package only.
func (r *ruleRunner) try(ctx context.Context, f fault, listed bool) result {
	began := time.Now()
	own := func(p part) int {
		if filepath.Dir(f.file()) == p.suite.pkg {
			return 0
		}
		return 1
	}
	var parts []part
	for _, s := range r.suites {
		parts = append(parts, s.reaching(f)...)
	}
	if listed {
		parts = slices.DeleteFunc(parts, func(p part) bool { return own(p) > 0 })
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(tookBy(a.tests), tookBy(b.tests)))
	})
	out := result{reached: len(parts) > 0}
	for _, p := range parts {
		if out.killer, out.err = r.run(ctx, p.suite, p.tests, setting(f, p.tests),
			timeLimit(p.tests)); out.killer != "" || out.err != nil {
			break
		}
	}
	out.took = time.Since(began)
	return out
}

// part are some tests of a suite, to be run by one process.
type part struct {
	suite *suite
	tests []*testCase
}

const (
	// firstTests is how many of the fastest tests run before the others: most faults are found by them.
	firstTests = 8
	// longestTest is how long a test may take that is run against faults: each fault that survives takes
	// all of them, and a few would take most of the time.
	longestTest = 20 * time.Second
)

// reaching returns the tests that reach a fault: the fastest, and the others.
func (s *suite) reaching(f fault) (parts []part) {
	var tests []*testCase
	for _, t := range s.tests {
		if t.Reached[f.id] > 0 && t.Took < longestTest {
			tests = append(tests, t)
		}
	}
	slices.SortFunc(tests, func(a, b *testCase) int { return cmp.Compare(a.Took, b.Took) })
	first := min(firstTests, len(tests))
	for _, some := range [][]*testCase{tests[:first], tests[first:]} {
		if len(some) > 0 {
			parts = append(parts, part{s, some})
		}
	}
	return parts
}

// result is what became of one fault.
type result struct {
	killer  string
	reached bool
	err     error
	took    time.Duration
}

// score counts results.
type score struct {
	known survivors

	mu                               sync.Mutex
	killed, explained, wrong, failed int // guarded by mu, as is the rest
	survived, timeouts               []string
}

func (t *score) add(f fault, r result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	reason, listed := t.known[f.name]
	switch {
	case errors.Is(r.err, errTimeout):
		t.timeouts = append(t.timeouts, f.name)
		fmt.Printf("TIMEOUT    %s (line %d): %v\n", f.name, f.line, r.err)
	case r.err != nil:
		t.failed++
		fmt.Printf("ERROR      %s: %v\n", f.name, r.err)
	case r.killer != "" && listed:
		t.wrong++
		fmt.Printf("LISTED     %s: killed by %s: remove it from %s\n", f.name, r.killer, survivorsFile)
	case r.killer != "":
		t.killed++
	case listed:
		t.explained++
		fmt.Printf("equivalent %s: %s\n", f.name, reason)
	default:
		t.survived = append(t.survived, f.name)
		state := "SURVIVES  "
		if !r.reached {
			state = "UNREACHED "
		}
		fmt.Printf("%s %s (line %d, %s)\n", state, f.name, f.line, r.took.Round(time.Second))
	}
}

// print prints the score. It returns an error where too many faults survive. A fault that ended by a
// timeout was not found.
func (t *score) print(took time.Duration) error {
	tried := t.killed + len(t.survived) + len(t.timeouts)
	part := float64(t.killed) / float64(max(1, tried))
	fmt.Printf("\n%d of %d faults killed, %.1f %%; %d survive, %d timeouts; %d survive as listed (%s)\n",
		t.killed, tried, 100*part, len(t.survived), len(t.timeouts), t.explained, took.Round(time.Second))
	switch {
	case t.failed > 0:
		return fmt.Errorf("%d faults could not be tried", t.failed)
	case t.wrong > 0:
		return fmt.Errorf("%d faults are listed in %s and do not survive", t.wrong, survivorsFile)
	case part < leastKilled:
		return fmt.Errorf("%.1f %% of the faults are found, want %.0f %%: write tests, or list faults "+
			"without effect in %s", 100*part, 100*leastKilled, survivorsFile)
	}
	return nil
}

// survivors are the reasons of faults that no test can find, by name.
type survivors map[string]string

const survivorsFile = "lab/mutants/survivors.txt"

// readSurvivors reads lines with a name, a tab and a reason. Lines with # are comments.
func readSurvivors() (survivors, error) {
	text, err := os.ReadFile(survivorsFile)
	if err != nil {
		return nil, fmt.Errorf("%w: run this from the root of the checkout", err)
	}
	return parseSurvivors(string(text))
}

func parseSurvivors(text string) (survivors, error) {
	all := survivors{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, found := strings.Cut(line, "\t")
		if !found || reason == "" || all[name] != "" {
			return nil, fmt.Errorf("%s: want a name that is not there yet, a tab and a reason: %q", survivorsFile,
				line)
		}
		all[name] = reason
	}
	return all, nil
}

// unknown returns the names that no fault has.
func (s survivors) unknown(faults []fault) (names []string) {
	there := map[string]bool{}
	for _, f := range faults {
		there[f.name] = true
	}
	for name := range s {
		if !there[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
