package rollup

import (
	"cmp"
	"slices"
	"strings"
)

// dimension counts a field's values. In memory it holds all of them; the cut to the
// top is made of what is stored or read, so that a fold cuts once, at its end.
type dimension struct {
	name   string
	counts map[string]int64
	other  int64 // of values that were cut
}

func (d *dimension) add(value string, n int64) {
	if len(value) > MaxDimensionValue {
		d.other += n
		return
	}
	d.counts[value] += n
}

// merge takes in all of o, which is not changed.
func (d *dimension) merge(o *dimension) {
	for value, n := range o.counts {
		d.counts[value] += n
	}
	d.other += o.other
}

// cut is the values of highest count, as many as top, ties by bytes, highest first,
// and the sum of the rest.
func (d *dimension) cut(top int) (kept []ValueCount, other int64) {
	kept, other = make([]ValueCount, 0, len(d.counts)), d.other
	for value, n := range d.counts {
		kept = append(kept, ValueCount{Value: value, Count: n})
	}
	slices.SortFunc(kept, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	if len(kept) > top {
		for _, v := range kept[top:] {
			other += v.Count
		}
		kept = kept[:top]
	}
	return kept, other
}

// Dimension is how often each value of a field came.
type Dimension struct {
	Name   string
	Values []ValueCount // highest count first, ties by bytes
	Other  int64        // how often any other value came
	// Exact is false where values were cut here or in a row this was folded from:
	// then a value's count may be too low, by Other at most, and two folds of the same
	// events may differ.
	Exact bool
}

// ValueCount is how often one value came.
type ValueCount struct {
	Value string
	Count int64
}

// Dimension is the named dimension of s, false where it had no values.
func (s *Summary) Dimension(name string) (Dimension, bool) {
	i, found := s.findDimension(name)
	if !found {
		return Dimension{}, false
	}
	values, other := s.dimensions[i].cut(s.spec.top(name))
	return Dimension{Name: name, Values: values, Other: other, Exact: other == 0}, true
}

// DimensionNames are the dimensions that had values, sorted as bytes.
func (s *Summary) DimensionNames() []string {
	names := make([]string, len(s.dimensions))
	for i, d := range s.dimensions {
		names[i] = d.name
	}
	return names
}

// dimension finds or makes the counts of a field.
func (s *Summary) dimension(name string) *dimension {
	i, found := s.findDimension(name)
	if !found {
		s.dimensions = slices.Insert(s.dimensions, i, &dimension{name: name, counts: map[string]int64{}})
	}
	return s.dimensions[i]
}

func (s *Summary) findDimension(name string) (int, bool) {
	return slices.BinarySearchFunc(s.dimensions, name, func(d *dimension, name string) int { return strings.Compare(d.name, name) })
}
