package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/repair/undelivered"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

func undeliveredCommand(to *connection) *cobra.Command {
	return group("undelivered", undeliveredAction(to, "list", true), undeliveredAction(to, "replay", false))
}

// undeliveredAction is a command that prints each message of the queue and, unless it only lists them,
// replays it.
func undeliveredAction(to *connection, use string, listOnly bool) *cobra.Command {
	var url, kind string
	cmd := &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, _ []string) error {
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
	appender, err := newRetrier(to, table, kinds, kind)
	return &undelivered.Replayer{
		Queue: onfailure.OpenQueue(config, url, to.Endpoint != "", listOnly), Catalog: kinds, Appender: appender,
		Stream: undelivered.Reader{Client: kinesis.NewFromConfig(config)},
	}, err
}
