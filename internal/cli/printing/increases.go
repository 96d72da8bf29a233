package printing

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// Increases prints a line for each of the first groups, or of the first members of one, and what is not
// known.
func Increases(
	w io.Writer, q query.Increases, page query.IncreasesPage, group string, limit int, units Units,
) error {
	sums, err := query.SumIncreases(page.Members)
	if err != nil {
		return err
	}
	table := terminal.NewTable(w, 1, 2)
	title := "INCREASE OF " + strings.ToUpper(q.Measure)
	if unit := units[q.Measure]; unit != "" {
		title += " (" + unit + ")"
	}
	add := func(name string, g query.GroupIncrease, cells ...string) {
		value := g.Increase.String()
		if !g.Exact {
			value = "≈ " + value
		}
		table.Add(append(append([]string{name}, cells...), value)...)
	}
	left := 0
	if group != "" {
		table.Add("MEMBER", title)
		all := query.OfGroup(page.Members, group)
		left = len(all) - min(limit, len(all))
		for _, m := range all[:len(all)-left] {
			add(m.Member.ID, m.GroupIncrease)
		}
		if sum := sums.Group(group); sum.Members > 1 {
			add(fmt.Sprintf("(all %s)", terminal.Grouped(sum.Members)), sum)
		}
	} else {
		table.Add("GROUP", "MEMBERS", title)
		left = len(sums.Groups) - min(limit, len(sums.Groups))
		for _, g := range sums.Groups[:len(sums.Groups)-left] {
			add(g.Group.ID, g, terminal.Grouped(g.Members))
		}
		for _, rest := range []struct {
			name string
			of   query.GroupIncrease
		}{{name: "(in no group)", of: sums.None}, {name: "(not known)", of: sums.Unknown}} {
			if rest.of.Members > 0 {
				add(rest.name, rest.of, terminal.Grouped(rest.of.Members))
			}
		}
	}
	if none := len(sums.Groups)+sums.None.Members+sums.Unknown.Members == 0; none ||
		group != "" && sums.Group(group).Members == 0 {
		fmt.Fprintf(w, "no member has a reading of %s in the range\n", q.Measure)
	} else if err := table.Print(); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(w, "%s more: --limit 0 shows all\n", terminal.Grouped(left))
	}
	fmt.Fprintf(w, "from %s to %s", Bound(page.From), Bound(page.To))
	if page.Open {
		fmt.Fprint(w, ", where the last bucket of groups has closed")
	}
	fmt.Fprintln(w)
	if sums.MissingOf > 0 {
		fmt.Fprintf(w, "of %s members, of any group, something is not known:\n",
			terminal.Grouped(sums.MissingOf))
	}
	return Missing(w, append(page.Missing, sums.Missing...))
}
