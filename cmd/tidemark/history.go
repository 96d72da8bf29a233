package main

import (
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
)

func historyCommand(to *connection) *cobra.Command {
	var series seriesFlags
	var within rangeFlags
	var oldest bool
	cmd := &cobra.Command{
		Use:   "history SUBJECT",
		Short: "Show the events of a series, newest first",
		Long: `Show the events of a series in the half-open range [--from, --to), newest first. What
has expired is not shown.

Exit status: 0 shown, though it be nothing; 2 asked wrongly; 3 the table could not be
read.`,
		Example: `  tidemark history devices/sensor_01
  tidemark history devices/sensor_01 --from 2026-04-20 --to 2026-04-21 --oldest --limit 0`,
		Args: asUsage(cobra.ExactArgs(1)),
	}
	series.register(cmd)
	within.register(cmd, 20, "events")
	cmd.Flags().BoolVar(&oldest, "oldest", false, "oldest first")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q := query.History{Newest: !oldest, Limit: within.limit, Consistent: series.consistent}
		var err error
		if q.From, q.To, err = within.parse(); err != nil {
			return err
		}
		var from *query.Service
		if q.Series, from, err = series.open(cmd.Context(), to, args[0]); err != nil {
			return err
		}
		var events []model.Event
		for event, err := range from.EachEvent(cmd.Context(), q) {
			if err != nil {
				return readFailure(err)
			}
			events = append(events, event)
		}
		return printHistory(cmd.OutOrStdout(), events)
	}
	return cmd
}

// printHistory shows a column for each field that any of the events has.
func printHistory(w io.Writer, events []model.Event) error {
	names := fieldsOf(events)
	withID := slices.ContainsFunc(events, func(e model.Event) bool { return e.ID != "" })
	header := []string{"TIME"}
	if withID {
		header = append(header, "ID")
	}
	g := grid{right: map[int]bool{}}
	g.add(append(header, names...)...)
	for i := range events {
		e := &events[i]
		row := []string{e.At.String()}
		if withID {
			row = append(row, e.ID)
		}
		if e.Unreadable {
			g.add(append(row, "(cannot be decoded)")...)
			continue
		}
		for _, name := range names {
			v, ok := e.Attrs.Get(name)
			if v.Kind == model.Number {
				g.right[len(row)] = true
			}
			row = append(row, cellOf(v, ok))
		}
		g.add(row...)
	}
	return g.print(w)
}

// cellOf is a cell: empty where the event lacks the field.
func cellOf(v model.Value, ok bool) string {
	if !ok {
		return ""
	}
	return valueText(v)
}

func fieldsOf(events []model.Event) []string {
	seen := map[string]bool{}
	for i := range events {
		for _, a := range events[i].Attrs {
			seen[a.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
