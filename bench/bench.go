// Package bench measures Tidemark and comparable programs in one run, and writes
// docs/run/PERFORMANCE.md.
package bench

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// options say how long to measure.
type options struct {
	rounds int
	each   time.Duration // a contender in a round
	root   string        // of the repository
	items  int           // that engines hold
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
	{"settle", settling},
	{"decode", decoding},
	{"sources", receiving},
	{"fold", folding},
	{"growth", growth},
	{"memory", footprint},
	{"backlog", draining},
	{"units", counting},
	{"append", appending},
	{"engines", holding},
	{"coldstart", starting},
}

// Command returns the program of make bench. It runs in the root of the checkout, on a quiet machine.
func Command() *cobra.Command {
	o := options{cpu: &processorTime{record: time.Microsecond, event: 2 * time.Microsecond,
		look: 200 * time.Microsecond}}
	var out, serve string
	var only []string
	var child bool
	cmd := &cobra.Command{
		Use: "bench", Args: cobra.NoArgs,
		Short: "Measure Tidemark and comparable programs in one run",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if child {
				settleLargest()
				return nil
			}
			if serve != "" {
				return serveEngine(serve)
			}
			report, err := measureAll(cmd.ErrOrStderr(), o, only)
			if err != nil {
				return err
			}
			if out == "" {
				fmt.Fprint(cmd.OutOrStdout(), report)
				return nil
			}
			return os.WriteFile(out, []byte(preface(o)+report), 0o644)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "`file` to write (default standard output)")
	flags.StringSliceVar(&only, "only", nil, "`names` of sections to run, separated by commas (default all)")
	flags.IntVar(&o.rounds, "rounds", 6, "rounds a section")
	flags.DurationVar(&o.each, "each", 300*time.Millisecond, "time of a contender in a round")
	flags.StringVar(&o.root, "root", ".", "`directory` of the repository")
	flags.BoolVar(&child, childFlag, false, "process the largest batch and print its peak memory")
	flags.StringVar(&serve, serveFlag, "", "serve the engine with tables in this `directory`, or in memory")
	flags.IntVar(&o.items, "items", 1_000_000, "`number` of events that engines hold")
	for _, hidden := range []string{childFlag, serveFlag} {
		_ = flags.MarkHidden(hidden) // the flag exists
	}
	return cmd
}

// measureAll returns the report of the named sections, or of all.
func measureAll(progress io.Writer, o options, only []string) (string, error) {
	var report strings.Builder
	measured := 0
	for _, s := range sections {
		if len(only) > 0 && !slices.Contains(only, s.name) {
			continue
		}
		fmt.Fprintln(progress, s.name)
		settle()
		report.WriteString("\n" + s.run(o).String())
		measured++
	}
	if measured < max(1, len(only)) {
		return "", fmt.Errorf("--only=%s: a section does not exist", strings.Join(only, ","))
	}
	return report.String(), nil
}
