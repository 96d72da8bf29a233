package printing

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Total prints the summary of a range, and from where it was read.
func Total(w io.Writer, t query.RangeTotal, units Units) error {
	counters := hasCounter(query.Rollup{Fold: t.Fold, Before: t.Before}, "")
	table := terminal.NewTable(w, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
	header := []string{"MEASURE", "COUNT", "INVALID", "SUM", "MIN", "AVG", "MAX",
		"P50", "P95", "P99", "FIRST", "LAST"}
	if counters {
		header = append(header, counterHeader...)
	}
	table.Add(header...)
	for _, name := range t.Summary.Names() {
		f := figure.New(t.Measure(name))
		line := []string{units.label(name), strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10),
			views.DecimalText(f.Sum), views.DecimalText(f.Min), floatText(f.Avg), views.DecimalText(f.Max),
			terminal.Percentile(f.P50), terminal.Percentile(f.P95), terminal.Percentile(f.P99),
			views.DecimalText(f.First), views.DecimalText(f.Last)}
		if counters {
			line = append(line, counterCells(f)...)
		}
		table.Add(line...)
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
	for _, d := range t.Dimensions() {
		rows.Add(d.Name, valuesText(d), frequentText(d))
	}
	if rows.Len() > 1 {
		if err := rows.Print(); err != nil {
			return err
		}
	}
	return printParts(w, t)
}

// printParts says how many events there are, from where they were read, and what is missing.
func printParts(w io.Writer, t query.RangeTotal) error {
	fmt.Fprintf(w, "%s events%s", terminal.Grouped(int(t.Summary.Events())), byKind(t.Kinds))
	for i, p := range views.NewTotal(t).Parts {
		separator := ","
		if i == 0 {
			separator = ": read from"
		}
		fmt.Fprintf(w, "%s %s of %s to %s", separator, plural(p.Tier), Bound(p.From), Bound(p.To))
	}
	if !t.Exact && len(t.Missing) == 0 {
		fmt.Fprint(w, inexactText(t.Total))
	}
	fmt.Fprintln(w)
	return Missing(w, t.Missing)
}

// inexactText says why a total without missing parts is not exact.
func inexactText(t query.Total) string {
	if t.Unreadable > 0 {
		const text = "; not exact: %d events, or rows of smaller buckets, cannot be decoded"
		return fmt.Sprintf(text, t.Unreadable)
	}
	return "; not exact: a row misses a change that arrived too late"
}

// Missing says which parts of a range are not known.
func Missing(w io.Writer, missing []query.Segment) error {
	for _, m := range missing {
		_, err := fmt.Fprintf(w, "not known: %s to %s, because %s\n", Bound(m.From), Bound(m.To), m.Reason())
		if err != nil {
			return err
		}
	}
	return nil
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

// Top prints the most frequent values of a dimension, and what they were counted from.
func Top(w io.Writer, dimension string, values query.TopValues, total query.Total) error {
	table := terminal.NewTable(w, 1, 2)
	table.Add(strings.ToUpper(dimension), "COUNT", "SHARE")
	counted := values.Other
	for _, v := range values.Values {
		counted += v.Count
		shown := query.Counted{Value: v.Value, Event: v.Event}.String()
		table.Add(shown, strconv.FormatInt(v.Count, 10), percent(v.Share))
	}
	if values.Other > 0 {
		table.Add("(any other)", strconv.FormatInt(values.Other, 10),
			percent(float64(values.Other)/float64(counted)))
	}
	if err := table.Print(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "of %s events%s in %d buckets%s\n", terminal.Grouped(int(total.Summary.Events())),
		byKind(total.Kinds), total.Buckets, caveats(values.Exact || len(total.Missing) > 0, total.Open))
	if err != nil {
		return err
	}
	return Missing(w, total.Missing)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// byKind returns how many events each kind has, if several are counted together.
func byKind(kinds []query.KindEvents) string {
	var parts []string
	for _, k := range kinds {
		if k.Events > 0 {
			parts = append(parts, terminal.Grouped(int(k.Events))+" "+k.Kind)
		}
	}
	if len(kinds) < 2 || len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func caveats(exact, open bool) string {
	var text string
	if open {
		text += "; the last bucket is still open"
	}
	if !exact {
		text += "; not exact: a row does not hold every value, misses a change that arrived too late, " +
			"or was folded before the dimension was declared"
	}
	return text
}
