package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// waitInterval is how often the table is read, by two requests.
const waitInterval = 2 * time.Second

const waitHelp = `Wait until rollups are complete through a time

Wait until rollups are complete through a time: every bucket that ended by then is a
stored row, and every change that was stored until then is processed. Run it before you
copy rollups elsewhere. Reads need no wait: they fold open buckets from their events.

Exit status: 0 complete; 1 not complete within --timeout, or changes of a gap or of a
batch that fails may be missing: see "tidemark gap"; 2 wrong usage; 3 the table could not
be read.

Examples:
  tidemark wait --through 2026-11-01T14:00:00Z`

func waitCommand(to *connection) *cobra.Command {
	var through string
	timeout := times.Span(15 * time.Minute)
	cmd := &cobra.Command{Use: "wait --through TIME", Long: waitHelp}
	cmd.Flags().StringVar(&through, "through", "", "the `time` through which rollups must be complete; required")
	cmd.Flags().Var(&timeout, "timeout", "give up after this `duration`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		want, err := arguments.Time("--through", through, model.MinTime)
		switch {
		case err != nil:
			return err
		case through == "" || want > wallClock():
			return usagef("--through: want a time that has passed")
		}
		return waitThrough(cmd, to, want, time.Duration(timeout))
	}
	return cmd
}

func waitThrough(cmd *cobra.Command, to *connection, want model.Time, timeout time.Duration) error {
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	late := query.LateDelay(kinds)
	for began := time.Now(); ; {
		p, err := query.TableProgress(cmd.Context(), table, kinds)
		if err != nil {
			return err
		}
		if p.Reached(want) && late > 0 { // late changes that are processed by now
			want, late = wallClock().Add(late), 0
		}
		switch {
		case p.Reached(want) && len(p.Unprocessed) > 0:
			return no(cmd.ErrOrStderr(), "%s; but %s: see tidemark gap", p.Text(wallClock()),
				strings.Join(p.Warnings(wallClock()), "; "))
		case p.Reached(want):
			_, err := fmt.Fprintln(cmd.OutOrStdout(), p.Text(wallClock()))
			return err
		case time.Since(began) >= timeout:
			return no(cmd.ErrOrStderr(), "not reached: %s; see the metrics ProgressAge and SweepAge",
				p.Text(wallClock()))
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-time.After(waitInterval):
		}
	}
}
