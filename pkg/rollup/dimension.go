package rollup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// dimension counts a field's values. In memory it has all of them. They are reduced to the
// top ones when they are stored or read, so that a fold reduces them once, at its end.
type dimension struct {
	name   string
	counts map[string]int64
	other  int64 // count of the values that were dropped
}

func (d *dimension) add(value string, n int64) {
	if len(value) > MaxDimensionValue {
		d.other += n
		return
	}
	d.counts[value] += n
}

// merge adds o, which is not changed.
func (d *dimension) merge(o *dimension) {
	for value, n := range o.counts {
		d.counts[value] += n
	}
	d.other += o.other
}

// top returns the n values of highest count, highest first, ties by bytes, and the sum of the rest.
func (d *dimension) top(n int) (kept []ValueCount, other int64) {
	kept, other = make([]ValueCount, 0, len(d.counts)), d.other
	for value, count := range d.counts {
		kept = append(kept, ValueCount{Value: value, Count: count})
	}
	slices.SortFunc(kept, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	n = min(n, len(kept))
	for _, v := range kept[n:] {
		other += v.Count
	}
	return kept[:n], other
}

// Dimension is how often each value of a field occurred.
type Dimension struct {
	Name   string
	Values []ValueCount // highest count first, ties by bytes
	Other  int64        // how often all other values occurred
	// Exact is false where values were dropped here or in a row that this was folded from: a value's count
	// may then be too low, by Other at most, and two folds of the same events may differ.
	Exact bool
}

// ValueCount is how often one value occurred.
type ValueCount struct {
	Value string
	Count int64
}

// Dimension returns the named dimension of s; false where it had no values.
func (s *Summary) Dimension(name string) (Dimension, bool) {
	i, found := s.findDimension(name)
	if !found {
		return Dimension{}, false
	}
	values, other := s.dimensions[i].top(s.spec.top(name))
	return Dimension{Name: name, Values: values, Other: other, Exact: other == 0}, true
}

// HideValue moves the events of a value of a dimension, and of the pairs that have it, to its other values,
// for a text that must not be stored. It reports whether s had the value. The counts of measures do not
// change.
func (s *Summary) HideValue(name, value string) (had bool) {
	i, found := s.findDimension(name)
	if !found {
		return false
	}
	d := s.dimensions[i]
	for stored, n := range d.counts {
		if !hasValue(stored, value) {
			continue
		}
		had = true
		delete(d.counts, stored)
		d.other += n
		s.hideDetail(name, stored)
	}
	return had
}

// HasValue reports whether s has the value of a dimension, or a pair with it.
func (s *Summary) HasValue(name, value string) bool {
	i, found := s.findDimension(name)
	if !found {
		return false
	}
	for stored := range s.dimensions[i].counts {
		if hasValue(stored, value) {
			return true
		}
	}
	return false
}

// hasValue reports whether a stored value is a value, or a pair with it.
func hasValue(stored, value string) bool {
	first, second, pair := strings.Cut(stored, PairSeparator)
	part := pairPart(value)
	return stored == value || pair && (first == part || second == part)
}

// DimensionNames returns the names of the dimensions that had values, sorted as bytes.
func (s *Summary) DimensionNames() []string {
	return lists.Map(s.dimensions, func(d *dimension) string { return d.name })
}

// dimension returns the counts of a field, creating them if needed.
func (s *Summary) dimension(name string) *dimension {
	i, found := s.findDimension(name)
	if !found {
		s.dimensions = slices.Insert(s.dimensions, i, &dimension{name: name, counts: map[string]int64{}})
	}
	return s.dimensions[i]
}

func (s *Summary) findDimension(name string) (int, bool) {
	return slices.BinarySearchFunc(s.dimensions, name, func(d *dimension, name string) int {
		return strings.Compare(d.name, name)
	})
}
