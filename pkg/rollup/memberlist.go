package rollup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holiman/uint256"
)

// memberRank is a member in a list: its statistic is value / count.
type memberRank struct {
	member string
	value  uint256.Int
	count  int64
}

// compare returns -1 if a is before b in a list.
func (k *rankingRow) compare(a, b memberRank) int {
	if k.Lowest {
		return cmp.Or(a.compareNumber(&b), strings.Compare(a.member, b.member))
	}
	return cmp.Or(b.compareNumber(&a), strings.Compare(a.member, b.member))
}

// compareNumber compares the statistics exactly.
func (m *memberRank) compareNumber(o *memberRank) int {
	a, b := m.value, o.value
	if m.count != o.count {
		a.Mul(&a, uint256.NewInt(uint64(o.count)))
		b.Mul(&b, uint256.NewInt(uint64(m.count)))
	}
	switch {
	case a.Slt(&b):
		return -1
	case a.Sgt(&b):
		return 1
	}
	return 0
}

// memberList has the first members of a ranking, as many as it has places; with fewer members than places it
// has all. Without places nothing is known. A list of fewer places is the beginning of the same list: so
// lists with different numbers of places merge exactly, to one with the fewer. Entries are never changed in
// place.
type memberList struct {
	places  int
	entries []memberRank
}

// merge returns the list of both.
func (k *rankingRow) merge(a, b memberList) memberList {
	places := min(a.places, b.places)
	for _, pair := range [...][2]memberList{{a, b}, {b, a}} {
		if full, rest := pair[0].entries, pair[1].entries; len(full) >= places &&
			(places == 0 || len(rest) == 0 || k.compare(full[places-1], rest[0]) < 0) {
			return memberList{places: places, entries: full[:places]}
		}
	}
	all := slices.Concat(a.entries, b.entries)
	slices.SortFunc(all, k.compare)
	list := memberList{places: places}
	for _, m := range all {
		if len(list.entries) < places && !list.has(m.member) {
			list.entries = append(list.entries, m)
		}
	}
	return list
}

func (l *memberList) has(member string) bool { return l.index(member) >= 0 }

func (l *memberList) index(member string) int {
	return slices.IndexFunc(l.entries, func(m memberRank) bool { return m.member == member })
}

// strike removes a member. In a list without a free place another member may come after the last one, of
// which nothing is known: the list loses the place.
func (l *memberList) strike(member string) (had bool) {
	i := l.index(member)
	if i < 0 {
		return false
	}
	if len(l.entries) == l.places {
		l.places--
	}
	l.entries = slices.Delete(slices.Clone(l.entries), i, i+1)
	return true
}

// memberLists are the lists of a measure, one for each of the rankings; nil if nothing is known.
type memberLists []memberList

// asMember returns t as the totals of a group of one member.
func (t *totals) asMember(member string) *totals {
	group := *t
	if group.members = nil; t.count == 0 {
		return &group
	}
	group.members = make(memberLists, len(rankings))
	for i, k := range rankings {
		m := k.of(t)
		m.member = member
		group.members[i] = memberList{places: MaxMembers, entries: []memberRank{m}}
	}
	return &group
}

// merge adds the lists of o. If they are not of other members of the same bucket, what does not merge is not
// known any more. Both are of measures with values.
func (l memberLists) merge(o memberLists, sameBucket bool) memberLists {
	if l == nil || o == nil {
		return nil
	}
	for i := range l {
		k := &rankings[i]
		if !sameBucket && !k.merges {
			l[i] = memberList{}
			continue
		}
		l[i] = k.merge(l[i], o[i])
	}
	return l
}

// grow returns the lists with values at a larger scale.
func (l memberLists) grow(digits int) memberLists {
	grown := slices.Clone(l)
	for i := range grown {
		if rankings[i].scaled {
			grown[i].entries = slices.Clone(l[i].entries)
			for e := range grown[i].entries {
				scaleUp(&grown[i].entries[e].value, digits)
			}
		}
	}
	return grown
}

// only returns the lists of some rankings.
func (l memberLists) only(keep func(*rankingRow) bool) memberLists {
	kept := slices.Clone(l)
	for i := range kept {
		if !keep(&rankings[i]) {
			kept[i] = memberList{}
		}
	}
	return kept
}

// known reports whether there is a list.
func (l memberLists) known() bool {
	return slices.ContainsFunc(l, func(m memberList) bool { return m.places > 0 })
}

// first returns a list of at most so many places.
func (l memberList) first(places int) memberList {
	places = min(places, l.places)
	return memberList{places: places, entries: l.entries[:min(places, len(l.entries))]}
}
