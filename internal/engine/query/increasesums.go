package query

import (
	"cmp"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// IncreaseSums are the increases of some members, added up. The sums of several pages add up.
type IncreaseSums struct {
	Groups  []GroupIncrease // the greatest increase first, then by id
	None    GroupIncrease   // of readings in no group
	Unknown GroupIncrease   // of readings whose group is not known
	// Missing are the parts of the range of which something is not known of MissingOf members: they may
	// belong to any group.
	Missing   []Segment
	MissingOf int
	Exact     bool // all of it, and each group is known
}

// sumIncreases adds up the increases of members by their groups.
func sumIncreases(all []MemberIncreases) (sums IncreaseSums, err error) {
	byGroup := map[MemberGroup]*GroupIncrease{}
	for _, m := range all {
		for _, one := range m.Groups {
			sum := byGroup[one.Group]
			if sum == nil {
				sum = &GroupIncrease{Group: one.Group, Exact: true}
				byGroup[one.Group] = sum
			}
			sum.Members += one.Members
			if err := sum.add(one); err != nil {
				return sums, err
			}
		}
		if len(m.Missing) > 0 {
			sums.Missing, sums.MissingOf = append(sums.Missing, m.Missing...), sums.MissingOf+1
		}
	}
	sums.Missing = union(sums.Missing)
	whole := sums.MissingOf == 0 && byGroup[MemberGroup{Unknown: true}] == nil
	sums.Exact = whole
	for group, sum := range byGroup {
		sum.Exact = sum.Exact && whole
		sums.Exact = sums.Exact && sum.Exact
		switch {
		case group.Unknown:
			sums.Unknown = *sum
		case group.ID == "":
			sums.None = *sum
		default:
			sums.Groups = append(sums.Groups, *sum)
		}
	}
	slices.SortFunc(sums.Groups, func(a, b GroupIncrease) int {
		return cmp.Or(b.compare(a), cmp.Compare(a.Group.ID, b.Group.ID))
	})
	return sums, nil
}

// compare orders increases; one that is not known is less than any.
func (g GroupIncrease) compare(o GroupIncrease) int {
	switch {
	case g.Increase == nil && o.Increase == nil:
		return 0
	case g.Increase == nil:
		return -1
	case o.Increase == nil:
		return 1
	}
	return g.Increase.Cmp(*o.Increase)
}

// Group returns the sum of one group; of no members if there is none.
func (s IncreaseSums) Group(id string) GroupIncrease {
	for _, g := range s.Groups {
		if g.Group.ID == id {
			return g
		}
	}
	return GroupIncrease{Group: MemberGroup{ID: id}, Exact: true}
}

// MemberIncrease is what a counter of a member has counted in one group.
type MemberIncrease struct {
	Member model.Subject
	GroupIncrease
}

// OfGroup returns the increases of members in one group, the greatest first, then by id.
func OfGroup(all []MemberIncreases, id string) (members []MemberIncrease) {
	for _, m := range all {
		for _, one := range m.Groups {
			if one.Group == (MemberGroup{ID: id}) {
				isUnknown := func(g GroupIncrease) bool { return g.Group.Unknown }
				one.Exact = one.Exact && len(m.Missing) == 0 && !slices.ContainsFunc(m.Groups, isUnknown)
				members = append(members, MemberIncrease{Member: m.Member, GroupIncrease: one})
			}
		}
	}
	slices.SortFunc(members, func(a, b MemberIncrease) int {
		return cmp.Or(b.compare(a.GroupIncrease), cmp.Compare(a.Member.ID, b.Member.ID))
	})
	return members
}
