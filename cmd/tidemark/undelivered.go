package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/undelivered"
)

const undeliveredHelp = `List and replay what did not reach ingest

What did not reach ingest is in the undelivered queue of a stack, in one of four forms:

  inbox       a message of the inbox queue, as it was sent
  invocation  an asynchronous invocation of an IoT rule that Lambda gave up
  rule        a message for which an IoT rule could not invoke ingest
  stream      a range of the data stream that Lambda discarded; its records are read again

Find out why first: the function failed, or it had no right or no capacity.

Examples:
  tidemark undelivered list --queue https://sqs.eu-west-1.amazonaws.com/123456789012/UndeliveredQueue
  tidemark undelivered replay --queue https://sqs.eu-west-1.amazonaws.com/123456789012/UndeliveredQueue`

const undeliveredListHelp = `List the messages of the undelivered queue

List the messages of the undelivered queue, one a line. Nothing is removed; a listed message is
hidden from other readers for 30 seconds.

Exit status: 0 there is none; 1 there are some; 2 wrong usage; 3 failed.

Examples:
  tidemark undelivered list --queue https://sqs.eu-west-1.amazonaws.com/123456789012/UndeliveredQueue`

const undeliveredReplayHelp = `Append the observations of messages, and remove those that are stored

Append the observations of the messages of the undelivered queue, by the present configuration,
and remove each message whose observations are all stored. Others stay, with the reason.

It is safe at any time, repeatedly, and while ingest works: an event that is stored already is
a duplicate. A range of the data stream must be replayed before the stream has dropped it:
after 24 hours, or the retention that the stream has.

Exit status: 0 all are removed, or there is none; 1 some stay; 2 wrong usage; 3 failed: the
messages that are left stay.

Examples:
  tidemark undelivered replay --queue https://sqs.eu-west-1.amazonaws.com/123456789012/UndeliveredQueue`

func undeliveredCommand(to *connection) *cobra.Command {
	return group("undelivered", undeliveredHelp, undeliveredAction(to, "list", undeliveredListHelp, true), undeliveredAction(to, "replay", undeliveredReplayHelp, false))
}

// undeliveredAction is a command that prints each message of the queue and, unless it only lists them,
// replays it.
func undeliveredAction(to *connection, use, help string, listOnly bool) *cobra.Command {
	var url, kind string
	cmd := &cobra.Command{Use: use, Long: help, RunE: func(cmd *cobra.Command, _ []string) error {
		if !strings.HasPrefix(url, "http") {
			return usagef("--queue %s: want its URL, the stack's output UndeliveredQueueUrl", url)
		}
		r, err := openUndelivered(cmd, to, url, kind, listOnly)
		if err != nil {
			return err
		}
		out, found, stay := cmd.OutOrStdout(), 0, 0
		err = r.Each(cmd.Context(), func(m undelivered.Message) error {
			text, err := "", m.Err
			if found++; !listOnly {
				result, failed := r.Replay(cmd.Context(), m)
				text, err = fmt.Sprint(result.Outcomes), failed
			}
			if err != nil {
				text = err.Error()
				stay++
			}
			fmt.Fprintln(out, terminal.Printable(strings.TrimSpace(fmt.Sprintf("%s %s %s %s", m.ID, m.Form, m.Detail, text))))
			return cmd.Context().Err()
		})
		if err != nil {
			return err
		}
		if listOnly {
			fmt.Fprintf(out, "%s messages, of which %s cannot be replayed as they are\n", terminal.Grouped(found), terminal.Grouped(stay))
		} else {
			fmt.Fprintf(out, "%s replayed and removed, %s stay\n", terminal.Grouped(found-stay), terminal.Grouped(stay))
		}
		if stay > 0 || listOnly && found > 0 {
			return checkFailed
		}
		return nil
	}}
	cmd.Flags().StringVar(&url, "queue", "", "`URL` of the undelivered queue (output UndeliveredQueueUrl of the stack); required")
	cmd.Flags().StringVar(&kind, "kind", "", "`kind` of messages that name none (default: the first that is declared)")
	return cmd
}

func openUndelivered(cmd *cobra.Command, to *connection, url, kind string, listOnly bool) (*undelivered.Replayer, error) {
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return nil, err
	}
	config, err := to.AWS(cmd.Context())
	if err != nil {
		return nil, err
	}
	appender, err := newRetrier(cmd, to, table, kinds, kind)
	return &undelivered.Replayer{
		Queue: onfailure.OpenQueue(config, url, to.Endpoint != "", listOnly), Catalog: kinds, Appender: appender,
		Stream: undelivered.Reader{Client: kinesis.NewFromConfig(config)},
	}, err
}
