package main

import (
	"cmp"
	"crypto/rand"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/repair/streamrange"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

const redriveLong = `Process the batches of the table stream that the functions failed to process. Run it when
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
usage; 3 failed: the messages that are left stay.`

const redriveExample = `  tidemark redrive --queue https://sqs.eu-west-1.amazonaws.com/123456789012/OnFailureQueue
  tidemark redrive --dry-run
  tidemark redrive --file .tidemark/on-failure.ndjson`

type redriveFlags struct {
	queue, file string
	dryRun      bool
}

func redriveCommand(to *connection) *cobra.Command {
	var flags redriveFlags
	cmd := &cobra.Command{
		Use:     "redrive",
		Short:   "Process the batches that the functions failed to process",
		Long:    redriveLong,
		Example: redriveExample,
		RunE:    func(cmd *cobra.Command, _ []string) error { return redrive(cmd, to, flags) },
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
		Table: table, Catalog: kinds, Now: wallClock, Aggregator: agg, MaxAhead: settings.Limits.MaxAhead,
		Alerts:    &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader},
		Lifecycle: &lifecycle.Service{Store: table, Profile: kinds.Profile, Now: wallClock, Rand: rand.Reader},
		Messages:  messages, Stream: streamrange.New(read, to.Endpoint, local.LambdaRecord), DryRun: flags.dryRun, MaxNotes: printing.MaxDifferences,
		OnMessage: func(m repair.MessageResult) { printing.RedriveMessage(out, m, flags.dryRun) },
		Progress:  show,
	}
	report, err := r.Run(cmd.Context())
	done()
	printing.Redrive(out, report, flags.dryRun, err)
	if err == nil && flags.dryRun && report.Found > 0 {
		return checkFailed
	}
	return err
}
