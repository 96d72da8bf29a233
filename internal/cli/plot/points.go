package plot

import (
	"math"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// points are a measure at equal distances in time. NaN, which is drawn as a gap, means
// that there are no values.
type points struct{ min, avg, max []float64 }

// newPoints distributes the buckets over at most columns points. The average of a point is
// the mean of all values that fall on it, weighted by their number. A bucket of a coarser
// tier, which is wider than a point, is drawn over all the points that it covers.
func newPoints(rollups []query.Rollup, name string, columns int) points {
	if len(rollups) == 0 {
		return points{}
	}
	first, last := ends(rollups)
	begin := first.Bucket.Start
	span := float64(last.Bucket.End - first.Bucket.Start)
	finest := math.Inf(1)
	for _, r := range rollups {
		finest = min(finest, float64(r.Bucket.End-r.Bucket.Start))
	}
	columns = max(1, min(columns, int(math.Round(span/finest))))
	p := points{min: gaps(columns), avg: make([]float64, columns), max: gaps(columns)}
	counts := make([]float64, columns)
	for _, r := range rollups {
		m := r.Measure(name)
		if m.Count == 0 {
			continue
		}
		at := func(t float64) int { return min(columns-1, int(float64(columns)*t/span)) }
		middle := float64(r.Bucket.Start-begin) + min(finest, float64(r.Bucket.End-r.Bucket.Start))/2
		for i := at(middle); i <= at(float64(r.Bucket.End-begin)-finest/2); i++ {
			p.min[i] = math.Min(orInf(p.min[i], 1), m.Min.Float64())
			p.max[i] = math.Max(orInf(p.max[i], -1), m.Max.Float64())
			p.avg[i] += m.Sum.Float64()
			counts[i] += float64(m.Count)
		}
	}
	for i := range p.avg {
		p.avg[i] /= counts[i] // without values 0/0, which is NaN
	}
	return p
}

func gaps(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// orInf returns x, or the infinity of that sign if x is NaN.
func orInf(x float64, sign int) float64 {
	if math.IsNaN(x) {
		return math.Inf(sign)
	}
	return x
}
