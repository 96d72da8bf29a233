package httpapi

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// SilentCount is the number of silent members of a group, as JSON.
type SilentCount struct {
	Group  string `json:"group"`
	Silent int    `json:"silent"`
}

// SilentCounts are the numbers of silent members of groups, as JSON.
type SilentCounts struct {
	Groups       []SilentCount `json:"groups"`
	WithoutGroup int           `json:"withoutGroup"`
	UnknownGroup int           `json:"unknownGroup"`
	NextPage
	Progress // the span ends at processedThrough
}

// NewSilentCounts returns counts as JSON.
func NewSilentCounts(counts query.SilentCounts, next string, p query.Progress) SilentCounts {
	return SilentCounts{
		Groups: lists.Map(counts.Groups, func(c query.SilentCount) SilentCount {
			return SilentCount{Group: c.Group, Silent: c.Silent}
		}),
		WithoutGroup: counts.None, UnknownGroup: counts.Unknown,
		NextPage: nextPage(next), Progress: FromProgress(p),
	}
}

// Lines has one line for each group, and one for the members without one.
func (c SilentCounts) Lines() []any {
	return append(toLines(c.Groups),
		map[string]int{"withoutGroup": c.WithoutGroup, "unknownGroup": c.UnknownGroup})
}

// Table has one row for each group. Members without a group, and members whose group is not known, are rows
// without a name.
func (c SilentCounts) Table() Table {
	t := Table{Header: []string{"group", "silent", "groupKnown"}}
	for _, g := range c.Groups {
		t.Rows = append(t.Rows, []string{g.Group, strconv.Itoa(g.Silent), "true"})
	}
	t.Rows = append(t.Rows, []string{"", strconv.Itoa(c.WithoutGroup), "true"})
	return Table{Header: t.Header, Rows: append(t.Rows, []string{"", strconv.Itoa(c.UnknownGroup), "false"})}
}
