package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/smoke"
)

type smokeFlags struct {
	stack, kind, prefix string
	events              int
	within              time.Duration
	keep                bool
}

const smokeHelp = `Check a deployment from end to end, with test events

Check a deployment from end to end. Run it after each deployment.

It sends 200 events of two made-up subjects through the HTTP API, some late and some
twice, waits for the rollups and compares every bucket of every tier with its own sums.
Then it deletes the events and waits until the rollups are empty again. The ids of the
subjects are new in each run, so that your data is not touched. What remains is empty
rows, which expire within a day.

It needs the HTTP API and the table of one deployment: of --stack in AWS, or of
--url and --table, or of the "tidemark dev" that runs here. Requests to AWS are signed
with your AWS credentials, or carry the token in TIDEMARK_TOKEN. If the token binds its
caller to an owner, name the owner with --prefix, for example --prefix acme:

Exit status: 0 every bucket is correct; 1 one is wrong, or not complete in time; 2 wrong
usage; 3 failed.

Examples:
  tidemark smoke
  tidemark smoke --stack tidemark-prod
  tidemark dev -- tidemark smoke`

func smokeCommand(to *connection) *cobra.Command {
	var flags smokeFlags
	cmd := &cobra.Command{
		Use:  "smoke",
		Long: smokeHelp,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSmoke(cmd, to, flags) },
	}
	cmd.Flags().StringVar(&flags.stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&flags.kind, "kind", "",
		"`kind` of the events, by name or plural (default: the first that is declared)")
	cmd.Flags().StringVar(&flags.prefix, "prefix", "", "`text` with which the ids of the subjects begin")
	cmd.Flags().IntVar(&flags.events, "events", 200, "how many `events` to send, 1 to 10000")
	cmd.Flags().DurationVar(&flags.within, "within", 2*time.Minute, "the `duration` that the rollups may take")
	cmd.Flags().BoolVar(&flags.keep, "keep", false, "do not delete the events")
	return cmd
}

func runSmoke(cmd *cobra.Command, to *connection, flags smokeFlags) error {
	run, err := openSmoke(cmd, to, flags)
	if err != nil {
		return err
	}
	progress := terminal.NewProgress(cmd.ErrOrStderr(), "smoke", "obs", run.Plan.Sends())
	run.Progress = progress.Add
	ok, err := run.Send(cmd.Context())
	progress.Done()
	if !flags.keep {
		// Delete what was sent in any case, even after Ctrl-C.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), run.Within+time.Minute)
		defer cancel()
		removed, failure := run.Remove(ctx)
		if ok = ok && removed; err == nil {
			err = failure
		}
	}
	if err == nil && !ok {
		return checkFailed
	}
	return err
}

func openSmoke(cmd *cobra.Command, to *connection, flags smokeFlags) (*smoke.Run, error) {
	ctx := cmd.Context()
	if flags.events < 1 || flags.events > 10000 {
		return nil, usagef("--events %d: want 1 to 10000", flags.events)
	}
	if err := to.UseStack(ctx, flags.stack); err != nil {
		return nil, err
	}
	table, kinds, err := to.OpenTableKinds(ctx)
	if err != nil {
		return nil, err
	}
	if err := to.NeedURL(); err != nil {
		return nil, err
	}
	kind, err := names.Kind(kinds, flags.kind)
	if err != nil {
		return nil, fmt.Errorf("--kind: %w", err)
	}
	mark, err := ids.Event(wallClock(), "", rand.Reader)
	if err != nil {
		return nil, err
	}
	plan, err := smoke.NewPlan(kind, flags.prefix, strings.ToLower(mark), flags.events, wallClock())
	if err != nil {
		return nil, err
	}
	client, err := to.HTTPClient(ctx)
	return &smoke.Run{
		Plan: plan, URL: strings.TrimSuffix(to.URL, "/"), Client: client, Table: table,
		Within: flags.within, Out: cmd.OutOrStdout(), Now: wallClock,
	}, err
}
