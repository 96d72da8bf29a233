package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type historyFlags struct {
	readFlags
	where, fields []string
	count         bool
}

func historyCommand(to *connection) *cobra.Command {
	var flags historyFlags
	cmd := &cobra.Command{Use: "history SUBJECT"}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 20, "events", true)
	cmd.Flags().StringArrayVar(&flags.where, "where", nil, "filter by a `condition` such as temperature>20; may be repeated")
	cmd.Flags().StringSliceVar(&flags.fields, "fields", nil, "show only these `fields`, separated by commas")
	cmd.Flags().BoolVar(&flags.count, "count", false, "print only the number of events")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return history(cmd, to, flags, args[0]) }
	return cmd
}

func history(cmd *cobra.Command, to *connection, flags historyFlags, subject string) error {
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	q, err := flags.query(from)
	if err != nil {
		return err
	}
	if flags.count {
		q.Limit = 0
		counted, err := from.Count(ctx, q)
		if err != nil {
			return readFailure(err)
		}
		return printCount(cmd, flags, from, counted)
	}
	var events []model.Event
	for event, err := range from.EachEvent(ctx, q) {
		if err != nil {
			return readFailure(err)
		}
		events = append(events, event)
	}
	return flags.print(cmd, from, httpapi.HistoryOf(query.EventPage{Events: events}), func() error {
		if len(events) == 0 {
			from.printNone(ctx, cmd.ErrOrStderr())
			return nil
		}
		return flags.times.History(cmd.OutOrStdout(), events)
	})
}

// query returns the query that the flags describe.
func (f *historyFlags) query(from *seriesReader) (q query.History, err error) {
	q = query.History{Newest: f.newest, Limit: f.limit, Fields: f.fields, Consistent: f.consistent}
	if q.Series, err = from.single(); err != nil {
		return q, err
	}
	for _, text := range f.where {
		term, err := httpapi.ParseWhere(text)
		if err != nil {
			return q, usagef("--where: %w", err)
		}
		q.Where = append(q.Where, term)
	}
	if by := q.Kind; by.OrderBy != "" && f.last == 0 {
		q.From, q.To = model.MinTime, model.MaxTime+1
		if q.FromValue, err = query.ParseOrderValue(by, f.from); err == nil {
			q.ToValue, err = query.ParseOrderValue(by, f.to)
		}
		return q, err
	}
	q.From, q.To, err = f.timeRange(from.Now())
	return q, err
}

func printCount(cmd *cobra.Command, flags historyFlags, from *seriesReader, counted query.EventCount) error {
	if flags.output == "csv" || flags.output == "ndjson" {
		return usagef("--count: want --output table or json")
	}
	return flags.print(cmd, from, httpapi.Count{Events: counted.Events, Unreadable: counted.Unreadable}, func() error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), counted.Events)
		if counted.Unreadable > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of them cannot be decoded\n", counted.Unreadable)
		}
		return err
	})
}
