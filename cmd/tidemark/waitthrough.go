package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// waitInterval is how often the table is read, by two requests.
const waitInterval = 2 * time.Second

func waitCommand(to *connection) *cobra.Command {
	var through string
	timeout := usertime.Span(15 * time.Minute)
	cmd := &cobra.Command{Use: "wait --through TIME"}
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
	late := aggregate.LateDelay(kinds)
	for began := time.Now(); ; {
		through, err := aggregate.CompleteThrough(cmd.Context(), table, kinds)
		if err != nil {
			return err
		}
		if through >= want && late > 0 { // late changes that are processed by now
			want, late = wallClock().Add(late), 0
		}
		if through >= want {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "rollups are complete through %s\n", through)
			return err
		}
		if time.Since(began) >= timeout {
			return no(cmd.ErrOrStderr(), "rollups are complete through %s only; see the metrics ProgressAge and SweepAge", printing.Bound(through))
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-time.After(waitInterval):
		}
	}
}
