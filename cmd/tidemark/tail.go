package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/cli/tail"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// tailFlags are the flags of history that follow a series.
type tailFlags struct {
	follow          bool
	every, duration time.Duration
}

func (f *tailFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.follow, "follow", false, "also show new events as they arrive, until Ctrl-C")
	cmd.Flags().DurationVar(&f.every, "every", time.Second, "with --follow, the `duration` between two reads")
	cmd.Flags().DurationVar(&f.duration, "for", 0,
		"with --follow, end after this `duration`; 0 continues until Ctrl-C")
}

// follow shows the newest events of a series, then each new one.
func follow(cmd *cobra.Command, to *connection, flags historyFlags, subject string) error {
	if len(flags.where)+len(flags.fields) > 0 || flags.count || flags.hasRange() || !flags.newest {
		return usagef("--follow shows all new events: remove --where, --fields, --count, --newest and the range")
	}
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
	f := tail.Follower{Read: from.EachEvent, Now: wallClock, Sleep: retry.Sleep, Every: flags.every,
		For: flags.duration}
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
	return printJSONLine(w, views.NewEvent(e))
}
