package rollup

import (
	"slices"
	"strconv"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// MaxMembers is how many members a list has.
const MaxMembers = 10

// Statistic is a number that a member of a group has of a measure.
type Statistic string

// The statistics: the highest and lowest single value, and the sum, mean and count of all.
const (
	ByMax   Statistic = "max"
	ByMin   Statistic = "min"
	BySum   Statistic = "sum"
	ByMean  Statistic = "mean"
	ByCount Statistic = "count"
)

// Ranking is the order of a list of members: by a statistic, highest or lowest first, ties by name.
type Ranking struct {
	By     Statistic
	Lowest bool
}

func (r Ranking) String() string {
	if r.Lowest {
		return "lowest " + string(r.By)
	}
	return "highest " + string(r.By)
}

// rankingRow is a ranking of which rows of groups have a list.
type rankingRow struct {
	Ranking
	// merges says that the lists of several buckets merge. A member that is among the first of all buckets by
	// a single value is among the first of the bucket that has this value. Of sums, means and counts that is
	// not so: a member may be eleventh in every hour and first of the day.
	merges bool
	scaled bool // the value is at the measure's scale
	counts bool // the value is divided by a number of values
	of     func(t *totals) memberRank
}

// rankings are the lists of a measure, in the order in which they are stored. New ones go to the end.
var rankings = [...]rankingRow{
	{Ranking: Ranking{By: ByMax}, merges: true, scaled: true, of: memberMax},
	{Ranking: Ranking{By: ByMin, Lowest: true}, merges: true, scaled: true, of: memberMin},
	{Ranking: Ranking{By: BySum}, scaled: true, of: memberSum},
	{Ranking: Ranking{By: BySum, Lowest: true}, scaled: true, of: memberSum},
	{Ranking: Ranking{By: ByMean}, scaled: true, counts: true, of: memberMean},
	{Ranking: Ranking{By: ByMean, Lowest: true}, scaled: true, counts: true, of: memberMean},
	{Ranking: Ranking{By: ByCount}, of: memberCount},
	{Ranking: Ranking{By: ByCount, Lowest: true}, of: memberCount},
}

func whole(value uint256.Int) memberRank { return memberRank{value: value, count: 1} }

func memberMax(t *totals) memberRank   { return whole(t.max) }
func memberMin(t *totals) memberRank   { return whole(t.min) }
func memberSum(t *totals) memberRank   { return whole(t.sum) }
func memberMean(t *totals) memberRank  { return memberRank{value: t.sum, count: t.count} }
func memberCount(t *totals) memberRank { return whole(*uint256.NewInt(uint64(t.count))) }

// Known reports whether rows of groups have lists of a ranking.
func (r Ranking) Known() bool { return r.index() >= 0 }

// Merges reports whether buckets that were folded from rows of a finer tier have lists of the ranking, and
// whether the lists of several buckets can be merged.
func (r Ranking) Merges() bool { i := r.index(); return i >= 0 && rankings[i].merges }

func (r Ranking) index() int {
	return slices.IndexFunc(rankings[:], func(k rankingRow) bool { return k.Ranking == r })
}

// Member is a member of a group in a list.
type Member struct {
	Name  string        // as in Key.Member
	Value model.Decimal // its statistic; of a mean, the float64 nearest to it
}

// MemberList are the first members of a group by a ranking.
type MemberList struct {
	Members []Member // in order, each member once
	// Places is how many places of the list are known: MaxMembers, or fewer if members were struck out or the
	// list was merged with one of fewer. If there are fewer members than places, these are all. 0: nothing is
	// known, because the rows do not have the list.
	Places int
}

// Members returns the first members of a group by a statistic of a measure. A measure that no event has is of
// no member.
func (s *Summary) Members(measure string, by Ranking) MemberList {
	i, found := s.findMeasure(measure)
	if !found || s.measures[i].count == 0 {
		return MemberList{Places: MaxMembers}
	}
	t, at := &s.measures[i], by.index()
	if at < 0 || t.members == nil {
		return MemberList{}
	}
	list := MemberList{Places: t.members[at].places}
	for _, m := range t.members[at].entries {
		list.Members = append(list.Members, Member{Name: m.member, Value: rankings[at].decimal(&m, t.scale)})
	}
	return list
}

// decimal returns the statistic of a member.
func (k *rankingRow) decimal(m *memberRank, scale int) model.Decimal {
	switch {
	case k.counts:
		mean, _ := Measure{Count: m.count, Scale: scale, sum: m.value}.Avg()
		return model.MustDecimal(strconv.FormatFloat(mean, 'g', -1, 64))
	case k.scaled:
		return model.Unscaled(m.value, scale)
	}
	return model.Unscaled(m.value, 0)
}

// HasMember reports whether a list of s has a member.
func (s *Summary) HasMember(name string) bool {
	return slices.ContainsFunc(s.measures, func(t totals) bool {
		return slices.ContainsFunc(t.members, func(l memberList) bool { return l.has(name) })
	})
}

// StrikeMember removes a member from all lists of s, for a name that must not be stored, and reports whether
// one had it. Nothing else changes: sums keep the member's values.
func (s *Summary) StrikeMember(name string) (had bool) {
	for i := range s.measures {
		for l := range s.measures[i].members {
			had = s.measures[i].members[l].strike(name) || had
		}
	}
	return had
}

// WithPlaces returns s with no list of members longer than the same list of o, if o has it. Of two summaries
// of the same events, from one of which a member was struck out, one may have fewer places than the other.
func (s *Summary) WithPlaces(o *Summary) *Summary {
	short := *s
	short.measures = slices.Clone(s.measures)
	for i := range short.measures {
		t := &short.measures[i]
		at, found := o.findMeasure(t.name)
		if !found || t.members == nil || o.measures[at].members == nil {
			continue
		}
		t.members = slices.Clone(t.members)
		for l := range t.members {
			if places := o.measures[at].members[l].places; places > 0 {
				t.members[l] = t.members[l].first(places)
			}
		}
	}
	return &short
}
