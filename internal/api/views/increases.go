package views

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// GroupIncrease is what a counter of the members of a group has counted, as JSON.
type GroupIncrease struct {
	Group    string         `json:"group,omitempty"`
	Members  int            `json:"members"`
	Increase *model.Decimal `json:"increase,omitempty"` // nil: no step is known
	Exact    bool           `json:"exact"`
}

// MemberIncrease is what a counter of one member has counted in a group, as JSON.
type MemberIncrease struct {
	Member   string         `json:"member"`
	Increase *model.Decimal `json:"increase,omitempty"`
	Exact    bool           `json:"exact"`
}

// Increases are what a counter of the members of groups has counted, as JSON.
type Increases struct {
	Measure string     `json:"measure"`
	From    model.Time `json:"from"`
	To      model.Time `json:"to"`
	Open    bool       `json:"open"` // the range goes on after the last bucket that has closed
	// Groups are the groups, or the one that was requested.
	Groups       []GroupIncrease  `json:"groups"`
	WithoutGroup *GroupIncrease   `json:"withoutGroup,omitempty"`
	UnknownGroup *GroupIncrease   `json:"unknownGroup,omitempty"`
	Members      []MemberIncrease `json:"members,omitzero"` // of the group that was requested
	Exact        bool             `json:"exact"`
	// Missing is what is not known of MissingOf members.
	Missing   []Missing `json:"missing,omitempty"`
	MissingOf int       `json:"missingOf,omitempty"`
	NextPage
	Progress
}

// NewIncreases returns a page of increases as JSON: of all groups, or of one and its members.
func NewIncreases(q query.Increases, page query.IncreasesPage, group string) Increases {
	sums := page.Sums
	v := Increases{
		Measure: q.Measure, From: page.From, To: min(page.To, model.MaxTime), Open: page.Open,
		Groups: []GroupIncrease{}, WithoutGroup: optionalIncrease(sums.None),
		UnknownGroup: optionalIncrease(sums.Unknown), Exact: sums.Exact,
		Missing: missingParts(sums.Missing), MissingOf: sums.MissingOf,
		NextPage: nextPage(page.Next), Progress: FromProgress(page.Progress),
	}
	for _, g := range sums.Groups {
		if group == "" || g.Group.ID == group {
			v.Groups = append(v.Groups, groupIncrease(g))
		}
	}
	if group != "" {
		v.Members = lists.Map(query.OfGroup(page.Members, group), memberIncrease)
	}
	return v
}

func memberIncrease(m query.MemberIncrease) MemberIncrease {
	return MemberIncrease{Member: m.Member.ID, Increase: m.Increase, Exact: m.Exact}
}

func groupIncrease(g query.GroupIncrease) GroupIncrease {
	return GroupIncrease{Group: g.Group.ID, Members: g.Members, Increase: g.Increase, Exact: g.Exact}
}

// optionalIncrease returns nil for an increase of no member.
func optionalIncrease(g query.GroupIncrease) *GroupIncrease {
	if g.Members == 0 {
		return nil
	}
	return new(groupIncrease(g))
}

// Lines has one line for each group, or for each member of the one that was requested.
func (v Increases) Lines() []any {
	if v.Members != nil {
		return toLines(v.Members)
	}
	return toLines(v.Groups)
}

// Table has one row for each group, and one each without a name for readings in no group and for readings
// whose group is not known; or one row for each member of the group that was requested.
func (v Increases) Table() Table {
	if v.Members != nil {
		return Table{Header: []string{"member", "increase", "exact"},
			Rows: lists.Map(v.Members, func(m MemberIncrease) []string {
				return []string{m.Member, DecimalText(m.Increase), strconv.FormatBool(m.Exact)}
			})}
	}
	t := Table{Header: []string{"group", "members", "increase", "exact", "groupKnown"}}
	add := func(g GroupIncrease, known bool) {
		t.Rows = append(t.Rows, []string{g.Group, strconv.Itoa(g.Members), DecimalText(g.Increase),
			strconv.FormatBool(g.Exact), strconv.FormatBool(known)})
	}
	for _, g := range v.Groups {
		add(g, true)
	}
	if v.WithoutGroup != nil {
		add(*v.WithoutGroup, true)
	}
	if v.UnknownGroup != nil {
		add(*v.UnknownGroup, false)
	}
	return t
}
