package printing

import (
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Silent prints a line for each silent subject, after a header. The time of silence is until through.
func Silent(w io.Writer, kinds *catalog.Catalog, found []query.SilentSubject, through model.Time) error {
	table := terminal.NewTable(w)
	table.Add("SUBJECT", "SILENT FOR", "LAST SEEN", "KIND", "STREAM")
	for _, s := range found {
		silent, seen := "never sent", ""
		if s.LastSeen != nil {
			silent = times.Span(through.Sub(*s.LastSeen).Truncate(time.Second)).Text()
			seen = s.LastSeen.String()
			if s.Rounded {
				silent, seen = "about "+silent, seen+" (hour)"
			}
		}
		table.Add(arguments.SubjectText(s.Subject, kinds), silent, seen, s.Newest.Kind, s.Newest.Stream)
	}
	return table.Print()
}
