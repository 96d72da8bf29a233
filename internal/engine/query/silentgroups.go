package query

import (
	"cmp"
	"slices"
)

// SilentCounts are numbers of silent subjects. Counts of several pages add up.
type SilentCounts struct {
	Groups  []SilentCount // each group with one at least, the most first, then by id
	None    int           // subjects that never had an event of the groups' kind, or none with the field
	Unknown int           // subjects of which no event is stored any more, or none that can be decoded
}

// SilentCount is the number of silent subjects of a group.
type SilentCount struct {
	Group  string
	Silent int
}

// CountSilent counts subjects that were read with Silent.By by their groups.
func CountSilent(found []SilentSubject) (counts SilentCounts) {
	byGroup := map[string]int{}
	for _, one := range found {
		switch {
		case one.Group.Unknown:
			counts.Unknown++
		case one.Group.ID == "":
			counts.None++
		default:
			byGroup[one.Group.ID]++
		}
	}
	for id, n := range byGroup {
		counts.Groups = append(counts.Groups, SilentCount{Group: id, Silent: n})
	}
	slices.SortFunc(counts.Groups, func(a, b SilentCount) int {
		return cmp.Or(cmp.Compare(b.Silent, a.Silent), cmp.Compare(a.Group, b.Group))
	})
	return counts
}
