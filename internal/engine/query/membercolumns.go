package query

import "github.com/tidemark-db/tidemark/pkg/rollup"

// TopMembers are the members of a group with the highest and the lowest values of a measure. A list and its
// places are nil if they are not known, and in rows that are not of groups.
type TopMembers struct {
	Highest       []Member `json:"highest,omitzero"`
	HighestPlaces *int64   `json:"highestPlaces,omitzero"`
	Lowest        []Member `json:"lowest,omitzero"`
	LowestPlaces  *int64   `json:"lowestPlaces,omitzero"`
}

// TopMembers returns the highest members of a group by max of a measure, and the lowest by min.
func (r Rollup) TopMembers(measure string) (t TopMembers) {
	t.Highest, t.HighestPlaces = r.knownMembers(measure, rollup.Ranking{By: rollup.ByMax})
	t.Lowest, t.LowestPlaces = r.knownMembers(measure, rollup.Ranking{By: rollup.ByMin, Lowest: true})
	return t
}

func (r Rollup) knownMembers(measure string, by rollup.Ranking) ([]Member, *int64) {
	ranks := r.Members(measure, by)
	if ranks.Places == 0 {
		return nil, nil
	}
	return ranks.Members, new(int64(ranks.Places))
}

// MemberColumn is a column of a list of members in files.
type MemberColumn struct {
	Name string // as in JSON
	// Value returns a []Member or a *int64, nil if it is not known.
	Value func(TopMembers) any
}

// MemberColumns has a row for each field of TopMembers, in the order of columns. They come behind all other
// columns of a row.
var MemberColumns = []MemberColumn{
	{Name: "highest", Value: func(t TopMembers) any { return t.Highest }},
	{Name: "highestPlaces", Value: func(t TopMembers) any { return t.HighestPlaces }},
	{Name: "lowest", Value: func(t TopMembers) any { return t.Lowest }},
	{Name: "lowestPlaces", Value: func(t TopMembers) any { return t.LowestPlaces }},
}
