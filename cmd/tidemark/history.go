package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type historyFlags struct {
	readFlags
	tailFlags
	where, fields []string
	count         bool
}

const historyHelp = `Show the events of a series, newest first

Show the events of a series, newest first. Use it to look at raw data, or to filter and
count it. The range [--from, --to) is half-open; expired events are not shown. In a kind
that is ordered by a number or text, --from and --to are its values.

--where filters by a field. An event is shown if it satisfies every --where; an event that
is not shown is still read, and costs the same. Conditions look like these:
  temperature>20, location=hall, ok=true, note<>"12" (text), "location begins ware", "note exists", "note missing"

--follow also shows each new event as it arrives, until Ctrl-C or for as long as --for says.
A late event, older than one already shown, is not shown then. Each read of the table costs
half a read unit, and more if many events arrive.

Sessions are cut from the events of one visitor, which --where must name. They have no goals.

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.

Examples:
  tidemark history devices/sensor_01
  tidemark history devices/sensor_01 --from 2026-04-20 --to 2026-04-21 --newest=false --limit 0
  tidemark history devices/sensor_01 --where 'temperature>20' --fields temperature --output csv
  tidemark history devices/sensor_01 --last 24h --count
  tidemark history devices/sensor_01 --follow --for 10m --output ndjson
  tidemark history sites/example.com --kind sessions --where visitor=k3J9xQ`

func historyCommand(to *connection) *cobra.Command {
	var flags historyFlags
	cmd := &cobra.Command{Use: "history SUBJECT", Long: historyHelp}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 20, "events", true)
	cmd.Flags().StringArrayVar(&flags.where, "where", nil,
		"filter by a `condition` such as temperature>20; may be repeated")
	cmd.Flags().StringSliceVar(&flags.fields, "fields", nil, "show only these `fields`, separated by commas")
	cmd.Flags().BoolVar(&flags.count, "count", false, "print only the number of events")
	flags.tailFlags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if flags.follow {
			return follow(cmd, to, flags, args[0])
		}
		return history(cmd, to, flags, args[0])
	}
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
		at, err := from.WholeFrom(ctx, q)
		if err != nil {
			return readFailure(err)
		}
		return printCount(cmd, flags, from, views.NewCount(counted, at))
	}
	var events []model.Event
	for event, err := range from.EachEvent(ctx, q) {
		if err != nil {
			return readFailure(err)
		}
		events = append(events, event)
	}
	result := views.NewHistory(query.EventPage{Events: events})
	hasBeginning := !q.Newest || q.Limit == 0 || len(events) < q.Limit
	if hasBeginning && flags.hasRange() { // without a range, these are the newest events that are stored
		at, err := from.WholeFrom(ctx, q)
		if err != nil {
			return readFailure(err)
		}
		result.EventsFrom = views.NewEventsFrom(at)
	}
	return flags.print(cmd, from, result, bounds{wholeFrom: result.WholeFrom}, func() error {
		if len(events) == 0 {
			from.printNone(ctx, cmd.ErrOrStderr())
			return nil
		}
		return flags.times.History(cmd.OutOrStdout(), events, from.units())
	})
}

// query returns the query that the flags describe.
func (f *historyFlags) query(from *seriesReader) (q query.History, err error) {
	q = query.History{Newest: f.newest, Limit: f.limit, Fields: f.fields, Consistent: f.consistent}
	if q.Series, err = from.single(); err != nil {
		return q, err
	}
	if q.Where, err = conditions(f.where); err != nil {
		return q, err
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

// conditions parses the values of --where.
func conditions(texts []string) (all model.Condition, err error) {
	for _, text := range texts {
		term, err := httpapi.ParseWhere(text)
		if err != nil {
			return nil, usagef("--where: %w", err)
		}
		all = append(all, term)
	}
	return all, nil
}

func printCount(cmd *cobra.Command, flags historyFlags, from *seriesReader, counted views.Count) error {
	if flags.output == "csv" || flags.output == "ndjson" {
		return usagef("--count: want --output table or json")
	}
	return flags.print(cmd, from, counted, bounds{wholeFrom: counted.WholeFrom},
		func() error {
			if counted.Events+counted.Unreadable == 0 && len(flags.where) == 0 {
				from.printNone(cmd.Context(), cmd.ErrOrStderr())
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), counted.Events)
			if counted.Unreadable > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%d more cannot be decoded\n", counted.Unreadable)
			}
			return err
		})
}
