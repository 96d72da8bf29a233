package otlp

import (
	"fmt"
	"math"
	"strconv"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
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
	count, inBuckets := p.Count, uint64(0)
	for _, n := range p.BucketCounts {
		inBuckets += n
	}
	if count == 0 { // a count that was not sent is 0, too: it is how many values the buckets have
		count = inBuckets
	}
	fields = figures(count, p.Sum, p.Min, p.Max)
	for i, n := range p.BucketCounts {
		bound := "inf"
		if i < len(p.ExplicitBounds) {
			bound = float(p.ExplicitBounds[i])
		}
		fields = append(fields, number(fieldBucket+bound, strconv.FormatUint(n, 10)))
	}
	return fields, ""
}

// exponentialFields returns the fields of an exponential histogram but its buckets.
func exponentialFields(p *metrics.ExponentialHistogramDataPoint) (fields []ingest.Field, wrong string) {
	return figures(p.Count, p.Sum, p.Min, p.Max), ""
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
