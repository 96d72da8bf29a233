// Package bench measures Tidemark and comparable programs in one run, and writes
// docs/PERFORMANCE.md.
package bench

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/testenv"
)

// options say how long to measure.
type options struct {
	rounds int
	each   time.Duration // a contender in a round
	root   string        // of the repository
	cpu    *processorTime
}

// processorTime is the processor time of a unit of work, as measured by the sections
// before, or an earlier measurement if they did not run.
type processorTime struct {
	record time.Duration // to decode a record
	event  time.Duration // to read and fold a child
	look   time.Duration // for the requests and the row of a recomputation
}

var sections = []struct {
	name string
	run  func(options) *section
}{
	{"decode", decoding},
	{"sources", receiving},
	{"fold", folding},
	{"settle", settling},
	{"growth", growth},
	{"memory", footprint},
	{"backlog", draining},
	{"units", counting},
	{"append", appending},
	{"coldstart", starting},
}

// TestMain runs the command if TIDEMARK_COMMAND has its flags.
func TestMain(m *testing.M) { testenv.Main(m, command) }

// command is what make bench runs, from this folder.
func command(args []string) {
	flag := flag.NewFlagSet("bench", flag.ExitOnError)
	o := options{cpu: &processorTime{record: time.Microsecond, event: 2 * time.Microsecond, look: 200 * time.Microsecond}}
	out := flag.String("out", "", "file to write (default standard output)")
	only := flag.String("only", "", "names of sections to run, separated by commas (default all)")
	flag.IntVar(&o.rounds, "rounds", 6, "rounds a section")
	flag.DurationVar(&o.each, "each", 300*time.Millisecond, "time of a contender in a round")
	flag.StringVar(&o.root, "root", "..", "the repository")
	child := flag.Bool("child", false, "process the largest batch and print its peak memory")
	_ = flag.Parse(args) // it exits if it fails
	if *child {
		settleLargest()
		return
	}

	var report strings.Builder
	for _, s := range sections {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), s.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, s.name)
		settle()
		report.WriteString("\n" + s.run(o).String())
	}
	if *out == "" {
		fmt.Print(report.String())
		return
	}
	if err := os.WriteFile(*out, []byte(preface(o)+report.String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
