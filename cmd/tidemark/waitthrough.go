package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// waitInterval is how often the table is read, by two requests.
const waitInterval = 2 * time.Second

// waitThrough waits until rollups are complete through a time.
func waitThrough(cmd *cobra.Command, to *connection, through string, timeout time.Duration) error {
	want, err := arguments.Time("wait", through, model.MinTime)
	switch {
	case err != nil:
		return err
	case want > wallClock():
		return usagef("--wait %s: want a time that has passed", through)
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	late, waits := query.LateDelay(kinds)
	for began := time.Now(); ; {
		p, err := query.TableProgress(cmd.Context(), table, kinds)
		if err != nil {
			return err
		}
		if p.Reached(want) && waits { // for the late changes that are processed by now
			want, waits = max(want, wallClock().Add(late)), false
		}
		switch {
		case p.Reached(want) && len(p.Unprocessed) > 0:
			return no(cmd.ErrOrStderr(), "%s; but %s: see tidemark status", p.Text(wallClock()),
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
