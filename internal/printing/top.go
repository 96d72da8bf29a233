package printing

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

// Top prints the most frequent values of a dimension, and what they were counted from.
func Top(w io.Writer, dimension string, values query.TopValues, total query.Total) error {
	table := terminal.NewTable(w, 1, 2)
	table.Add(strings.ToUpper(dimension), "COUNT", "SHARE")
	counted := values.Other
	for _, v := range values.Values {
		counted += v.Count
		table.Add(v.Value, strconv.FormatInt(v.Count, 10), percent(v.Share))
	}
	if values.Other > 0 {
		table.Add("(any other)", strconv.FormatInt(values.Other, 10), percent(float64(values.Other)/float64(counted)))
	}
	if err := table.Print(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "of %s events%s in %d buckets%s\n", terminal.Grouped(int(total.Summary.Events())), byKind(total.Kinds), total.Buckets, caveats(values.Exact, total.Open))
	return err
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// byKind returns how many events each kind has, if several are counted together.
func byKind(kinds []query.KindEvents) string {
	var parts []string
	for _, k := range kinds {
		if k.Events > 0 {
			parts = append(parts, terminal.Grouped(int(k.Events))+" "+k.Kind)
		}
	}
	if len(kinds) < 2 || len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func caveats(exact, open bool) string {
	var text string
	if open {
		text += "; the last bucket is still open"
	}
	if !exact {
		text += "; not exact: a row does not hold every value, misses a change that arrived too late, or was folded before the dimension was declared"
	}
	return text
}
