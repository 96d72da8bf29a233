package main

import (
	"fmt"
	"io"
	"math"

	"github.com/guptarohit/asciigraph"

	"github.com/tidemark-db/tidemark/pkg/query"
)

const (
	plotHeight = 10
	plotAxis   = 14 // characters that the numbers at the left take
)

// printPlots draws the averages of each measure over time, oldest at the left.
func printPlots(w io.Writer, found []query.Rollup, only string, width int) {
	for _, name := range measuresOf(found) {
		if only != "" && name != only {
			continue
		}
		points := averages(found, name, max(width-plotAxis, 1))
		if len(points) < 2 {
			continue
		}
		first, last := found[0].Bucket, found[len(found)-1].Bucket
		caption := fmt.Sprintf("%s: average by %s, %s to %s", printable(name), first.Unit, first.Label(), last.Label())
		fmt.Fprintf(w, "%s\n\n", asciigraph.Plot(points, asciigraph.Height(plotHeight), asciigraph.Caption(caption)))
	}
}

// averages spreads the buckets over at most columns points of equal time. A point is
// the mean of all values that fall on it, weighted by their number; NaN, which draws
// a gap, where there are none.
func averages(found []query.Rollup, name string, columns int) []float64 {
	if len(found) == 0 {
		return nil
	}
	first, last := found[0].Bucket, found[len(found)-1].Bucket
	span := float64(last.End - first.Start)
	columns = min(columns, int(math.Round(span/float64(first.End-first.Start))))
	sums, counts := make([]float64, columns), make([]float64, columns)
	for _, r := range found {
		m := r.Measure(name)
		middle := r.Bucket.Start + (r.Bucket.End-r.Bucket.Start)/2
		at := int(float64(columns) * float64(middle-first.Start) / span)
		sums[at] += m.Sum.Float64()
		counts[at] += float64(m.Count)
	}
	for i := range sums {
		sums[i] /= counts[i] // no values: 0/0 is NaN
	}
	return sums
}

// measuresOf lists the measures with a value in any of the rollups, in order of
// first sight.
func measuresOf(found []query.Rollup) (names []string) {
	seen := map[string]bool{}
	for _, r := range found {
		for _, name := range r.Summary.Names() {
			if !seen[name] && r.Measure(name).Count > 0 {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
