package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/tail"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type tailFlags struct {
	readFlags
	every, duration time.Duration
}

func tailCommand(to *connection) *cobra.Command {
	var flags tailFlags
	cmd := &cobra.Command{Use: "tail SUBJECT"}
	flags.registerSeries(cmd)
	cmd.Flags().IntVar(&flags.limit, "limit", 10, "the most events to show at the beginning")
	cmd.Flags().DurationVar(&flags.every, "every", time.Second, "`duration` between two reads")
	cmd.Flags().DurationVar(&flags.duration, "for", 0, "end after this `duration`; 0 continues until Ctrl-C")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return follow(cmd, to, flags, args[0]) }
	return cmd
}

func follow(cmd *cobra.Command, to *connection, flags tailFlags, subject string) error {
	if flags.every <= 0 || flags.limit < 1 {
		return usagef("--every %s --limit %d: both must be more than 0", flags.every, flags.limit)
	}
	show, ok := map[string]func(io.Writer, *model.Event) error{
		tableOutput: flags.times.EventLine, "json": printEventJSON, "ndjson": printEventJSON,
	}[flags.output]
	if !ok {
		return usagef("--output %s: want table or ndjson", flags.output)
	}
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	f := tail.Follower{Read: from.EachEvent, Now: wallClock, Sleep: retry.Sleep, Every: flags.every, For: flags.duration}
	f.Show = func(e *model.Event) error { return show(cmd.OutOrStdout(), e) }
	f.From = query.History{From: model.MinTime, To: model.MaxTime + 1, Consistent: flags.consistent}
	if f.From.Series, err = from.single(); err != nil {
		return err
	}
	if err := f.Follow(ctx, flags.limit); err != nil {
		return readFailure(err)
	}
	from.printCost(cmd.ErrOrStderr())
	return nil
}

func printEventJSON(w io.Writer, e *model.Event) error {
	line := json.NewEncoder(w)
	line.SetEscapeHTML(false)
	return line.Encode(httpapi.EventOf(e))
}
