package rollup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// This file writes and reads details. Version says their format.

// encodeDetails returns the details; nil if there are none.
func (s *Summary) encodeDetails() (dst []byte) {
	n := 0
	for _, d := range s.details {
		if d.events() > 0 {
			n, dst = n+1, s.encodeDetail(dst, d)
		}
	}
	if n == 0 {
		return nil
	}
	return append(appendCount(nil, int64(n)), dst...)
}

func (s *Summary) encodeDetail(dst []byte, d *detail) []byte {
	stored, rest := s.kept(d)
	dst = appendCount(appendText(dst, d.name), int64(len(stored)))
	for i, value := range s.storedValues(d.name) {
		if bytes := stored[value]; bytes != nil {
			dst = append(appendCount(dst, int64(i)), bytes...)
		}
	}
	return d.blank.encode(rest.encode(dst, s), s)
}

// storedValues returns the values of a dimension in the order in which they are stored.
func (s *Summary) storedValues(name string) []string {
	i, found := s.findDimension(name)
	if !found {
		return nil
	}
	values, _ := s.dimensions[i].top(s.spec.top(name))
	all := lists.Map(values, func(v ValueCount) string { return v.Value })
	slices.Sort(all)
	return all
}

// encode appends what p has of the measures and distinct counts of s.
func (p *part) encode(dst []byte, s *Summary) []byte {
	if dst = appendCount(dst, p.events); p.events == 0 {
		return dst
	}
	n, list := 0, []byte(nil)
	for i := range p.sums {
		if at, found := s.findMeasure(p.sums[i].name); found {
			n, list = n+1, append(appendCount(list, int64(at)), byte(p.sums[i].scale))
			list = appendSigned(appendCount(list, p.sums[i].count), &p.sums[i].sum)
		}
	}
	dst = append(appendCount(dst, int64(n)), list...)
	n, list = 0, nil
	for _, d := range p.distincts {
		if at, found := s.findDistinct(d.name); found {
			n, list = n+1, d.encodeSet(appendCount(list, int64(at)))
		}
	}
	return append(appendCount(dst, int64(n)), list...)
}

// detail reads the detail of a dimension of s, of which everything else has been read.
func (r *reader) detail(s *Summary) *detail {
	d := &detail{name: r.text(), parts: map[string]*part{}}
	values := s.storedValues(d.name)
	sorted(r, minPartBytes, func(at *int64) {
		*at = r.index(len(values))
		if p := r.part(s); r.err == nil {
			r.check(p.events > 0, "value without events")
			d.parts[values[*at]] = p
		}
	}, func(a, b *int64) int { return cmp.Compare(*a, *b) })
	d.rest, d.blank = *r.part(s), *r.part(s)
	return d
}

func (r *reader) part(s *Summary) *part {
	p := &part{events: r.count(s.events)}
	if p.events == 0 {
		return p
	}
	p.sums = sorted(r, minSumBytes, func(sum *partSum) { r.sum(sum, s, p.events) },
		func(a, b *partSum) int { return strings.Compare(a.name, b.name) })
	p.distincts = sorted(r, minSetBytes, func(d **distinct) {
		*d = &distinct{form: ofParts}
		if at := r.index(len(s.distincts)); r.err == nil {
			(*d).name = s.distincts[at].name
		}
		r.set(*d)
	}, func(a, b **distinct) int { return strings.Compare((*a).name, (*b).name) })
	return p
}

func (r *reader) sum(sum *partSum, s *Summary, events int64) {
	if at := r.index(len(s.measures)); r.err == nil {
		sum.name = s.measures[at].name
	}
	sum.scale = int(r.byte())
	sum.count = r.count(events)
	sum.sum = r.signed()
	r.check(sum.count > 0 && sum.scale <= MaxScale, "sum without values")
	if r.err == nil {
		var most, n uint256.Int
		most.Mul(&powersOf10[model.MaxMeasureDigits], &powersOf10[sum.scale])
		most.Mul(&most, n.SetUint64(uint64(sum.count)))
		r.check(!n.Abs(&sum.sum).Gt(&most), "sum that no values can have")
	}
}

// index reads the index of one of n elements.
func (r *reader) index(n int) int64 {
	i := r.count(maxEvents)
	r.check(i < int64(n), "index")
	return i
}
