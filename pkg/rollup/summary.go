package rollup

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Summary is the mergeable value of a row: a monoid, whose identity is the summary
// of no events. What it holds depends on the set of events alone, never on the order
// or the grouping they came by. Every event must come once: a Summary does not know
// repeats. It is not safe for concurrent use.
type Summary struct {
	spec       *Spec // nil in a decoded one: declares nothing, limits nothing
	events     int64
	truncated  bool
	tallies    []tally      // sorted by name
	distincts  []*distinct  // sorted by name
	dimensions []*dimension // sorted by name

	slots   []slot   // where the fields of the last event went, by position
	digests digester // of the events
	scratch []byte   // for hashing
}

// New is the summary of no events.
func New(spec *Spec) *Summary { return &Summary{spec: spec} }

// Events is how many readable events are in it.
func (s *Summary) Events() int64 { return s.events }

// Truncated reports whether measure names were left out. Those that stand are whole.
func (s *Summary) Truncated() bool { return s.truncated }

// Names are the measures in s, sorted as bytes.
func (s *Summary) Names() []string {
	names := make([]string, len(s.tallies))
	for i := range s.tallies {
		names[i] = s.tallies[i].name
	}
	return names
}

// slot remembers what a field is and where its numbers are kept, so that the next
// event of the same shape finds everything without searching.
type slot struct {
	name      string
	measure   *MeasureSpec // nil where undeclared
	counted   bool         // by value: a declared dimension
	distinct  bool         // a declared distinct count
	tally     int          // a guess, checked before use
	values    *dimension   // where counted, nil until the first value
	different *distinct    // where distinct, nil until the first value
}

// AddEvent folds one readable event in. What an event contributes depends on the
// event and the spec alone: its numbers are rounded at the scale the spec declares,
// and from there on every step is exact.
func (s *Summary) AddEvent(e *model.Event) {
	s.events++
	for i := range e.Attrs {
		attr := &e.Attrs[i]
		at := s.slot(i, attr.Name)
		if at.measure != nil {
			s.addMeasure(at, attr, at.measure.Scale, at.measure.Percentiles, &e.Order)
			continue
		}
		if at.counted || at.distinct {
			s.addField(at, &attr.Value)
			continue
		}
		if attr.Value.Kind == model.Number {
			s.addMeasure(at, attr, DefaultScale, false, &e.Order)
		}
	}
}

// slot is what the i-th field of an event means.
func (s *Summary) slot(i int, name string) *slot {
	if i == len(s.slots) {
		s.slots = append(s.slots, slot{})
	} else if s.slots[i].name == name {
		return &s.slots[i]
	}
	s.slots[i] = slot{
		name:     name,
		measure:  s.spec.measure(name),
		counted:  s.spec.dimension(name) != nil,
		distinct: s.spec.distinct(name),
	}
	return &s.slots[i]
}

func (s *Summary) addMeasure(at *slot, attr *model.Attr, scale int, sketched bool, order *model.Order) {
	t := s.tally(at)
	if t == nil {
		return
	}
	t.grow(scale)
	if attr.Value.Kind != model.Number {
		t.invalid++
		return
	}
	t.add(&attr.Value.Number, scale, sketched, order)
}

// tally finds or makes the tally of a slot; nil where the row has no room for it.
func (s *Summary) tally(at *slot) *tally {
	if at.tally < len(s.tallies) && s.tallies[at.tally].name == at.name {
		return &s.tallies[at.tally]
	}
	i, found := s.find(at.name)
	if !found && !s.admit(i, tally{name: at.name}) {
		return nil
	}
	at.tally = i
	return &s.tallies[i]
}

func (s *Summary) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.tallies, name, func(t tally, name string) int { return strings.Compare(t.name, name) })
}

// admit inserts a tally at its place, unless it is beyond the names a row holds. A
// truncated summary knows nothing whole beyond its last name, whatever room it has.
func (s *Summary) admit(i int, t tally) bool {
	if i == len(s.tallies) && (s.truncated || i >= s.spec.maxMeasures()) {
		s.truncated = true
		return false
	}
	s.tallies = slices.Insert(s.tallies, i, t)
	s.truncate()
	return true
}

// truncate keeps the smallest names in byte order, as many as a row holds. Each part
// of a merge keeps all that could be among the smallest of the whole, so truncating
// early and late come to the same.
func (s *Summary) truncate() {
	if most := s.spec.maxMeasures(); len(s.tallies) > most {
		clear(s.tallies[most:])
		s.tallies = s.tallies[:most]
		s.truncated = true
	}
}

// addField counts the value of a declared dimension or distinct field, as text.
func (s *Summary) addField(at *slot, v *model.Value) {
	text, ok := textOf(v)
	if !ok {
		return
	}
	if at.counted {
		if at.values == nil {
			at.values = s.dimension(at.name)
		}
		at.values.add(text, 1)
	}
	if at.distinct {
		if at.different == nil {
			at.different = s.distinct(at.name)
		}
		at.different.add(s.hash(text))
	}
}

// textOf is a value as dimensions and distinct counts see it; null is no value.
func textOf(v *model.Value) (string, bool) {
	switch v.Kind {
	case model.Text:
		return v.Text, true
	case model.Number:
		return v.Number.String(), true
	case model.Bool:
		return strconv.FormatBool(v.Bool), true
	}
	return "", false
}

// hash is the first 8 bytes of SHA-256: the same everywhere and for ever, and hard
// to aim at from outside.
func (s *Summary) hash(text string) uint64 {
	s.scratch = append(s.scratch[:0], text...)
	sum := sha256.Sum256(s.scratch)
	return binary.BigEndian.Uint64(sum[:])
}
