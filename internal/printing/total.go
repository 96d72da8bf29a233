package printing

import (
	"fmt"
	"io"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Total prints the summary of a range, and from where it was read.
func Total(w io.Writer, t query.RangeTotal) error {
	table := terminal.NewTable(w, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	table.Add("MEASURE", "COUNT", "INVALID", "SUM", "MIN", "AVG", "MAX", "P50", "P95", "P99", "FIRST", "LAST")
	for _, name := range t.Summary.Names() {
		m, _ := t.Summary.Measure(name)
		f := query.FiguresOf(m)
		table.Add(name, strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10), decimalText(f.Sum), decimalText(f.Min), floatText(f.Avg),
			decimalText(f.Max), terminal.Percentile(f.P50), terminal.Percentile(f.P95), terminal.Percentile(f.P99), decimalText(f.First), decimalText(f.Last))
	}
	if table.Len() > 1 {
		if err := table.Print(); err != nil {
			return err
		}
	}
	rows := terminal.NewTable(w)
	rows.Add("FIELD", "DISTINCT", "MOST FREQUENT")
	for _, name := range t.Summary.DistinctNames() {
		rows.Add(name, distinctText(t.Summary.Distinct(name)), "")
	}
	for _, name := range t.Summary.DimensionNames() {
		d, _ := t.Summary.Dimension(name)
		rows.Add(name, valuesText(d), frequentText(d))
	}
	if rows.Len() > 1 {
		if err := rows.Print(); err != nil {
			return err
		}
	}
	return printParts(w, t)
}

// printParts says how many events there are, from where they were read, and what is
// missing.
func printParts(w io.Writer, t query.RangeTotal) error {
	fmt.Fprintf(w, "%s events%s", terminal.Grouped(int(t.Summary.Events())), byKind(t.Kinds))
	for i, p := range httpapi.TotalOf(t).Parts {
		separator := ","
		if i == 0 {
			separator = ": read from"
		}
		fmt.Fprintf(w, "%s %s of %s to %s", separator, plural(p.Tier), Bound(p.From), Bound(p.To))
	}
	if !t.Exact {
		fmt.Fprint(w, "; not exact: a row misses a change that arrived too late, or an event cannot be read")
	}
	for _, m := range t.Missing {
		fmt.Fprintf(w, "\nnot included: %s to %s, because the rows and events that would cut the range there have expired", Bound(m.From), Bound(m.To))
	}
	_, err := fmt.Fprintln(w)
	return err
}

func plural(tier string) string {
	if tier == "events" {
		return "raw events"
	}
	return tier + "s"
}

// Bound returns an end of a range; an open end has no time worth reading.
func Bound(t model.Time) string {
	switch {
	case t <= model.MinTime:
		return "the beginning"
	case t >= model.MaxTime:
		return "the end"
	}
	return t.Time().Format("2006-01-02 15:04:05")
}
