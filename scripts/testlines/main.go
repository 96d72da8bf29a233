// Command testlines reads the output of `go test -json` and prints a line a
// package: how long it took, how many tests it ran, and each skipped test with its
// reason. What a failing test printed comes out whole. It exits with 1 when
// anything failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// event is one line of test2json output (see `go doc test2json`).
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// suite is what a package has said so far.
type suite struct {
	passed, failed int
	skipped        []string
	output         map[string][]string // by test; "" for the package itself
}

type report struct {
	out                     io.Writer
	suites                  map[string]*suite
	passed, failed, skipped int
	broken                  bool // something failed that is no test: a build, a panic
}

func main() {
	r := &report{out: os.Stdout, suites: map[string]*suite{}}
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testlines:", err)
		os.Exit(1)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if r.failed > 0 || r.broken {
		os.Exit(1)
	}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

func (r *report) take(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}
	s := r.suites[e.Package]
	if s == nil {
		s = &suite{output: map[string][]string{}}
		r.suites[e.Package] = s
	}
	switch {
	case e.Action == "output":
		s.output[e.Test] = append(s.output[e.Test], e.Output)
	case e.Test != "":
		r.endTest(s, e)
	default:
		r.endSuite(s, e)
	}
}

func (r *report) endTest(s *suite, e event) {
	switch e.Action {
	case "pass":
		s.passed++
		r.passed++
	case "skip":
		s.skipped = append(s.skipped, fmt.Sprintf("        skipped %s: %s\n", e.Test, reason(s.output[e.Test])))
		r.skipped++
	case "fail":
		s.failed++
		r.failed++
		fmt.Fprint(r.out, strings.Join(s.output[e.Test], ""))
	default:
		return
	}
	delete(s.output, e.Test)
}

func (r *report) endSuite(s *suite, e event) {
	name := strings.TrimPrefix(e.Package, "github.com/tidemark-db/tidemark/")
	switch e.Action {
	case "pass":
		fmt.Fprintf(r.out, "ok      %-24s %6.1fs  %d tests\n", name, e.Elapsed, s.passed)
	case "fail":
		r.broken = true
		fmt.Fprint(r.out, strings.Join(s.output[""], ""))
		for _, unfinished := range s.output {
			fmt.Fprint(r.out, strings.Join(unfinished, ""))
		}
		fmt.Fprintf(r.out, "FAIL    %-24s %6.1fs  %d tests failed\n", name, e.Elapsed, s.failed)
	default:
		return
	}
	for _, line := range s.skipped {
		fmt.Fprint(r.out, line)
	}
	delete(r.suites, e.Package)
}

// reason is the sentence a skipped test gave.
func reason(output []string) string {
	i := slices.IndexFunc(output, func(line string) bool { return strings.Contains(line, ".go:") })
	if i < 0 {
		return "no reason given"
	}
	_, sentence, _ := strings.Cut(strings.TrimSpace(output[i]), ": ")
	return sentence
}
