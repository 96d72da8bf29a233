package printing

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Increases prints a line for each of the first groups, or of the first members of one, and what is not
// known. A limit of 0 is none.
func (f Times) Increases(
	w io.Writer, q query.Increases, page query.IncreasesPage, group string, limit int, units Units,
) error {
	sums := page.Sums
	table := terminal.NewTable(w, 1, 2)
	title := "INCREASE OF " + strings.ToUpper(q.Measure)
	if unit := units[q.Measure]; unit != "" {
		title += " (" + unit + ")"
	}
	more := 0
	if group != "" {
		table.Add("MEMBER", title)
		members := query.OfGroup(page.Members, group)
		members, more = first(members, limit)
		for _, m := range members {
			table.Add(m.Member.ID, increaseText(m.GroupIncrease))
		}
		if sum := sums.Group(group); sum.Members > 1 {
			table.Add(fmt.Sprintf("(all %s)", terminal.Grouped(sum.Members)), increaseText(sum))
		}
	} else {
		table.Add("GROUP", "MEMBERS", title)
		add := func(name string, g query.GroupIncrease) {
			if g.Members > 0 {
				table.Add(name, terminal.Grouped(g.Members), increaseText(g))
			}
		}
		var groups []query.GroupIncrease
		groups, more = first(sums.Groups, limit)
		for _, g := range groups {
			add(g.Group.ID, g)
		}
		add("(in no group)", sums.None)
		add("(not known)", sums.Unknown)
	}
	if table.Len() > 1 {
		if err := table.Print(); err != nil {
			return err
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "%s more: --limit 0 shows all\n", terminal.Grouped(more))
	}
	fmt.Fprintln(w, f.counted(q, page, table.Len() == 1))
	if sums.MissingOf > 0 {
		fmt.Fprintf(w, "of %s members, of any group, something is not known:\n",
			terminal.Grouped(sums.MissingOf))
	}
	return Missing(w, sums.Missing)
}

// counted says which part of a range was counted, and of what if nothing was found.
func (f Times) counted(q query.Increases, page query.IncreasesPage, none bool) string {
	if page.From == page.To {
		return "no bucket of the range has closed for groups"
	}
	text := fmt.Sprintf("from %s to %s", f.bound(page.From), f.bound(page.To))
	switch {
	case none && len(q.Streams) == 0:
		text = "no member has a reading of " + q.Measure + " without a stream (--stream names one) " + text
	case none:
		text = "no member has a reading of " + q.Measure + " in these streams " + text
	}
	if page.Open {
		text += "; later buckets have not closed for groups"
	}
	return text
}

func (f Times) bound(t model.Time) string {
	if t <= model.MinTime {
		return Bound(t)
	}
	return f.Text(t)
}

// increaseText returns an increase, with ≈ if it is not exact; a dash if it is not known.
func increaseText(g query.GroupIncrease) string {
	switch {
	case g.Increase == nil:
		return "–"
	case !g.Exact:
		return "≈ " + views.DecimalText(g.Increase)
	}
	return views.DecimalText(g.Increase)
}

// first returns the first elements, and how many more there are. A limit of 0 is none.
func first[T any](all []T, limit int) (some []T, more int) {
	if limit == 0 || len(all) <= limit {
		return all, 0
	}
	return all[:limit], len(all) - limit
}
