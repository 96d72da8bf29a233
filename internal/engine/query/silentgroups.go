package query

import (
	"cmp"
	"slices"
)

// SilentCounts are numbers of members. Counts of several pages add up.
type SilentCounts struct {
	Groups  []SilentCount // each group with a member, the most silent first, then the most members, then by id
	None    SilentCount   // subjects that never had an event of the groups' kind, or none with the field
	Unknown SilentCount   // subjects of which no event is stored any more, or none that can be decoded
}

// SilentCount is the number of members of a group. Members are all of them only with Silent.Members.
type SilentCount struct {
	Group           string
	Members, Silent int
}

// CountSilent counts subjects that were read with Silent.By by their groups.
func CountSilent(found []SilentSubject) (counts SilentCounts) {
	byGroup := map[string]*SilentCount{}
	for _, one := range found {
		count := &counts.None
		switch {
		case one.Group.Unknown:
			count = &counts.Unknown
		case one.Group.ID != "":
			if count = byGroup[one.Group.ID]; count == nil {
				count = &SilentCount{Group: one.Group.ID}
				byGroup[one.Group.ID] = count
			}
		}
		count.Members++
		if !one.Active {
			count.Silent++
		}
	}
	for _, count := range byGroup {
		counts.Groups = append(counts.Groups, *count)
	}
	slices.SortFunc(counts.Groups, func(a, b SilentCount) int {
		return cmp.Or(cmp.Compare(b.Silent, a.Silent), cmp.Compare(b.Members, a.Members),
			cmp.Compare(a.Group, b.Group))
	})
	return counts
}
