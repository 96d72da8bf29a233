package otlp

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// histogramFields returns the fields of a histogram, or why its buckets have no bounds.
func histogramFields(p *metrics.HistogramDataPoint) (fields []ingest.Field, wrong string) {
	if n, bounds := len(p.BucketCounts), len(p.ExplicitBounds); n > 0 && n != bounds+1 {
		return nil, fmt.Sprintf("with %d buckets and %d bounds: send one bucket more than bounds", n, bounds)
	}
	for i, bound := range p.ExplicitBounds { // two buckets of one bound would be one field
		if math.IsNaN(bound) || i > 0 && !(bound > p.ExplicitBounds[i-1]) {
			return nil, fmt.Sprintf("with the bound %s after bounds that are not less: send each bound "+
				"once, in increasing order", float(bound))
		}
	}
	fields = figures(values(p.Count, p.BucketCounts), p.Sum, p.Min, p.Max)
	for i, n := range p.BucketCounts {
		bound := "inf"
		if i < len(p.ExplicitBounds) {
			bound = float(p.ExplicitBounds[i])
		}
		fields = append(fields, number(fieldBucket+bound, strconv.FormatUint(n, 10)))
	}
	return fields, ""
}

// values returns how many values a histogram has. A count that was not sent is 0, as the count of no values
// is: then the buckets are counted.
func values(count uint64, buckets ...[]uint64) uint64 {
	if count != 0 {
		return count
	}
	for _, n := range slices.Concat(buckets...) {
		count += n
	}
	return count
}

// exponentialFields returns the fields of an exponential histogram but its buckets.
func exponentialFields(p *metrics.ExponentialHistogramDataPoint) (fields []ingest.Field, wrong string) {
	count := values(p.Count, []uint64{p.ZeroCount}, p.GetPositive().GetBucketCounts(),
		p.GetNegative().GetBucketCounts())
	return figures(count, p.Sum, p.Min, p.Max), ""
}

// summaryFields returns the fields of a summary.
func summaryFields(p *metrics.SummaryDataPoint) (fields []ingest.Field, wrong string) {
	fields = figures(p.Count, &p.Sum, nil, nil)
	for _, q := range p.QuantileValues {
		fields = append(fields, number(fieldQuantile+float(q.GetQuantile()), float(q.GetValue())))
	}
	return fields, ""
}

// figures returns the fields that histograms of each type have. No values have no least and no greatest one.
func figures(count uint64, sum, least, most *float64) []ingest.Field {
	if count == 0 {
		least, most = nil, nil
	}
	fields := []ingest.Field{number(fieldCount, strconv.FormatUint(count, 10))}
	for _, f := range []struct {
		name  string
		value *float64
	}{{fieldSum, sum}, {fieldMin, least}, {fieldMax, most}} {
		if f.value != nil {
			fields = append(fields, number(f.name, float(*f.value)))
		}
	}
	return fields
}

// exponentialBuckets says what is not stored of an exponential histogram: its buckets change their bounds.
var exponentialBuckets = model.FieldError{Field: "buckets", Code: CodeUnsupported,
	Message: "of an exponential histogram are not stored, its count, sum, min and max are: export explicit " +
		"buckets"}
