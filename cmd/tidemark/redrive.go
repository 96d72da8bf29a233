package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/streamrange"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

type redriveFlags struct {
	queue, file string
	dryRun      bool
}

const redriveHelp = `Process the batches that the functions failed to process

Process the batches of the table stream that the functions failed to process. Run it when
the on-failure queue has messages. Each message names a range of the table stream, which
is read again and processed as aggregate and purge would. A message is removed when its
range is processed, and stays otherwise. It is safe at any time, repeatedly, and during live
traffic.

A table stream keeps changes for 24 hours. A range that is gone is repaired by its time
of arrival: the table is scanned, and every bucket is recomputed that has an event which
arrived at that time, or whose digest is wrong ("tidemark rebuild --gap"). This does not
find an event that was deleted or corrected if its row is sealed or an alert depends on
it, nor a tombstone that expired: its versions and unique values stay until its subject
is created again or purged.

Do it before the raw events of the range expire; the command prints the date. After that
date every row up to the end of the range is marked exact: false, because a lost event
may have been late.

Without --queue or --file it reads the on-failure file of a "tidemark dev" in this
directory.

Exit status: 0 all processed, or nothing to do; 1 a dry run found something to do; 2 wrong
usage; 3 failed: the messages that are left stay.

Examples:
  tidemark redrive --queue https://sqs.eu-west-1.amazonaws.com/123456789012/OnFailureQueue
  tidemark redrive --dry-run
  tidemark redrive --file .tidemark/on-failure.ndjson`

func redriveCommand(to *connection) *cobra.Command {
	var flags redriveFlags
	cmd := &cobra.Command{
		Use:  "redrive",
		Long: redriveHelp,
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
		Messages:  messages, Stream: streamrange.New(read, to.Endpoint, stack.LambdaRecord),
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

const gapHelp = `List ranges of the table stream that were not processed in time

Print how far the table stream is processed, and list its gaps and the batches that fail.
A gap is a range of time whose changes may be lost, because the stream keeps a change for 24 hours and nothing was processed for
nearly that long (17 hours with the shipped mapping.maxAge). Run it when the StreamGaps alarm
fires. Changes of a gap may be missing in the rollups. "tidemark rebuild --gap recorded"
checks that, repairs what is wrong and removes the gaps; with --dry-run it only checks.

It reads one partition: one read unit.

A batch that fails is repeated until Lambda gives it up; then run "tidemark redrive".

Exit status: 0 neither; 1 there are gaps or failing batches, or nothing was processed for 23 hours; 2 wrong
usage; 3 failed.

Examples:
  tidemark gap
  tidemark rebuild --gap recorded --dry-run`

func gapCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:  "gap",
		Long: gapHelp,
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
		ranges = []storage.Gap{gap}
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
func repairArrivals(cmd *cobra.Command, r *repair.Repairer, ranges []storage.Gap) (changed int, err error) {
	show, done := showSteps(cmd)
	r.Now, r.MaxNotes, r.Progress = wallClock, printing.MaxDifferences, show
	report, err := r.RepairArrivals(cmd.Context(), ranges)
	done()
	if err == nil || report.Items > 0 {
		printing.Arrivals(cmd.OutOrStdout(), report, r.DryRun)
	}
	return report.Changed, err
}
