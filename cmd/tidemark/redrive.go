package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/repair/streamrange"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

type redriveFlags struct {
	queue, file string
	dryRun      bool
}

func redriveCommand(to *connection) *cobra.Command {
	var flags redriveFlags
	cmd := &cobra.Command{
		Use:  "redrive",
		RunE: func(cmd *cobra.Command, _ []string) error { return redrive(cmd, to, flags) },
	}
	cmd.Flags().StringVar(&flags.queue, "queue", "", "`URL` of the on-failure queue (output OnFailureQueueUrl of the stack)")
	cmd.Flags().StringVar(&flags.file, "file", "", "`path` of an on-failure file")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "process and remove nothing, print what there is to do")
	return cmd
}

func redrive(cmd *cobra.Command, to *connection, flags redriveFlags) (err error) {
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	settings, err := to.Settings()
	if err != nil {
		return err
	}
	if flags.queue != "" && flags.file != "" {
		return usagef("--queue and --file: pass one of them")
	}
	read, err := to.AWS(cmd.Context())
	if err != nil {
		return err
	}
	file := cmp.Or(flags.file, filepath.Join(devDir, "on-failure.ndjson"))
	messages, closeMessages, err := repair.OpenMessages(read, flags.queue, file, to.Endpoint != "", flags.dryRun)
	if err != nil {
		return err
	}
	defer func() {
		if closed := closeMessages(); err == nil {
			err = closed
		}
	}()
	out := cmd.OutOrStdout()
	show, done := showSteps(cmd)
	r := &repair.Redriver{
		Repairer: repair.Repairer{
			Table: table, Catalog: kinds, Now: wallClock, Aggregator: agg, DryRun: flags.dryRun, MaxNotes: printing.MaxDifferences, Progress: show,
		},
		MaxAhead:  settings.Limits.MaxAhead,
		Alerts:    &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader},
		Lifecycle: &lifecycle.Service{Store: table, Profile: kinds.Profile, Now: wallClock, Rand: rand.Reader},
		Messages:  messages, Stream: streamrange.New(read, to.Endpoint, local.LambdaRecord),
		OnMessage: func(m repair.MessageResult) { printing.RedriveMessage(out, m, flags.dryRun) },
	}
	report, err := r.Run(cmd.Context())
	done()
	printing.Redrive(out, report, flags.dryRun, err)
	if err == nil && flags.dryRun && report.Found > 0 {
		return checkFailed
	}
	return err
}

func gapCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use: "gap",
		RunE: func(cmd *cobra.Command, _ []string) error {
			table, err := to.OpenTable(cmd.Context())
			if err != nil {
				return err
			}
			state, err := repair.ReadStreamState(cmd.Context(), table)
			if err != nil {
				return fmt.Errorf("read the stream progress: %w", err)
			}
			now := wallClock()
			printing.StreamState(cmd.OutOrStdout(), state, now)
			if len(state.Unprocessed(now)) > 0 {
				return checkFailed
			}
			return nil
		},
	}
}

// rebuildGap repairs what arrived in a range of time.
func rebuildGap(cmd *cobra.Command, table *dynamo.Table, r *repair.Repairer, text string) error {
	ctx := cmd.Context()
	state, err := repair.ReadStreamState(ctx, table)
	if err != nil {
		return fmt.Errorf("read the gaps: %w", err)
	}
	ranges := state.Unprocessed(wallClock())
	if text != "recorded" {
		gap, err := arguments.Gap(text)
		if err != nil {
			return err
		}
		ranges = []entity.Gap{gap}
	}
	if len(ranges) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no gap is recorded")
		return nil
	}
	changed, err := repairArrivals(cmd, r, ranges)
	switch {
	case err != nil:
		return err
	case r.DryRun && changed > 0:
		return checkFailed
	case r.DryRun:
		return nil
	}
	return state.ForgetGaps(ctx, table, ranges)
}

// repairArrivals repairs what arrived in ranges of time, prints the report, and returns
// how many rows were wrong.
func repairArrivals(cmd *cobra.Command, r *repair.Repairer, ranges []entity.Gap) (changed int, err error) {
	show, done := showSteps(cmd)
	r.Now, r.MaxNotes, r.Progress = wallClock, printing.MaxDifferences, show
	report, err := r.RepairArrivals(cmd.Context(), ranges)
	done()
	if err == nil || report.Items > 0 {
		printing.Arrivals(cmd.OutOrStdout(), report, r.DryRun)
	}
	return report.Changed, err
}
