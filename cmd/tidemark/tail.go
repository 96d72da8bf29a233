package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const tailLong = `Show the newest events of a series, and then each that comes, until Ctrl-C or for as
long as --for says. Each look costs half a read unit, and more where much comes.

Events are followed in the order of their time: one that is older than what was shown
is late, and is not shown here. "tidemark history" has it.

Exit status: 0 ended; 2 asked wrongly; 3 the table could not be read.`

type tailFlags struct {
	readFlags
	every, lasting time.Duration
}

func tailCommand(to *connection) *cobra.Command {
	var flags tailFlags
	cmd := &cobra.Command{
		Use:   "tail SUBJECT",
		Short: "Show the newest events of a series, and each that comes",
		Long:  tailLong,
		Example: `  tidemark tail devices/sensor_01
  tidemark tail devices/sensor_01 --for 10m --output ndjson`,
		Args: asUsage(cobra.ExactArgs(1)),
	}
	flags.registerSeries(cmd)
	cmd.Flags().IntVar(&flags.limit, "limit", 10, "how many events to begin with at most")
	cmd.Flags().DurationVar(&flags.every, "every", time.Second, "the `time` between two looks")
	cmd.Flags().DurationVar(&flags.lasting, "for", 0, "end after this `time`; 0 goes on until Ctrl-C")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return tail(cmd, to, flags, args[0]) }
	return cmd
}

func tail(cmd *cobra.Command, to *connection, flags tailFlags, subject string) error {
	if flags.every <= 0 || flags.limit < 1 {
		return usagef("--every %s --limit %d: want more than nothing", flags.every, flags.limit)
	}
	show, ok := map[string]func(io.Writer, *model.Event) error{
		tableForm: eventLine, "json": eventJSON, "ndjson": eventJSON,
	}[flags.output]
	if !ok {
		return usagef("--output %s: want table, or ndjson: a line an event", flags.output)
	}
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	f := follower{read: from.EachEvent, now: wallClock, wait: retry.Sleep, every: flags.every, lasting: flags.lasting}
	f.show = func(e *model.Event) error { return show(cmd.OutOrStdout(), e) }
	f.from = query.History{From: model.MinTime, To: model.MaxTime + 1, Consistent: flags.consistent}
	if f.from.Series, err = from.one(); err != nil {
		return err
	}
	if err := f.follow(ctx, flags.limit); err != nil {
		return readFailure(err)
	}
	from.sayCost(cmd.ErrOrStderr())
	return nil
}

// follower shows what comes to a series. Clock and waiting are its caller's.
type follower struct {
	read           func(context.Context, query.History) iter.Seq2[model.Event, error]
	show           func(*model.Event) error
	now            func() model.Time
	wait           func(context.Context, time.Duration) error
	every, lasting time.Duration // lasting 0 is until the context ends

	from query.History // from here on
	last *model.Order  // shown last; nil before the first
}

// follow shows the newest events, at most so many, then each that comes after them. The
// end of the context is how it is meant to end, and no error.
func (f *follower) follow(ctx context.Context, begin int) error {
	until := f.now().Add(f.lasting)
	err := f.showNewest(ctx, begin)
	for err == nil && (f.lasting == 0 || f.now() < until) {
		if err = f.wait(ctx, f.every); err == nil {
			err = f.showNew(ctx)
		}
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (f *follower) showNewest(ctx context.Context, n int) error {
	q := f.from
	q.Newest, q.Limit = true, n
	var newest []model.Event
	for e, err := range f.read(ctx, q) {
		if err != nil {
			return err
		}
		newest = append(newest, e)
	}
	slices.Reverse(newest)
	for i := range newest {
		if err := f.next(&newest[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) showNew(ctx context.Context) error {
	for e, err := range f.read(ctx, f.from) {
		if err != nil {
			return err
		}
		if f.last != nil && !f.last.Before(e.Order) {
			continue
		}
		if err := f.next(&e); err != nil {
			return err
		}
	}
	return nil
}

// next shows an event, from whose time on the next look reads.
func (f *follower) next(e *model.Event) error {
	order := e.Order
	f.last, f.from.From = &order, e.At
	return f.show(e)
}

func eventLine(w io.Writer, e *model.Event) error {
	parts := []string{e.At.String()}
	if e.ID != "" {
		parts = append(parts, "id="+e.ID)
	}
	if e.Unreadable {
		parts = append(parts, "(cannot be decoded)")
	}
	for _, a := range e.Attrs {
		parts = append(parts, a.Name+"="+valueText(a.Value))
	}
	_, err := fmt.Fprintln(w, printable(strings.Join(parts, "  ")))
	return err
}

func eventJSON(w io.Writer, e *model.Event) error {
	line := json.NewEncoder(w)
	line.SetEscapeHTML(false)
	return line.Encode(envelope.EventOf(e))
}
