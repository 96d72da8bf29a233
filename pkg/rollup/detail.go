package rollup

import (
	"math"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// detail has, for the values of a dimension, what the summary has for all events: the sums of declared
// measures and the distinct counts. In memory it has all values. A row keeps the most frequent ones that fit
// into the bytes that the dimension declares.
type detail struct {
	name  string // of the dimension
	parts map[string]*part
	rest  part // events of all other values
	blank part // events without a value
}

// part is what is known of some events: sums and distinct counts, each sorted by name.
type part struct {
	events    int64
	sums      []partSum
	distincts []*distinct
}

// partSum is the sum of a measure at a scale.
type partSum struct {
	name  string
	scale int
	count int64 // of valid values
	sum   uint256.Int
}

// addDetails adds an event to the details that are declared.
func (s *Summary) addDetails(e *model.Event) {
	if !s.spec.detailed() {
		return
	}
	one := s.eventPart(e)
	for i := range s.spec.Dimensions {
		spec := &s.spec.Dimensions[i]
		if spec.Detail == 0 {
			continue
		}
		d := s.detail(spec.Name)
		switch text, ok := spec.text(e.Attrs); {
		case !ok:
			d.blank.merge(one)
		case len(text) > spec.longest():
			d.rest.merge(one)
		default:
			d.part(text).merge(one)
		}
	}
}

// addPairs counts the pairs of values of an event.
func (s *Summary) addPairs(e *model.Event) {
	if s.spec == nil {
		return
	}
	for i := range s.spec.Dimensions {
		spec := &s.spec.Dimensions[i]
		if !spec.IsPair() {
			continue
		}
		switch text, ok := spec.text(e.Attrs); {
		case !ok:
		case len(text) > spec.longest():
			s.dimension(spec.Name).other++
		default:
			s.dimension(spec.Name).add(text, 1)
		}
	}
}

// eventPart returns the part of one event. It is valid until the next call.
func (s *Summary) eventPart(e *model.Event) *part {
	one := &s.one
	*one = part{events: 1, sums: one.sums[:0], distincts: one.distincts[:0]}
	for i := range e.Attrs {
		attr := &e.Attrs[i]
		if m := s.spec.measure(attr.Name); m != nil && attr.Value.Kind == model.Number {
			if n, _, ok := attr.Value.Number.Scaled(m.Scale); ok {
				one.sums = append(one.sums, partSum{name: m.Name, scale: m.Scale, count: 1, sum: n})
			}
			continue
		}
		if text, ok := plainText(&attr.Value); ok && s.spec.distinct(attr.Name) {
			d := newDistinct(attr.Name, ofParts)
			d.add(s.hash(text))
			one.distincts = append(one.distincts, d)
		}
	}
	return one
}

// part returns the part of a value, creating it if needed.
func (d *detail) part(value string) *part {
	if d.parts[value] == nil {
		d.parts[value] = new(part)
	}
	return d.parts[value]
}

// hideDetail moves the events of a value of a dimension to its other values.
func (s *Summary) hideDetail(dimension, value string) {
	i, found := slices.BinarySearchFunc(s.details, dimension, byDetailName)
	if !found || s.details[i].parts[value] == nil {
		return
	}
	d := s.details[i]
	d.rest.merge(d.parts[value])
	delete(d.parts, value)
}

// merge adds o, which is not changed.
func (d *detail) merge(o *detail) {
	for value, p := range o.parts {
		d.part(value).merge(p)
	}
	d.rest.merge(&o.rest)
	d.blank.merge(&o.blank)
}

// merge adds o, which is not changed and shares no memory with p.
func (p *part) merge(o *part) {
	p.events += o.events
	for i := range o.sums {
		name := o.sums[i].name
		at, found := slices.BinarySearchFunc(p.sums, name, byPartName)
		if !found {
			p.sums = slices.Insert(p.sums, at, partSum{name: name})
		}
		p.sums[at].merge(o.sums[i])
	}
	for _, d := range o.distincts {
		at, found := slices.BinarySearchFunc(p.distincts, d.name, byDistinctName)
		if !found {
			p.distincts = slices.Insert(p.distincts, at, newDistinct(d.name, ofParts))
		}
		p.distincts[at].merge(d)
	}
}

func byPartName(s partSum, name string) int { return strings.Compare(s.name, name) }

// merge adds o. Of two scales the larger is used.
func (s *partSum) merge(o partSum) {
	scaleUp(&o.sum, s.scale-o.scale)
	scaleUp(&s.sum, o.scale-s.scale)
	s.scale = max(s.scale, o.scale)
	s.count += o.count
	s.sum.Add(&s.sum, &o.sum)
}

// kept returns the parts that a row stores, encoded, by value: the most frequent values whose parts fit into
// the declared bytes. rest has all others.
func (s *Summary) kept(d *detail) (stored map[string][]byte, rest *part) {
	stored, rest = map[string][]byte{}, new(part)
	rest.merge(&d.rest)
	room := s.spec.detail(d.name)
	if i, found := s.findDimension(d.name); found {
		values, _ := s.dimensions[i].top(s.spec.top(d.name))
		for _, v := range values {
			p := d.parts[v.Value]
			if p == nil {
				continue
			}
			bytes := p.encode(nil, s)
			if room -= len(bytes); room < 0 {
				break
			}
			stored[v.Value] = bytes
		}
	}
	for value, p := range d.parts {
		if stored[value] == nil {
			rest.merge(p)
		}
	}
	return stored, rest
}

// Part is what a summary has of the events with some values of a dimension.
type Part struct{ part part }

// Part returns the part of the values that pass. rest is whether values that are not stored pass, and blank
// whether events without a value do. known is false if the summary does not have the part of each of them:
// the dimension declares no details, its rows had none, or a value was too rare to be kept.
func (s *Summary) Part(
	dimension string, pass func(value string) bool, rest, blank bool,
) (p Part, known bool) {
	i, found := slices.BinarySearchFunc(s.details, dimension, byDetailName)
	if !found {
		return p, false
	}
	d, counted := s.details[i], s.events
	var counts map[string]int64
	if at, found := s.findDimension(dimension); found {
		counts = s.dimensions[at].counts
		counted -= s.dimensions[at].other
	}
	known = true
	for value, n := range counts {
		counted -= n
		of, passes := d.parts[value], pass(value)
		if of == nil {
			of = new(part)
		}
		// What a value lacks here is in the rest.
		if known = known && (of.events == n || passes == rest); passes {
			p.part.merge(of)
		}
	}
	if rest {
		p.part.merge(&d.rest)
	}
	if blank {
		p.part.merge(&d.blank)
	}
	known = known && (!blank || d.blank.events == counted) && (!rest || d.events() == s.events)
	return p, known
}

// events returns how many events d has.
func (d *detail) events() int64 {
	n := d.rest.events + d.blank.events
	for _, p := range d.parts {
		n += p.events
	}
	return n
}

// Events returns the number of events.
func (p *Part) Events() int64 { return p.part.events }

// Sum returns the sum of a declared measure and the number of its values. ok is false if no event had the
// measure, or it is not declared, or the name is misspelt.
func (p *Part) Sum(measure string) (sum model.Decimal, values int64, ok bool) {
	i, found := slices.BinarySearchFunc(p.part.sums, measure, byPartName)
	if !found {
		return sum, 0, false
	}
	of := &p.part.sums[i]
	return model.Unscaled(of.sum, of.scale), of.count, true
}

// Distinct returns how many different values a field had: exact up to 64, with a standard error of 4.6 %
// beyond. ok is false if no event had the field, or it is not counted, or the name is misspelt.
func (p *Part) Distinct(name string) (n int64, exact, ok bool) {
	i, found := slices.BinarySearchFunc(p.part.distincts, name, byDistinctName)
	if !found {
		return 0, false, false
	}
	n, exact = p.part.distincts[i].count()
	return n, exact, true
}

// detail returns the detail of a dimension, creating it if needed.
func (s *Summary) detail(name string) *detail {
	i, found := slices.BinarySearchFunc(s.details, name, byDetailName)
	if !found {
		s.details = slices.Insert(s.details, i, &detail{name: name, parts: map[string]*part{}})
	}
	return s.details[i]
}

func byDetailName(d *detail, name string) int { return strings.Compare(d.name, name) }

// detail returns how many bytes of details a row keeps of a dimension.
func (s *Spec) detail(name string) int {
	if s == nil || s.Unlimited {
		return math.MaxInt
	}
	if d := s.dimension(name); d != nil {
		return d.Detail
	}
	return 0
}

// detailed reports whether a dimension declares details.
func (s *Spec) detailed() bool {
	return s != nil && slices.ContainsFunc(s.Dimensions, func(d DimensionSpec) bool { return d.Detail > 0 })
}
