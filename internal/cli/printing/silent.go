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

// SilentCounts prints a line for each group, after a header, and one each for the members without a group and
// for those whose group is not known.
func SilentCounts(w io.Writer, counts query.SilentCounts) error {
	table := terminal.NewTable(w)
	table.Add("GROUP", "SILENT")
	for _, g := range counts.Groups {
		table.Add(g.Group, terminal.Grouped(g.Silent))
	}
	for _, rest := range []query.SilentCount{
		{Group: "(in no group)", Silent: counts.None}, {Group: "(not known)", Silent: counts.Unknown},
	} {
		if rest.Silent > 0 {
			table.Add(rest.Group, terminal.Grouped(rest.Silent))
		}
	}
	return table.Print()
}
