package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Alerts prints a line for each alert, after a header.
func Alerts(w io.Writer, kinds *catalog.Catalog, all []entity.Alert) error {
	table := terminal.NewTable(w)
	table.Add("ALERT", "SEVERITY", "SUBJECT", "TIME", "REASON", "RULE", "STATUS")
	for i := range all {
		table.Add(alertCells(kinds, &all[i])...)
	}
	return table.Print()
}

// Alert prints the line of one alert.
func Alert(w io.Writer, kinds *catalog.Catalog, a *entity.Alert) error {
	table := terminal.NewTable(w)
	table.Add(alertCells(kinds, a)...)
	return table.Print()
}

func alertCells(kinds *catalog.Catalog, a *entity.Alert) []string {
	v, status := alert.ViewOf(a), string(a.Status())
	if a.Withdrawn != "" {
		status += ": " + a.Withdrawn
	} else if a.Acknowledged != nil && a.Status() == entity.AlertOpen {
		status += ", seen by " + a.Acknowledged.By
	}
	path := v.SubjectType
	if of, ok := kinds.SubjectType(v.SubjectType); ok {
		path = of.Path
	}
	return []string{v.ID, string(v.Severity), path + "/" + v.Subject, v.At.String(), v.Message, v.Rule, status}
}

// Rules prints a line for each rule, after a header.
func Rules(w io.Writer, rules []entity.Rule) error {
	table := terminal.NewTable(w)
	table.Add("NAME", "RULE", "KIND", "BOUNDS", "SEVERITY", "STREAM", "FROM", "BY")
	for i := range rules {
		r, stream := &rules[i], "any stream"
		if !r.AnyStream {
			stream = fmt.Sprintf("stream %q", r.Stream)
		}
		table.Add(r.Name, r.ID(), r.Kind, r.Measure+" "+r.Limit(), string(r.Severity), stream, r.From.String(), r.By)
	}
	return table.Print()
}
