package rollup

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Spec says what of a kind's events is summarised, and how. It is plain data, made
// once from a kind and shared; nothing changes it after.
type Spec struct {
	Measures   []MeasureSpec   // declared measures, sorted by name; other numbers are measures of DefaultScale
	Dimensions []DimensionSpec // string fields counted by value, sorted by name
	Distinct   []string        // string fields whose distinct values are counted, sorted by name
	// MaxMeasures is how many measure names a row holds: the smallest in byte order
	// are kept and the row says truncated. Zero means DefaultMaxMeasures.
	MaxMeasures int
}

// MeasureSpec declares a measure.
type MeasureSpec struct {
	Name        string
	Scale       int  // digits kept after the decimal point, 0 to MaxScale
	Percentiles bool // keep a quantile sketch
}

// DimensionSpec declares a dimension.
type DimensionSpec struct {
	Name string
	Top  int // values kept a bucket; zero means DefaultTop
}

// Limits and defaults of a row.
const (
	DefaultScale       = 9
	MaxScale           = 15 // sums of squares of 2^40 values below 10^15 fit 256 bits up to here and beyond
	DefaultTop         = 200
	DefaultMaxMeasures = 50
	MaxRowBytes        = 100 << 10
	// MaxDimensionValue is how many bytes a value of a dimension may have: a longer one
	// counts as other, so that a row stays small whatever is sent.
	MaxDimensionValue = 256
)

// A nil Spec is that of a decoded summary: it declares nothing and limits nothing.

func (s *Spec) measure(name string) *MeasureSpec {
	if s == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.Measures, name, func(m MeasureSpec, name string) int { return strings.Compare(m.Name, name) })
	if !found {
		return nil
	}
	return &s.Measures[i]
}

func (s *Spec) dimension(name string) *DimensionSpec {
	if s == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(s.Dimensions, name, func(d DimensionSpec, name string) int { return strings.Compare(d.Name, name) })
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
	if s == nil {
		return math.MaxInt
	}
	return cmp.Or(s.MaxMeasures, DefaultMaxMeasures)
}

func (s *Spec) top(name string) int {
	if s == nil {
		return math.MaxInt
	}
	if d := s.dimension(name); d != nil {
		return cmp.Or(d.Top, DefaultTop)
	}
	return DefaultTop
}
