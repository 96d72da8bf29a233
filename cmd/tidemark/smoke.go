package main

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/smoke"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

type smokeFlags struct {
	stack, kind, prefix string
	events              int
	within              time.Duration
	keep                bool
}

func smokeCommand(to *connection) *cobra.Command {
	var flags smokeFlags
	cmd := &cobra.Command{
		Use:  "smoke",
		RunE: func(cmd *cobra.Command, _ []string) error { return runSmoke(cmd, to, flags) },
	}
	cmd.Flags().StringVar(&flags.stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&flags.kind, "kind", "", "`kind` of the events, by name or plural (default: the first that is declared)")
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
	if to.URL == "" {
		return nil, usagef("no HTTP API to send to: no \"tidemark dev\" runs here; start one, or pass --stack or --url")
	}
	kind, err := arguments.Kind(kinds, flags.kind)
	if err != nil {
		return nil, err
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
