package printing

import (
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Series prints a line for each series, after a header.
func Series(w io.Writer, kinds *catalog.Catalog, found []entity.ListedSeries) error {
	table := terminal.NewTable(w)
	table.Add("SUBJECT", "KIND", "STREAM", "FIRST SEEN", "LAST SEEN", "MEASURES")
	for _, l := range found {
		table.Add(seriesRow(l, kinds)...)
	}
	return table.Print()
}

// seriesRow returns the row of one series. The row of a profile has no kind.
func seriesRow(l entity.ListedSeries, kinds *catalog.Catalog) []string {
	name := arguments.SubjectText(l.Series.Subject, kinds)
	if l.Series.Kind == "" {
		return []string{name, "(profile)", "", "", "", ""}
	}
	one := httpapi.ListedSubjectsOf([]entity.ListedSeries{l}, "", kinds).Subjects[0].Series[0]
	return []string{name, l.Series.Kind, l.Series.Stream, hourText(l.First), hourText(l.Last), strings.Join(one.Measures, ", ")}
}

func hourText(t model.Time) string { return t.Time().Format("2006-01-02 15:04") }
