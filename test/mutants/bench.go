package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is where faults are tried.
type bench struct {
	root  string        // of the module
	dir   string        // for copies
	limit time.Duration // for one package
}

func newBench(limit time.Duration) (*bench, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	return &bench{root: filepath.Dir(strings.TrimSpace(string(out))), dir: dir, limit: limit}, nil
}

func (b *bench) remove() { os.RemoveAll(b.dir) }

// verdict is what became of a mutant.
type verdict struct {
	Killer  string // package and test; "" where none failed
	Timeout string // the package whose tests did not end in time: no kill
	Took    time.Duration
}

// sound fails unless the tests pass on the rule as it stands: else they would seem to
// kill anything.
func (b *bench) sound(ctx context.Context, packages []string) error {
	for _, p := range packages {
		v, err := b.test(ctx, "", p)
		switch {
		case err != nil:
			return err
		case v.Killer != "" || v.Timeout != "":
			return fmt.Errorf("%s fails on the rule as it stands (%s%s): mend that first", p, v.Killer, v.Timeout)
		}
	}
	return nil
}

// try plants a mutant and runs its tests, package after package, until one fails.
func (b *bench) try(ctx context.Context, m mutant) (verdict, error) {
	began := time.Now()
	overlay, err := m.overlay(b.root, b.dir)
	if err != nil {
		return verdict{}, err
	}
	var last verdict
	for _, p := range m.Tests {
		if last, err = b.test(ctx, overlay, p); err != nil || last.Killer != "" {
			break
		}
	}
	last.Took = time.Since(began)
	return last, err
}

// compiles fails unless everything that a mutant reaches still builds.
func (b *bench) compiles(m mutant) error {
	overlay, err := m.overlay(b.root, b.dir)
	if err != nil {
		return err
	}
	args := []string{"build", "-overlay", overlay}
	for _, e := range m.Edits {
		if p := "./" + filepath.Dir(e.File); !slices.Contains(args, p) {
			args = append(args, p)
		}
	}
	if strings.Contains(m.Edits[0].File, "functions/") { // a command: leave no binary behind
		args = slices.Insert(args, 1, "-o", filepath.Join(b.dir, "bootstrap"))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("does not build: %w\n%s", err, out)
	}
	return nil
}

// flagsOf are flags of the tests of a package: random ones draw the same each time,
// leave no file of their failure behind, and do not spend time on making it small.
func flagsOf(p string) []string {
	if p == "internal/aggregate" || p == "pkg/rollup" {
		return []string{"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1s"}
	}
	return nil
}

// test runs the tests of one package; overlay is "" for the rule as it stands.
func (b *bench) test(ctx context.Context, overlay, p string) (verdict, error) {
	args := []string{"test", "-json", "-count=1", "-short", "-failfast", "-vet=off", "-timeout", b.limit.String()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(append(args, "./"+p), flagsOf(p)...)...)
	cmd.Dir = b.root
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
		return verdict{}, errors.Join(err, ctx.Err())
	}
	r := readResults(out)
	switch {
	case r.timeout:
		return verdict{Timeout: p}, nil
	case r.killer != "":
		return verdict{Killer: p + "." + r.killer}, nil
	case err != nil:
		return verdict{}, fmt.Errorf("%s: no test failed, and go test did:\n%s%s", p, r.said, complaint.String())
	}
	return verdict{}, nil
}

// results are what go test -json told.
type results struct {
	killer  string // the first test that failed, without its subtests
	timeout bool
	said    string // what is of no test
}

func readResults(out []byte) (r results) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		test, _, _ := strings.Cut(event.Test, "/")
		switch {
		case strings.Contains(event.Output, "panic: test timed out after"):
			r.timeout = true
		case event.Action == "fail" && test != "" && r.killer == "":
			r.killer = test
		case test == "":
			r.said += event.Output
		}
	}
	return r
}
