package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/ops/repair/streamrange"
	"github.com/tidemark-db/tidemark/internal/ops/repair/undelivered"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

const failedRetryHelp = `Process what failed again, and remove what succeeds

Process what failed again, by the present configuration, and remove what succeeds. What fails again
stays, with the present reason. It is safe at any time, repeatedly, and during live traffic: an event
that is stored already is a duplicate. Without ids it retries everything that the flags select.

Batches: each message names a range of the table stream, which is read again and processed as
aggregate and purge would. A table stream keeps changes for 24 hours. A range that is gone is repaired by
its time of arrival: the table is scanned, and every bucket is recomputed that has an event which
arrived at that time, or whose digest is wrong ("tidemark rebuild --gap"). This does not
find an event that was deleted or corrected if its row is sealed or an alert depends on
it, nor a tombstone that expired: its versions and unique values stay until its subject
is created again or purged. Do it before the raw events of the range expire; the command prints the
date. After that date every row up to the end of the range is marked exact: false, because a lost event
may have been late.

Undelivered: the observations of each message are appended. A range of the data stream must be retried
before the stream has dropped it: after 24 hours, or the retention that the stream has.

Rejected: an observation is validated and appended; a record of the table stream is decoded, and its
buckets are recomputed.

Exit status: 0 all processed, or nothing to do; 1 some stay, or a dry run found something; 2 wrong
usage; 3 failed: what is left stays.

Examples:
  tidemark failed retry --stack tidemark-prod
  tidemark failed retry --source batches --dry-run
  tidemark failed retry --source batches --file .tidemark/on-failure.ndjson
  tidemark failed retry --source iot --kind READING
  tidemark failed retry 5f1d4c0c2b8d4f9e`

// retryFlags select what is retried, and how.
type retryFlags struct {
	failedFlags
	kind   string
	dryRun bool
}

func failedRetryCommand(to *connection) *cobra.Command {
	var flags retryFlags
	cmd := &cobra.Command{Use: "retry [ID…]", Long: failedRetryHelp}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.kind, "kind", "", "`kind` of messages that name none (default: the first)")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "process and remove nothing, print what there is to do")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		all, err := flags.open(cmd, to, ids)
		if err != nil {
			return err
		}
		if err := all.sayUnread(cmd, flags.source); err != nil {
			return err
		}
		var failures []error
		stay := 0
		for _, retry := range []func() (int, error){
			func() (int, error) { return all.retryBatches(cmd, to, flags.dryRun) },
			func() (int, error) { return all.retryUndelivered(cmd, to, flags) },
			func() (int, error) { return all.retryRejected(cmd, to, flags, ids) },
		} {
			left, err := retry()
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			stay += left
			failures = append(failures, err)
		}
		if err := errors.Join(failures...); err != nil || stay == 0 {
			return err
		}
		return checkFailed
	}
	return cmd
}

// retryBatches processes the ranges of the table stream, and returns how many stay.
func (all *failed) retryBatches(cmd *cobra.Command, to *connection, dryRun bool) (stay int, err error) {
	if all.batches+all.file == "" {
		return 0, nil
	}
	settings, err := to.Settings()
	if err != nil {
		return 0, err
	}
	read, err := to.AWS(cmd.Context())
	if err != nil {
		return 0, err
	}
	messages, closeMessages, err := repair.OpenMessages(read, all.batches, all.file, to.Endpoint != "", dryRun)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closeMessages()) }()
	out := cmd.OutOrStdout()
	show, done := showSteps(cmd)
	r := &repair.Redriver{
		Repairer: repair.Repairer{
			Table: all.table, Catalog: all.kinds, Now: wallClock, DryRun: dryRun,
			MaxNotes: printing.MaxDifferences, Progress: show,
			Aggregator: &aggregate.Aggregator{
				Store: all.table, QuarantineStore: all.table, Catalog: all.kinds, Now: wallClock,
			},
		},
		MaxAhead: settings.Limits.MaxAhead,
		Alerts:   &alert.Service{Store: all.table, Catalog: all.kinds, Now: wallClock, Rand: rand.Reader},
		Lifecycle: &lifecycle.Service{
			Store: all.table, Profile: all.kinds.Profile, Now: wallClock, Rand: rand.Reader,
		},
		Messages: messages, Stream: streamrange.New(read, to.Endpoint, stack.LambdaRecord),
		OnMessage: func(m repair.MessageResult) { printing.RedriveMessage(out, m, dryRun) },
	}
	report, err := r.Run(cmd.Context())
	done()
	printing.Redrive(out, report, dryRun, err)
	var left *repair.NotProcessedError
	switch {
	case errors.As(err, &left):
		fmt.Fprintf(out, "%s: %s\n", sourceBatches, terminal.PrintableLines(left.Error()))
		return left.Failed, nil
	case dryRun:
		return report.Found, err
	}
	return 0, err
}

// retryUndelivered appends the observations of messages, and returns how many stay.
func (all *failed) retryUndelivered(
	cmd *cobra.Command, to *connection, flags retryFlags,
) (stay int, err error) {
	if all.undelivered == "" {
		return 0, nil
	}
	settings, err := to.AWS(cmd.Context())
	if err != nil {
		return 0, err
	}
	appender, err := all.retrier(cmd, to, flags.kind)
	if err != nil {
		return 0, err
	}
	r := &undelivered.Replayer{
		Queue:   onfailure.OpenQueue(settings, all.undelivered, to.Endpoint != "", flags.dryRun),
		Catalog: all.kinds, Appender: appender, Stream: undelivered.Reader{Client: kinesis.NewFromConfig(settings)},
	}
	out, found := cmd.OutOrStdout(), 0
	err = r.Each(cmd.Context(), func(m undelivered.Message) error {
		found++
		text := "to process"
		if err := m.Err; err != nil {
			text = "stays: " + err.Error()
		}
		if !flags.dryRun {
			result, err := r.Replay(cmd.Context(), m)
			if text = printing.RetryText(result, err); err != nil {
				stay++
			}
		}
		fmt.Fprintln(out, terminal.Printable(fmt.Sprintf("%s %s: %s", sourceUndelivered, strings.TrimSpace(
			fmt.Sprintf("%s %s %s", m.ID, m.Form, m.Detail)), text)))
		return cmd.Context().Err()
	})
	printRetried(cmd, sourceUndelivered, found, stay, flags.dryRun)
	if flags.dryRun {
		stay = found
	}
	return stay, err
}

// retryRejected processes entries of the quarantine, and returns how many stay.
func (all *failed) retryRejected(
	cmd *cobra.Command, to *connection, flags retryFlags, ids []string,
) (stay int, err error) {
	entries, err := all.listRejected(cmd, ids)
	if err != nil || !all.rejected {
		return 0, err
	}
	out := cmd.OutOrStdout()
	if flags.dryRun && len(entries) > 0 {
		err = printing.Cells(out, printing.FailedCells(nil, nil, entries))
		printRetried(cmd, sourceRejected, len(entries), 0, true)
		return len(entries), err
	}
	retrier, err := all.retrier(cmd, to, flags.kind)
	if err != nil {
		return 0, err
	}
	for i := range entries {
		e := &entries[i]
		result, err := retrier.Retry(cmd.Context(), e)
		if cmd.Context().Err() != nil {
			return 0, cmd.Context().Err()
		}
		if err != nil {
			stay++
		}
		text := fmt.Sprintf("%s %s: %s", e.Source, e.ID, printing.RetryText(result, err))
		fmt.Fprintln(out, terminal.Printable(text))
	}
	printRetried(cmd, sourceRejected, len(entries), stay, flags.dryRun)
	return stay, nil
}

// printRetried prints how many of a source were processed.
func printRetried(cmd *cobra.Command, source string, found, stay int, dryRun bool) {
	text := terminal.Grouped(found-stay) + " processed and removed, " + terminal.Grouped(stay) + " stay"
	switch {
	case found == 0:
		text = "there is nothing"
	case dryRun:
		text = terminal.Grouped(found) + " to process; nothing was changed"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", source, text)
}

func (all *failed) retrier(cmd *cobra.Command, to *connection, kind string) (*quarantine.Retrier, error) {
	settings, err := to.Settings()
	if err != nil {
		return nil, err
	}
	fallback, err := names.Kind(all.kinds, kind)
	if err != nil {
		return nil, fmt.Errorf("--kind: %w", err)
	}
	return quarantine.NewRetrier(
		all.table, all.kinds, settings.Limits, fallback.Name, wallClock, cmd.ErrOrStderr()), nil
}
