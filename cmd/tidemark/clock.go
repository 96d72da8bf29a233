package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

const clockHelp = `Show or move the clock of the dev that runs here

Move the clock of the table, the functions and the HTTP API of a "tidemark dev" forward, to
see what happens when time passes: hours close, the sweep writes their rows, TTL removes
what has expired, alerts resolve. The schedules run on the way, every ten hours and every
five minutes of the last twenty, which takes about a second each time. The command prints
the time then, and without a duration the time now. It is refused where no dev runs: the
clock of a deployment cannot be moved.

"tidemark dev --clock TIME" sets the clock at the start. It never goes back.

Examples:
  tidemark clock
  tidemark clock +2d
  tidemark clock +90m`

func clockCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:  "clock [+DURATION]",
		Long: clockHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			var move any
			if len(args) > 0 {
				text, forward := strings.CutPrefix(args[0], "+")
				by, err := times.ParseSpan(text)
				if err != nil || !forward {
					return usagef("%q: want a duration after a plus, such as +2d or +90m: the clock moves forward",
						args[0])
				}
				move = stack.ClockMove{By: by.String()}
			}
			at, err := control[stack.ClockTime](cmd, to, stack.PathClock, move, "the clock of a deployment "+
				"cannot be moved. Start one with: tidemark dev --clock 2026-03-29T00:30Z")
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), at.Now)
			}
			return err
		},
	}
}

// setClock returns the clock of a new dev. Without --clock it begins as the machine's.
func setClock(flags devFlags) (clock.Clock, error) {
	path, err := filepath.Abs(filepath.Join(flags.dir, "clock"))
	if err != nil {
		return clock.Clock{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return clock.Clock{}, err
	}
	c := clock.At(path)
	if flags.clock == "" {
		return c, c.Reset()
	}
	at, err := times.Parse(flags.clock)
	if err != nil {
		return c, usagef("--clock: %w", err)
	}
	if err := c.Set(at.Time()); err != nil {
		return c, usagef("--clock: %w", err)
	}
	return c, nil
}
