package views

import (
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// SilentCount is the number of members of a group, and of silent ones, as JSON. A number that was not
// requested is nil.
type SilentCount struct {
	Group   string `json:"group"`
	Members *int   `json:"members,omitzero"`
	Silent  *int   `json:"silent,omitzero"`
}

// SilentCounts are the numbers of members of groups, and of silent ones, as JSON.
type SilentCounts struct {
	Groups []SilentCount `json:"groups"`
	Ungrouped
	NextPage
	Progress // the span ends at processedThrough
}

// Ungrouped are the numbers of members that are in no group, and of those whose group is not known.
type Ungrouped struct {
	WithoutGroup        *int `json:"withoutGroup,omitzero"` // silent ones
	UnknownGroup        *int `json:"unknownGroup,omitzero"`
	MembersWithoutGroup *int `json:"membersWithoutGroup,omitzero"`
	MembersUnknownGroup *int `json:"membersUnknownGroup,omitzero"`
}

// NewSilentCounts returns counts as JSON: the numbers that were requested.
func NewSilentCounts(q query.Silent, counts query.SilentCounts, next string, p query.Progress) SilentCounts {
	counted := func(c query.SilentCount) (v SilentCount) {
		v.Group = c.Group
		if q.Members {
			v.Members = &c.Members
		}
		if q.For > 0 {
			v.Silent = &c.Silent
		}
		return v
	}
	none, unknown := counted(counts.None), counted(counts.Unknown)
	return SilentCounts{
		Groups: lists.Map(counts.Groups, counted),
		Ungrouped: Ungrouped{
			WithoutGroup: none.Silent, UnknownGroup: unknown.Silent,
			MembersWithoutGroup: none.Members, MembersUnknownGroup: unknown.Members,
		},
		NextPage: nextPage(next), Progress: FromProgress(p),
	}
}

// Lines has one line for each group, and one for the members without one.
func (c SilentCounts) Lines() []any {
	return append(toLines(c.Groups), c.Ungrouped)
}

// Table has one row for each group. Members without a group, and members whose group is not known, are rows
// without a name.
func (c SilentCounts) Table() Table {
	none := SilentCount{Members: c.MembersWithoutGroup, Silent: c.WithoutGroup}
	unknown := SilentCount{Members: c.MembersUnknownGroup, Silent: c.UnknownGroup}
	t := Table{Header: []string{"group"}}
	if none.Members != nil {
		t.Header = append(t.Header, "members")
	}
	if none.Silent != nil {
		t.Header = append(t.Header, "silent")
	}
	t.Header = append(t.Header, "groupKnown")
	for i, g := range append(slices.Clone(c.Groups), none, unknown) {
		row := []string{g.Group}
		for _, n := range []*int{g.Members, g.Silent} {
			if n != nil {
				row = append(row, strconv.Itoa(*n))
			}
		}
		t.Rows = append(t.Rows, append(row, strconv.FormatBool(i <= len(c.Groups))))
	}
	return t
}
