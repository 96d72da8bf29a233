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
		if s.Removed {
			silent, seen = "not known", "(deleted)"
		}
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

// SilentCounts prints a line for each group with the numbers that were requested, after a header, and one
// each for the members without a group and for those whose group is not known.
func SilentCounts(w io.Writer, q query.Silent, counts query.SilentCounts) error {
	table := terminal.NewTable(w)
	line := func(name, members, silent string) {
		cells := []string{name}
		if q.Members {
			cells = append(cells, members)
		}
		if q.For > 0 {
			cells = append(cells, silent)
		}
		table.Add(cells...)
	}
	count := func(name string, c query.SilentCount) {
		line(name, terminal.Grouped(c.Members), terminal.Grouped(c.Silent))
	}
	line("GROUP", "MEMBERS", "SILENT")
	for _, g := range counts.Groups {
		count(g.Group, g)
	}
	for _, rest := range []struct {
		name string
		of   query.SilentCount
	}{{name: "(in no group)", of: counts.None}, {name: "(not known)", of: counts.Unknown}} {
		if rest.of.Members > 0 {
			count(rest.name, rest.of)
		}
	}
	return table.Print()
}
