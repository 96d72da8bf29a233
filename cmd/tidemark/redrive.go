package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/repair/streamrange"
	"github.com/tidemark-db/tidemark/internal/terminal"
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
		Args:    asUsage(cobra.NoArgs),
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
	settings, err := to.settings()
	if err != nil {
		return err
	}
	messages, closeMessages, err := openMessages(cmd.Context(), to, flags)
	if err != nil {
		return err
	}
	defer func() {
		if closed := closeMessages(); err == nil {
			err = closed
		}
	}()
	read, err := awsConfig(cmd.Context(), to)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	show, done := showSteps(cmd)
	r := &repair.Redriver{
		Table: table, Catalog: kinds, Now: wallClock, Aggregator: agg, MaxAhead: settings.Limits.MaxAhead,
		Alerts:    &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader},
		Lifecycle: &lifecycle.Service{Store: table, Profile: kinds.Profile, Now: wallClock, Rand: rand.Reader},
		Messages:  messages, Stream: streamrange.New(read, to.endpoint, local.LambdaRecord), DryRun: flags.dryRun, MaxNotes: maxDifferences,
		OnMessage: func(m repair.MessageResult) { printMessage(out, m, flags.dryRun) },
		Progress:  show,
	}
	report, err := r.Run(cmd.Context())
	done()
	return printRedriveReport(out, report, flags.dryRun, err)
}

// openMessages opens the queue or the file that the flags name, and returns a function
// that closes it.
func openMessages(ctx context.Context, to *connection, flags redriveFlags) (repair.Messages, func() error, error) {
	if flags.queue == "" {
		path := flags.file
		if path == "" {
			path = filepath.Join(devDir, "on-failure.ndjson")
		}
		file, err := onfailure.OpenFile(path, flags.dryRun)
		if err != nil {
			return nil, nil, err
		}
		return file, file.Close, nil
	}
	switch {
	case flags.file != "":
		return nil, nil, usagef("--queue and --file: pass one of them")
	case !strings.HasPrefix(flags.queue, "http"):
		return nil, nil, usagef("--queue %s: want its URL, the stack's output OnFailureQueueUrl", flags.queue)
	}
	read, err := awsConfig(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	return onfailure.OpenQueue(read, flags.queue, to.endpoint != "", flags.dryRun), func() error { return nil }, nil
}

func printMessage(w io.Writer, m repair.MessageResult, dryRun bool) {
	g := m.Range
	what := fmt.Sprintf("shard %s from %s to %s (%s to %s)", g.Shard, g.First, g.Last, g.FirstAt, g.LastAt)
	switch {
	case m.Err != nil:
		fmt.Fprintf(w, "message %s: not processed: %v\n", m.ID, m.Err)
	case m.Trimmed != nil:
		fmt.Fprintf(w, "message %s: the table stream no longer has %s to %s: repairing by arrival%s\n", m.ID, g.FirstAt, g.LastAt, deadline(m.Trimmed))
	case dryRun:
		fmt.Fprintf(w, "message %s: %s changes to process of %s\n", m.ID, terminal.Grouped(m.Changes), what)
	default:
		fmt.Fprintf(w, "message %s: processed %s changes of %s: %s rows written, %s unchanged, %s sealed\n", m.ID, terminal.Grouped(m.Changes), what,
			terminal.Grouped(m.Counts.Written), terminal.Grouped(m.Counts.Unchanged), terminal.Grouped(m.Counts.Sealed))
	}
}

// deadline says by when a trimmed range must be repaired.
func deadline(t *repair.Trimmed) string {
	switch {
	case t.ExpiresAt == 0:
		return ""
	case t.Expired:
		return fmt.Sprintf("; its raw events began to expire on %s: rows that may miss one are marked exact: false", t.ExpiresAt)
	}
	return fmt.Sprintf("; it must be done before its raw events expire, on %s", t.ExpiresAt)
}

func printRedriveReport(w io.Writer, r *repair.RedriveReport, dryRun bool, err error) error {
	if r.Arrival != nil && (err == nil || r.Arrival.Items > 0) {
		printArrivalReport(w, r.Arrival, dryRun)
	}
	for _, m := range r.Marked {
		fmt.Fprintf(w, "marked the rows that may miss an event of %s to %s exact: false: %s buckets recomputed, %s rows changed\n",
			m.Range.FirstAt, m.Range.LastAt, terminal.Grouped(m.Recomputed), terminal.Grouped(m.Changed))
	}
	switch {
	case err != nil:
		return err
	case r.Found == 0:
		fmt.Fprintln(w, "there are no messages")
	case dryRun:
		fmt.Fprintf(w, "%s messages to process; nothing was changed\n", terminal.Grouped(r.Found))
		return checkFailed
	default:
		fmt.Fprintf(w, "%s messages processed and removed\n", terminal.Grouped(r.Processed))
	}
	return nil
}
