package rollup

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Summary is the mergeable value of a row: a monoid whose identity is the summary of no events. It depends on
// the set of events only, never on the order or the groups in which they were added. Add each event once: a
// Summary does not detect repeats. It is not safe for concurrent use.
type Summary struct {
	spec       *Spec // nil in a decoded summary: declares nothing, limits nothing
	events     int64
	truncated  bool
	complete   string       // if truncated: the last undeclared name up to which no measure was omitted
	format1    bool         // decoded from format 1 and truncated: declared names had no precedence
	measures   []totals     // sorted by name
	distincts  []*distinct  // sorted by name
	dimensions []*dimension // sorted by name
	details    []*detail    // of dimensions that declare them, sorted by name

	fields  []field  // meaning of the last event's fields, by position
	digests digester // of the events
	scratch []byte   // for hashing
	one     part     // of an event
}

// New returns the summary of no events.
func New(spec *Spec) *Summary { return &Summary{spec: spec} }

// Events returns the number of readable events.
func (s *Summary) Events() int64 { return s.events }

// Truncated reports whether measures were omitted: undeclared ones, and in rows of format 1 declared ones
// too. Those that are present are complete.
func (s *Summary) Truncated() bool { return s.truncated }

// Names returns the names of the measures, sorted as bytes.
func (s *Summary) Names() []string {
	names := make([]string, len(s.measures))
	for i := range s.measures {
		names[i] = s.measures[i].name
	}
	return names
}

// field caches what a field of an event is declared as and where its values are counted,
// so that the next event with the same fields needs no search.
type field struct {
	name        string
	measure     *MeasureSpec // nil if undeclared
	isDimension bool         // a declared dimension
	isDistinct  bool         // a declared distinct count
	index       int          // of its totals in the last event; checked before use
	dimension   *dimension   // of a declared dimension; nil until the first value
	distinct    *distinct    // of a declared distinct count; nil until the first value
}

// AddEvent adds one readable event. Its numbers are rounded to the scale that the spec
// declares; every later step is exact.
func (s *Summary) AddEvent(e *model.Event) {
	s.events++
	for i := range e.Attrs {
		attr := &e.Attrs[i]
		f := s.field(i, attr.Name)
		if f.measure != nil {
			s.addMeasure(f, attr, f.measure, &e.Order)
			continue
		}
		if f.isDimension || f.isDistinct {
			s.addField(f, &attr.Value)
			continue
		}
		if attr.Value.Kind == model.Number {
			s.addMeasure(f, attr, &undeclared, &e.Order)
		}
	}
	s.addPairs(e)
	s.addDetails(e)
}

// field returns the meaning of the i-th field of an event.
func (s *Summary) field(i int, name string) *field {
	if i == len(s.fields) {
		s.fields = append(s.fields, field{})
	} else if s.fields[i].name == name {
		return &s.fields[i]
	}
	d := s.spec.dimension(name)
	s.fields[i] = field{
		name:        name,
		measure:     s.spec.measure(name),
		isDimension: d != nil && !d.IsPair(),
		isDistinct:  s.spec.distinct(name),
	}
	return &s.fields[i]
}

// undeclared is how numbers are summarised that the kind does not declare.
var undeclared = MeasureSpec{Scale: DefaultScale}

func (s *Summary) addMeasure(f *field, attr *model.Attr, as *MeasureSpec, order *model.Order) {
	t := s.fieldTotals(f)
	if t == nil {
		return
	}
	t.grow(as.Scale)
	if attr.Value.Kind != model.Number {
		t.invalid++
		return
	}
	t.add(&attr.Value.Number, as, order)
}

// fieldTotals returns the totals of a field, creating them if needed; nil where the row has
// reached its number of measures.
func (s *Summary) fieldTotals(f *field) *totals {
	if f.index < len(s.measures) && s.measures[f.index].name == f.name {
		return &s.measures[f.index]
	}
	i, found := s.findMeasure(f.name)
	if !found {
		if i, found = s.insertMeasure(i, f.name); !found {
			return nil
		}
	}
	f.index = i
	return &s.measures[i]
}

func (s *Summary) findMeasure(name string) (int, bool) {
	return slices.BinarySearchFunc(s.measures, name, func(t totals, name string) int {
		return strings.Compare(t.name, name)
	})
}

// insertMeasure inserts a measure at index i, unless it is undeclared and there is no place for it, or s is
// truncated before that name: its totals would be incomplete. It returns the index at which the measure is.
func (s *Summary) insertMeasure(i int, name string) (at int, inserted bool) {
	if s.omits(name) {
		return 0, false
	}
	s.measures = slices.Insert(s.measures, i, totals{name: name})
	s.truncate(s.spec.maxMeasures())
	return s.findMeasure(name)
}

// omits reports whether a measure is one that s has omitted, or would have.
func (s *Summary) omits(name string) bool {
	return s.truncated && name > s.complete && s.spec.measure(name) == nil
}

// truncate keeps at most so many measures: all declared ones, and the undeclared ones whose names come first
// in byte order. Each part of a merge keeps every name that can be in the result, so it makes no difference
// whether parts are truncated before or after merging.
func (s *Summary) truncate(most int) {
	if len(s.measures) > most {
		s.truncated = true
	}
	if !s.truncated || len(s.measures) < most {
		return
	}
	s.complete = ""
	for i := len(s.measures) - 1; i >= 0; i-- {
		switch {
		case s.spec.measure(s.measures[i].name) != nil:
		case len(s.measures) > most:
			s.measures = slices.Delete(s.measures, i, i+1)
		default:
			s.complete = s.measures[i].name
			return
		}
	}
}

// addField counts the value of a declared dimension or distinct field, as text.
func (s *Summary) addField(f *field, v *model.Value) {
	text, ok := plainText(v)
	if !ok {
		return
	}
	if f.isDimension {
		if f.dimension == nil {
			f.dimension = s.dimension(f.name)
		}
		f.dimension.add(text, 1)
	}
	if f.isDistinct {
		if f.distinct == nil {
			f.distinct = s.distinct(f.name)
		}
		f.distinct.add(s.hash(text))
	}
}

// plainText returns a value as the text that dimensions and distinct counts count; false for null.
func plainText(v *model.Value) (string, bool) {
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

// hash returns the first 8 bytes of SHA-256: the same on every machine and in every
// release, and hard to collide on purpose.
func (s *Summary) hash(text string) uint64 {
	s.scratch = append(s.scratch[:0], text...)
	sum := sha256.Sum256(s.scratch)
	return binary.BigEndian.Uint64(sum[:])
}
