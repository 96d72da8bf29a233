package rollup

import (
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// This file writes and reads lists of members. Version says their format.

const (
	placesShift = 4  // of the head of a list: places above, members below
	maxShared   = 63 // so that reading many names takes no more memory than a few times their bytes
	// maxMemberName is the longest name of a member: a sort key has 1,024 bytes.
	maxMemberName = 1024
	minNameBytes  = 2
	minListsBytes = 3
)

// encodeMembers returns the names of all members in lists and the lists; nil if there are none.
func (s *Summary) encodeMembers() (dst []byte) {
	names := s.memberNames()
	n := 0
	for i := range s.measures {
		if t := &s.measures[i]; t.members.known() {
			n, dst = n+1, t.encodeMembers(appendCount(dst, int64(i)), names)
		}
	}
	if n == 0 {
		return nil
	}
	return append(appendCount(appendNames(nil, names), int64(n)), dst...)
}

// memberNames returns the names in all lists, sorted, each once.
func (s *Summary) memberNames() (names []string) {
	for i := range s.measures {
		for _, l := range s.measures[i].members {
			for _, m := range l.entries {
				names = append(names, m.member)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// appendNames appends sorted names, each as the number of bytes that it shares with the name before, and the
// rest: names of devices differ at their ends.
func appendNames(dst []byte, names []string) []byte {
	dst = appendCount(dst, int64(len(names)))
	before := ""
	for _, name := range names {
		n := shared(before, name)
		dst = appendText(append(dst, byte(n)), name[n:])
		before = name
	}
	return dst
}

// shared returns with how many bytes of a b begins, at most maxShared.
func shared(a, b string) (n int) {
	for n < min(len(a), len(b), maxShared) && a[n] == b[n] {
		n++
	}
	return n
}

func (t *totals) encodeMembers(dst []byte, names []string) []byte {
	known := byte(0)
	for i := range t.members {
		if t.members[i].places > 0 {
			known |= 1 << i
		}
	}
	dst = append(dst, known)
	for i := range t.members {
		if t.members[i].places > 0 {
			dst = rankings[i].encode(dst, t.members[i], t.scale, names)
		}
	}
	return dst
}

// encode appends a list, with the values without their common trailing zeros.
func (k *rankingRow) encode(dst []byte, l memberList, scale int, names []string) []byte {
	dst = append(dst, byte(l.places<<placesShift|len(l.entries)))
	zeros := 0
	if k.scaled && len(l.entries) > 0 {
		zeros = l.zeros(scale)
		dst = append(dst, byte(zeros))
	}
	for _, m := range l.entries {
		at, _ := slices.BinarySearch(names, m.member)
		var short uint256.Int
		dst = appendSigned(appendCount(dst, int64(at)), short.SDiv(&m.value, &powersOf10[zeros]))
		if k.counts {
			dst = appendCount(dst, m.count)
		}
	}
	return dst
}

// zeros returns the number of trailing decimal zeros, up to the scale, that all values have.
func (l *memberList) zeros(scale int) int {
	for i := range l.entries {
		for !divisible(&l.entries[i].value, scale) {
			scale--
		}
	}
	return scale
}

// members reads the lists of the measures of s, which have been read.
func (r *reader) members(s *Summary) {
	before := ""
	names := sorted(r, minNameBytes, func(name *string) {
		n := int(r.byte())
		if r.check(n <= min(len(before), maxShared), "name of a member"); r.err == nil {
			*name = before[:n] + r.text()
			before = *name
		}
		r.check(len(before) <= maxMemberName, "name of a member")
	}, func(a, b *string) int { return strings.Compare(*a, *b) })
	r.eachMeasure(s, minListsBytes, func(t *totals) { r.measureMembers(t, names) })
}

func (r *reader) measureMembers(t *totals, names []string) {
	known := r.byte()
	t.members = make(memberLists, len(rankings))
	for i := range t.members {
		if known&(1<<i) != 0 {
			r.memberList(t, i, names)
		}
	}
}

func (r *reader) memberList(t *totals, i int, names []string) {
	k, l := &rankings[i], &t.members[i]
	head := r.byte()
	l.places = int(head >> placesShift)
	n := int(head & (1<<placesShift - 1))
	zeros := 0
	if k.scaled && n > 0 {
		zeros = int(r.byte())
	}
	r.check(l.places > 0 && l.places <= MaxMembers && n <= l.places && zeros <= t.scale, "list of members")
	for ; n > 0 && r.err == nil; n-- {
		m := memberRank{count: 1}
		if at := r.index(len(names)); r.err == nil {
			m.member = names[at]
		}
		m.value = r.signed()
		if k.counts {
			m.count = r.count(t.count)
		}
		scaleUp(&m.value, zeros)
		r.check(t.plausibleMember(k, &m), "number that no member can have")
		r.check(!l.has(m.member), "member twice")
		if e := len(l.entries); e > 0 && r.err == nil {
			r.check(k.compare(l.entries[e-1], m) < 0, "order of a list")
		}
		l.entries = append(l.entries, m)
	}
}

// plausibleMember reports whether a value is within the bounds of sums. If it is, comparing never overflows.
func (t *totals) plausibleMember(k *rankingRow, m *memberRank) bool {
	var most, n uint256.Int
	n.SetUint64(uint64(t.count))
	if k.scaled {
		most.Mul(&powersOf10[model.MaxMeasureDigits], &powersOf10[t.scale])
		n.Mul(&n, &most)
	}
	return m.count > 0 && !most.Abs(&m.value).Gt(&n)
}
