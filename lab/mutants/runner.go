package mutants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// runner plants mutants and runs tests against them.
type runner struct {
	root  string        // of the module
	dir   string        // for mutated files
	limit time.Duration // for the tests of one package
}

func newRunner(limit time.Duration) (*runner, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	return &runner{root: root, dir: dir, limit: limit}, nil
}

func (r *runner) remove() { os.RemoveAll(r.dir) }

// outcome is the result of the tests against a mutant.
type outcome struct {
	Killer  string // package and name of the failed test; "" where none failed
	Timeout string // the package whose tests did not end in time, which is not a kill
	Took    time.Duration
}

// checkBaseline returns an error unless the tests pass on the unchanged code: otherwise
// they would seem to kill every mutant.
func (r *runner) checkBaseline(ctx context.Context, packages []string) error {
	for _, p := range packages {
		o, err := r.test(ctx, "", p)
		switch {
		case err != nil:
			return err
		case o.Killer != "" || o.Timeout != "":
			return fmt.Errorf("the tests of %s fail on the unchanged code (%s%s): repair that first", p, o.Killer,
				o.Timeout)
		}
	}
	return nil
}

// try plants a mutant and runs its tests, one package after another, until one fails.
func (r *runner) try(ctx context.Context, m mutant) (outcome, error) {
	began := time.Now()
	overlay, err := m.overlay(r.root, r.dir)
	if err != nil {
		return outcome{}, err
	}
	var last outcome
	for _, p := range m.Tests {
		if last, err = r.test(ctx, overlay, p); err != nil || last.Killer != "" {
			break
		}
	}
	last.Took = time.Since(began)
	return last, err
}

// applies returns an error unless each text that m replaces occurs once.
func (r *runner) applies(m mutant) error {
	_, err := m.mutated(r.root)
	return err
}

// compiles returns an error unless the packages that m changes build.
func (r *runner) compiles(m mutant) error {
	overlay, err := m.overlay(r.root, r.dir)
	if err != nil {
		return err
	}
	args := []string{"build", "-overlay", overlay}
	for _, e := range m.Edits {
		if p := "./" + filepath.Dir(e.File); !slices.Contains(args, p) {
			args = append(args, p)
		}
	}
	if strings.Contains(m.Edits[0].File, "functions/") { // a command: do not leave its binary in the tree
		args = slices.Insert(args, 1, "-o", filepath.Join(r.dir, "bootstrap"))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("does not build: %w\n%s", err, out)
	}
	return nil
}

// test runs the tests of one package, or some of them; overlay is "" for the unchanged code.
func (r *runner) test(ctx context.Context, overlay, tests string) (outcome, error) {
	p, pattern, _ := strings.Cut(tests, " ")
	args := []string{"test", "-json", "-count=1", "-short", "-failfast", "-vet=off", "-timeout",
		r.limit.String(), "-run", pattern}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(append(args, "./"+p), testFlags(p)...)...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "TIDEMARK_LONG=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
		return outcome{}, errors.Join(err, ctx.Err())
	}
	parsed := readResults(out)
	switch {
	case parsed.Timeout:
		return outcome{Timeout: p}, nil
	case parsed.Killer != "":
		return outcome{Killer: p + "." + parsed.Killer}, nil
	case err != nil:
		return outcome{}, fmt.Errorf("%s: go test failed, but no test did:\n%s%s", p, parsed.Output,
			stderr.String())
	}
	return outcome{}, nil
}
