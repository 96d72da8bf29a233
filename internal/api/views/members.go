package views

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Members are the first members of a group as JSON.
type Members struct {
	Measure   string           `json:"measure"`
	Statistic rollup.Statistic `json:"statistic"`
	Lowest    bool             `json:"lowest"`
	Tier      string           `json:"tier"`
	Buckets   int              `json:"buckets"`
	Open      bool             `json:"open"`
	Events    int64            `json:"events"`
	query.MemberRanks
	Exact   bool      `json:"exact"`
	Missing []Missing `json:"missing,omitempty"` // what is not known of the range
	Progress
}

// FromMembers returns the members of a group as JSON. total is the total of their range.
func FromMembers(q query.Members, ranks query.MemberRanks, total query.Total) Members {
	return Members{
		Measure: q.Measure, Statistic: q.Ranking.By, Lowest: q.Ranking.Lowest, Tier: q.Unit.String(),
		Buckets: total.Buckets, Open: total.Open, Events: total.Summary.Events(), MemberRanks: ranks,
		Exact: total.Exact, Missing: missingParts(total.Missing), Progress: FromProgress(total.Progress),
	}
}

// Lines has one line for each member, or one without a member if they are not known.
func (m Members) Lines() []any {
	if m.Places == 0 {
		return []any{m}
	}
	return toLines(m.MemberRanks.Members)
}

// Table has one row for each member, or one of empty cells if they are not known.
func (m Members) Table() Table {
	t := Table{Header: []string{"member", string(m.Statistic)}, Rows: [][]string{{"", ""}}}
	if m.Places > 0 {
		t.Rows = lists.Map(m.MemberRanks.Members, func(one query.Member) []string {
			return []string{one.Member, one.Value.String()}
		})
	}
	return t
}
