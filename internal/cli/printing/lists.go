package printing

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Alerts prints a line for each alert, after a header.
func Alerts(w io.Writer, kinds *catalog.Catalog, all []storage.Alert) error {
	table := terminal.NewTable(w)
	table.Add("ALERT", "SEVERITY", "SUBJECT", "TIME", "REASON", "RULE", "STATUS")
	for i := range all {
		table.Add(alertCells(kinds, &all[i])...)
	}
	return table.Print()
}

// Alert prints the line of one alert.
func Alert(w io.Writer, kinds *catalog.Catalog, a *storage.Alert) error {
	table := terminal.NewTable(w)
	table.Add(alertCells(kinds, a)...)
	return table.Print()
}

func alertCells(kinds *catalog.Catalog, a *storage.Alert) []string {
	v, status := alert.NewView(a), string(a.Status())
	if a.Withdrawn != "" {
		status += ": " + a.Withdrawn
	} else if a.Acknowledged != nil && a.Status() == storage.AlertOpen {
		status += ", seen by " + a.Acknowledged.By
	}
	path := v.SubjectType
	if of, ok := kinds.SubjectType(v.SubjectType); ok {
		path = of.Path
	}
	return []string{v.ID, string(v.Severity), path + "/" + v.Subject, v.At.String(), v.Message, v.Rule, status}
}

// Rules prints a line for each rule, after a header.
func Rules(w io.Writer, rules []storage.Rule) error {
	table := terminal.NewTable(w)
	table.Add("NAME", "RULE", "KIND", "BOUNDS", "SEVERITY", "STREAM", "FROM", "BY")
	for i := range rules {
		r, stream := &rules[i], "any stream"
		if !r.AnyStream {
			stream = fmt.Sprintf("stream %q", r.Stream)
		}
		table.Add(r.Name, r.ID(), r.Kind, strings.TrimSpace(r.Measure+" "+r.Limit()), string(r.Severity), stream,
			r.From.String(), r.By)
	}
	return table.Print()
}

// Series prints a line for each series, after a header.
func Series(w io.Writer, kinds *catalog.Catalog, found []storage.ListedSeries, seen [][]string) error {
	table := terminal.NewTable(w)
	table.Add("SUBJECT", "KIND", "STREAM", "FIRST SEEN (HOUR)", "LAST SEEN (HOUR)", "MEASURES")
	for i, l := range found {
		table.Add(seriesRow(l, seen[i], kinds)...)
	}
	return table.Print()
}

// seriesRow returns the row of one series. The row of a profile has no kind.
func seriesRow(l storage.ListedSeries, seen []string, kinds *catalog.Catalog) []string {
	name := arguments.SubjectText(l.Series.Subject, kinds)
	if l.Series.Kind == "" {
		return []string{name, "(profile)", "", "", "", ""}
	}
	page := query.SeriesPage{Series: []storage.ListedSeries{l}}
	list := views.NewListedSubjects(page, kinds, query.Progress{})
	list.SetMeasures([][]string{seen})
	one := list.Subjects[0].Series[0]
	return []string{name, l.Series.Kind, l.Series.Stream, hourText(l.First), hourText(l.Last),
		strings.Join(one.Measures, ", ")}
}

func hourText(t model.Time) string { return t.Time().Format("2006-01-02 15:04") }
