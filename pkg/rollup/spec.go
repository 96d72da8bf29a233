package rollup

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
)
