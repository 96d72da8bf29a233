package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AlertCounts prints a line for each of the first subjects with alerts. A limit of 0 is none.
func (f Times) AlertCounts(w io.Writer, page query.AlertCountsPage, limit int) error {
	subjects, more := first(page.Subjects, limit)
	if len(subjects) > 0 {
		table := terminal.NewTable(w, 1, 2, 3, 4, 5)
		table.Add("SUBJECT", "ALERTS", "CRITICAL", "WARNING", "INFO", "OPEN", "NEWEST")
		for _, s := range subjects {
			of := func(severity storage.Severity) string { return terminal.Grouped(s.Alerts[severity]) }
			table.Add(s.Subject.ID, atLeast(s.Total(), s.AtLeast), of(storage.Critical), of(storage.Warning),
				of(storage.Info), terminal.Grouped(s.Open), f.bound(s.Newest))
		}
		if err := table.Print(); err != nil {
			return err
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "%s more: --limit 0 shows all\n", terminal.Grouped(more))
	}
	until := ""
	if page.To < model.MaxTime {
		until = " to " + f.bound(page.To)
	}
	if page.From == page.To {
		return Missing(w, page.Missing)
	}
	_, err := fmt.Fprintf(w, "%s of %s had alerts from %s%s\n", terminal.Grouped(len(page.Subjects)),
		terminal.Grouped(page.Read), f.bound(page.From), until)
	if err != nil {
		return err
	}
	return Missing(w, page.Missing)
}

func atLeast(n int, more bool) string {
	text := terminal.Grouped(n)
	if more {
		text += "+"
	}
	return text
}
