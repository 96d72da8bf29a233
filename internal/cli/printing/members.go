package printing

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Members prints the first members of a group, and what is not known of them.
func Members(
	w io.Writer, q query.Members, ranks query.MemberRanks, total query.Total, units Units,
) error {
	table := terminal.NewTable(w, 1)
	title := strings.ToUpper(fmt.Sprintf("%s of %s", q.Ranking, q.Measure))
	if unit := units[q.Measure]; unit != "" && q.Ranking.By != rollup.ByCount {
		title += " (" + unit + ")"
	}
	table.Add("MEMBER", title)
	for _, m := range ranks.Members {
		table.Add(m.Member, m.Value.String())
	}
	if ranks.Places > 0 {
		if err := table.Print(); err != nil {
			return err
		}
	}
	notes := placesText(ranks.Places)
	if !total.Exact && len(total.Missing) == 0 {
		notes += inexactText(total)
	}
	_, err := fmt.Fprintf(w, "of %s events in %d buckets%s%s\n", terminal.Grouped(int(total.Summary.Events())),
		total.Buckets, caveats(true, total.Open), notes)
	if err != nil {
		return err
	}
	return Missing(w, total.Missing)
}

// placesText says which places of a list are not known.
func placesText(places int) string {
	switch places {
	case rollup.MaxMembers:
		return ""
	case 0:
		return "; the members are not known: a row was folded before lists of members existed, " +
			"or had no space for them"
	}
	return fmt.Sprintf("; only the first %d places are known, because members were purged", places)
}
