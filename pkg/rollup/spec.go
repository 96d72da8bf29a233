package rollup

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Spec declares which fields of a kind's events are summarised, and how. It is made once
// from a kind, shared, and not changed afterwards.
type Spec struct {
	// declared measures, sorted by name; other numeric fields are measures of DefaultScale
	Measures   []MeasureSpec
	Dimensions []DimensionSpec // string fields counted by value, sorted by name
	Distinct   []string        // string fields whose distinct values are counted, sorted by name
	// MaxMeasures is how many measures a row has at most: it keeps the declared ones, then the undeclared
	// ones whose names come first in byte order, and is truncated. Zero means DefaultMaxMeasures.
	MaxMeasures int
	// FieldsAt is the version of the fields above: when the last of them was added; 0: the
	// kind always had them. Folds by this Spec store it.
	FieldsAt model.Time
	// Added are the fields that were added to a kind which had rows already.
	Added AddedFields

	// Unlimited is set by ForReading: MaxMeasures and the dimensions' Top limit nothing.
	Unlimited bool
}

// ForReading returns a Spec with the declared measures of all specs and no limits: a fold by it has every
// measure and every value that its rows have. Do not store such a fold.
func ForReading(specs ...*Spec) *Spec {
	all := &Spec{Unlimited: true}
	for _, s := range specs {
		for _, m := range s.Measures {
			if all.measure(m.Name) == nil {
				i, _ := slices.BinarySearchFunc(all.Measures, m.Name, byName)
				all.Measures = slices.Insert(all.Measures, i, m)
			}
		}
	}
	return all
}

func byName(m MeasureSpec, name string) int { return strings.Compare(m.Name, name) }

// MeasureSpec declares a measure.
type MeasureSpec struct {
	Name        string
	Scale       int  // digits after the decimal point, 0 to MaxScale
	Percentiles bool // store a quantile sketch
	// Counter says that the values are readings of a counter, which only grows until it is reset: rollups
	// have its increase.
	Counter bool
	// Wrap is how many bits a counter has, 32 or 64: a lower reading has wrapped around, and the counter is
	// never reset. 0: a lower reading is a reset.
	Wrap int
	// TimeMean says that rollups have the mean over time, in which a value counts until the next one.
	TimeMean bool
	// Unit is what the values are counted in, for readers: °C. No figure depends on it; "" is none.
	Unit string
}

// steps returns which figures the steps between readings have.
func (m *MeasureSpec) steps() (kind stepKind) {
	if m.Counter {
		kind |= counterSteps | wrapSteps[m.Wrap]
	}
	if m.TimeMean {
		kind |= timeSteps
	}
	return kind
}

// wrapSteps are the valid numbers of bits of a counter.
var wrapSteps = map[int]stepKind{0: 0, 32: wrap32Steps, 64: wrap64Steps}

// DimensionSpec declares a dimension.
type DimensionSpec struct {
	Name string
	Top  int // values stored per bucket; zero means DefaultTop
	// Detail is how many bytes a row has for the sums of declared measures and the distinct counts of the
	// most frequent values; zero: none.
	Detail int
	// Of are the two fields whose pairs of values are counted, in place of one field with the dimension's
	// name. The values are joined by PairSeparator; a field that an event lacks is empty. An event that
	// lacks both has no value.
	Of [2]string
}

// PairSeparator is between the two values of a pair. In each of them, spaces are in place of it.
const PairSeparator = "\t"

// pairPart returns a value as it is in a pair.
func pairPart(value string) string { return strings.ReplaceAll(value, PairSeparator, " ") }

// text returns the value of an event; false if it has none.
func (d *DimensionSpec) text(attrs model.Attrs) (text string, ok bool) {
	field := func(name string) (string, bool) {
		value, found := attrs.Get(name)
		text, ok := plainText(&value)
		return text, found && ok
	}
	if !d.IsPair() {
		return field(d.Name)
	}
	first, hasFirst := field(d.Of[0])
	second, hasSecond := field(d.Of[1])
	return pairPart(first) + PairSeparator + pairPart(second), hasFirst || hasSecond
}

// longest returns the greatest length of a value that is not counted as other. Pairs are many and rarely
// long.
func (d *DimensionSpec) longest() int {
	if d.IsPair() {
		return MaxDimensionValue / 2
	}
	return MaxDimensionValue
}

// IsPair reports whether the dimension counts pairs of values.
func (d *DimensionSpec) IsPair() bool { return d.Of[0] != "" }

// Limits and defaults of a row.
const (
	DefaultScale       = 9
	MaxScale           = 15 // the sum of squares of 2^40 values below 10^15 fits into 256 bits
	DefaultTop         = 200
	DefaultMaxMeasures = 50
	MaxRowBytes        = 100 << 10
	// MaxDimensionValue is the greatest length of a dimension's value, in bytes. A longer
	// value counts as other, which bounds the size of a row.
	MaxDimensionValue = 256
)

// A decoded summary has a nil Spec, which declares nothing and limits nothing.

func (s *Spec) measure(name string) *MeasureSpec {
	if s == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.Measures, name, byName)
	if !found {
		return nil
	}
	return &s.Measures[i]
}

func (s *Spec) dimension(name string) *DimensionSpec {
	if s == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.Dimensions, name, func(d DimensionSpec, name string) int {
		return strings.Compare(d.Name, name)
	})
	if !found {
		return nil
	}
	return &s.Dimensions[i]
}

func (s *Spec) distinct(name string) bool {
	if s == nil {
		return false
	}
	_, found := slices.BinarySearch(s.Distinct, name)
	return found
}

func (s *Spec) maxMeasures() int {
	if s == nil || s.Unlimited {
		return math.MaxInt
	}
	return cmp.Or(s.MaxMeasures, DefaultMaxMeasures)
}

func (s *Spec) top(name string) int {
	if s == nil || s.Unlimited {
		return math.MaxInt
	}
	if d := s.dimension(name); d != nil {
		return cmp.Or(d.Top, DefaultTop)
	}
	return DefaultTop
}
