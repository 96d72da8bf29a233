package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/ops/repair/undelivered"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

const failedHelp = `List, show and retry what could not be processed

What could not be processed is kept, in one of three places. Find out why first, correct the cause, and
retry it. --source selects one of them:

  batches       ranges of the table stream that the functions failed to process: the on-failure
                queue of a stack, or a file of "tidemark dev" (alarm OnFailureDepth; within 24 hours)
  undelivered   what did not reach ingest: the undelivered queue of a stack (alarm UndeliveredDepth)
  rejected      input that failed validation and has no caller to respond to, and records whose bucket
                could not be read: the quarantine of the table, for 30 days (alarm IngestQuarantined)

Rejected input is selected more narrowly by where it came from, iot, sqs, kinesis or stream, and by
--subject, which reads one partition. Otherwise the whole table is read for it.

--stack finds the queues; --queue names one by its URL. Without both, the queues of a deployed table are
not read, and the command says so.

Examples:
  tidemark failed list --stack tidemark-prod
  tidemark failed list --source iot
  tidemark failed retry --source batches --stack tidemark-prod`

func failedCommand(to *connection) *cobra.Command {
	return group("failed", failedHelp, failedListCommand(to), failedShowCommand(to), failedRetryCommand(to))
}

// The places in which failed input waits, as --source names them.
const (
	sourceBatches     = "batches"
	sourceUndelivered = "undelivered"
	sourceRejected    = "rejected"
)

// failedSources are the values of --source: the places, and the sources of rejected input.
var failedSources = []string{
	sourceBatches, sourceUndelivered, sourceRejected, "iot", "sqs", "kinesis", "stream",
}

// failedFlags select failed input.
type failedFlags struct{ source, subject, stack, queue, file string }

func (f *failedFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "only from this `source`: "+strings.Join(failedSources, ", "))
	cmd.Flags().StringVar(&f.subject, "subject", "", "only rejected input of this `subject`")
	cmd.Flags().StringVar(&f.stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&f.queue, "queue", "", "`URL` of the queue of --source batches or undelivered")
	cmd.Flags().StringVar(&f.file, "file", "", "`path` of an on-failure file, for --source batches")
}

func (f *failedFlags) check() error {
	isQueue := f.source == sourceBatches || f.source == sourceUndelivered
	switch {
	case f.source != "" && !slices.Contains(failedSources, f.source):
		return usagef("--source %s: want %s%s", f.source, strings.Join(failedSources, ", "),
			names.DidYouMean(f.source, failedSources))
	case f.queue != "" && f.file != "":
		return usagef("--queue and --file: pass one of them")
	case f.queue != "" && !isQueue:
		return usagef("--queue: pass --source batches or --source undelivered with it")
	case f.queue != "" && !strings.HasPrefix(f.queue, "http"):
		return usagef("--queue %s: want its URL, output OnFailureQueueUrl or UndeliveredQueueUrl", f.queue)
	case f.file != "" && f.source != sourceBatches:
		return usagef("--file: pass --source batches with it")
	case f.subject != "" && isQueue:
		return usagef("--subject selects rejected input: omit --source %s", f.source)
	}
	return nil
}

// failed is the failed input that flags select.
type failed struct {
	table *dynamo.Table
	kinds *catalog.Catalog

	rejected    bool              // whether it is selected
	filter      quarantine.Filter // of rejected input
	undelivered string            // URL of the queue; "" if it is not selected or not known
	batches     string            // URL of the queue
	file        string            // on-failure file, without a queue
	unread      []string          // sources that are selected and not known
}

// open returns the failed input that the flags select. Only rejected input has ids.
func (f *failedFlags) open(cmd *cobra.Command, to *connection, ids []string) (*failed, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if len(ids) > 0 && f.source == "" {
		f.source = sourceRejected
	}
	if err := to.UseStack(cmd.Context(), f.stack); err != nil {
		return nil, err
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return nil, err
	}
	all := &failed{table: table, kinds: kinds}
	all.findQueues(f, to)
	all.rejected = f.source != sourceBatches && f.source != sourceUndelivered
	if f.source != sourceRejected {
		all.filter.Source = f.source
	}
	if f.subject != "" {
		all.filter.Subject, err = arguments.Subject(f.subject, kinds)
	}
	return all, err
}

func (all *failed) findQueues(f *failedFlags, to *connection) {
	local, whole := to.Endpoint != "", f.source == "" && f.subject == ""
	if f.source == sourceBatches || whole {
		all.batches, all.file = f.queue, f.file
		switch {
		case f.queue != "" || f.file != "":
		case to.Stack.OnFailureQueue != "":
			all.batches = to.Stack.OnFailureQueue
		case local:
			all.file = filepath.Join(localDir(), "on-failure.ndjson")
		default:
			all.unread = append(all.unread, sourceBatches)
		}
	}
	if f.source == sourceUndelivered || whole {
		all.undelivered = to.Stack.UndeliveredQueue
		switch {
		case f.queue != "":
			all.undelivered = f.queue
		case all.undelivered == "" && !(local && whole): // a dev has none
			all.unread = append(all.unread, sourceUndelivered)
		}
	}
}

// sayUnread names the sources that are selected and not known; it is an error if one of them was asked for.
func (all *failed) sayUnread(cmd *cobra.Command, asked string) error {
	if len(all.unread) == 0 {
		return nil
	}
	text := strings.Join(all.unread, " and ") + ": not read, because the table does not tell the queue: " +
		"pass --stack, or --source and --queue"
	if asked != "" {
		return usagef("%s", text)
	}
	return printNone(cmd, text)
}

// listRejected returns the selected entries of the quarantine; ids, if there are any, select among them.
func (all *failed) listRejected(cmd *cobra.Command, ids []string) ([]quarantine.Entry, error) {
	if !all.rejected {
		return nil, nil
	}
	entries, err := quarantine.List(cmd.Context(), all.table, all.kinds, all.filter)
	if err == nil && len(ids) > 0 {
		entries, err = quarantine.Select(entries, ids)
	}
	if missing := (*quarantine.NotFoundError)(nil); errors.As(err, &missing) {
		err = usagef("%w: see tidemark failed list --source rejected", err)
	}
	return entries, err
}

// listMessages lists the messages of both queues; it removes none.
func (all *failed) listMessages(
	cmd *cobra.Command, to *connection,
) (batches []onfailure.Message, messages []undelivered.Message, err error) {
	settings, err := to.AWS(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	local := to.Endpoint != ""
	if all.batches+all.file != "" {
		from, closeMessages, err := repair.OpenMessages(settings, all.batches, all.file, local, true)
		if err != nil {
			return nil, nil, err
		}
		defer closeMessages()
		for {
			page, err := from.Receive(cmd.Context())
			if err != nil {
				return nil, nil, fmt.Errorf("list the batches: %w", err)
			}
			if len(page) == 0 {
				break
			}
			batches = append(batches, page...)
		}
	}
	if all.undelivered != "" {
		queue := onfailure.OpenQueue(settings, all.undelivered, local, true)
		from := undelivered.Replayer{Queue: queue, Catalog: all.kinds}
		err = from.Each(cmd.Context(), func(m undelivered.Message) error {
			messages = append(messages, m)
			return cmd.Context().Err()
		})
	}
	return batches, messages, err
}

const failedListHelp = `List what could not be processed, one a line

List what could not be processed. Nothing is removed; a listed message of a queue is hidden from other
readers for 30 seconds. The times are of arrival; a message of the undelivered queue does not have it.

What did not reach ingest is one of: inbox, a message of the inbox queue; invocation, an asynchronous
invocation of an IoT rule that Lambda gave up; rule, a message for which an IoT rule could not invoke
ingest; stream, a range of the data stream that Lambda discarded.

Exit status: 0 there is nothing; 1 there is something; 2 wrong usage; 3 failed.

Examples:
  tidemark failed list
  tidemark failed list --subject devices/sensor_01
  tidemark failed list --source undelivered --stack tidemark-prod
  tidemark failed list --source batches --queue https://sqs.eu-west-1.amazonaws.com/1234/OnFailureQueue`

func failedListCommand(to *connection) *cobra.Command {
	var flags failedFlags
	var lines list
	cmd := &cobra.Command{Use: "list", Long: failedListHelp}
	flags.register(cmd)
	lines.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := flags.open(cmd, to, nil)
		if err != nil {
			return err
		}
		if err := all.sayUnread(cmd, flags.source); err != nil {
			return err
		}
		batches, messages, err := all.listMessages(cmd, to)
		if err != nil {
			return err
		}
		entries, err := all.listRejected(cmd, nil)
		if err != nil {
			return err
		}
		cells := printing.FailedCells(batches, messages, entries)
		if err := lines.print(cmd, cells, cells, "nothing failed"); err != nil || len(cells.Rows) == 0 {
			return err
		}
		return checkFailed
	}
	return cmd
}

const failedShowHelp = `Show rejected input with its payload

Show one entry of the quarantine: the reason, every error, and the payload as it
arrived. JSON is indented; what is not text is printed in hexadecimal.

Exit status: 0 shown; 2 wrong usage; 3 failed.

Examples:
  tidemark failed show 5f1d4c0c2b8d4f9e --subject devices/sensor_01`

func failedShowCommand(to *connection) *cobra.Command {
	flags := failedFlags{source: sourceRejected}
	cmd := &cobra.Command{Use: "show ID", Long: failedShowHelp}
	cmd.Flags().StringVar(&flags.subject, "subject", "", "the `subject` of the input: reads one partition")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		all, err := flags.open(cmd, to, ids)
		if err != nil {
			return err
		}
		entries, err := all.listRejected(cmd, ids)
		if err != nil {
			return err
		}
		printing.QuarantineEntry(cmd.OutOrStdout(), &entries[0])
		return nil
	}
	return cmd
}
