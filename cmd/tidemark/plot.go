package main

import (
	"fmt"
	"io"
	"math"

	"github.com/guptarohit/asciigraph"

	"github.com/tidemark-db/tidemark/internal/query"
)

const (
	plotHeight = 10
	plotAxis   = 14 // characters that the numbers at the left take
)

// plainWidth is how wide a plot is where no terminal says.
const plainWidth = 80

// plotWidth is how many characters wide a plot may be; ok is false where none is
// wanted.
func plotWidth(w io.Writer, when string) (width int, ok bool) {
	width, onTerminal := terminalWidth(w)
	switch {
	case when == "never" || when == "auto" && !onTerminal:
		return 0, false
	case onTerminal:
		return width, true
	}
	return plainWidth, true
}

// printPlots draws each measure over time, oldest at the left: the averages, in the
// band of the least and the greatest values.
func printPlots(w io.Writer, found []query.Rollup, only string, width int) {
	for _, name := range measuresOf(found) {
		if only != "" && name != only {
			continue
		}
		b := bandOf(found, name, max(width-plotAxis, 1))
		if len(b.avg) < 2 {
			continue
		}
		first, last := ends(found)
		tiers := first.Bucket.Unit.String()
		if first.Bucket.Unit != last.Bucket.Unit {
			tiers += " and " + last.Bucket.Unit.String()
		}
		caption := fmt.Sprintf("%s: average by %s, %s to %s (dots: least and greatest)", printable(name), tiers, first.Bucket.Label(), last.Bucket.Label())
		dots := asciigraph.CreateCharSet("·")
		wide := max(width-plotAxis, 1) / len(b.avg) // few points are drawn wider
		plot := asciigraph.PlotMany([][]float64{stretched(b.least, wide), stretched(b.greatest, wide), stretched(b.avg, wide)},
			asciigraph.Height(plotHeight), asciigraph.Caption(caption), asciigraph.SeriesChars(dots, dots, asciigraph.DefaultCharSet))
		fmt.Fprintf(w, "%s\n\n", plot)
	}
}

// stretched draws each point so many characters wide.
func stretched(points []float64, wide int) (all []float64) {
	for _, p := range points {
		for range max(wide, 1) {
			all = append(all, p)
		}
	}
	return all
}

// band is a measure over points of equal time. NaN, which draws a gap, stands where
// there are no values.
type band struct{ least, avg, greatest []float64 }

// bandOf spreads the buckets over at most columns points. The average of a point is the
// mean of all values that fall on it, weighted by their number. A bucket that is wider
// than a point, of a coarser tier, is drawn over all its points.
func bandOf(found []query.Rollup, name string, columns int) band {
	if len(found) == 0 {
		return band{}
	}
	first, last := ends(found)
	begin, span, finest := first.Bucket.Start, float64(last.Bucket.End-first.Bucket.Start), math.Inf(1)
	for _, r := range found {
		finest = min(finest, float64(r.Bucket.End-r.Bucket.Start))
	}
	columns = max(1, min(columns, int(math.Round(span/finest))))
	b := band{nothing(columns), make([]float64, columns), nothing(columns)}
	counts := make([]float64, columns)
	for _, r := range found {
		m := r.Measure(name)
		if m.Count == 0 {
			continue
		}
		at := func(t float64) int { return min(columns-1, int(float64(columns)*t/span)) }
		middle := float64(r.Bucket.Start-begin) + min(finest, float64(r.Bucket.End-r.Bucket.Start))/2
		for p := at(middle); p <= at(float64(r.Bucket.End-begin)-finest/2); p++ {
			b.least[p] = math.Min(orInf(b.least[p], 1), m.Min.Float64())
			b.greatest[p] = math.Max(orInf(b.greatest[p], -1), m.Max.Float64())
			b.avg[p] += m.Sum.Float64()
			counts[p] += float64(m.Count)
		}
	}
	for i := range b.avg {
		b.avg[i] /= counts[i] // no values: 0/0 is NaN
	}
	return b
}

func nothing(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = math.NaN()
	}
	return all
}

// orInf is x, or where it is none yet the infinity that any value betters.
func orInf(x float64, sign int) float64 {
	if math.IsNaN(x) {
		return math.Inf(sign)
	}
	return x
}

// ends are the oldest and the newest of rollups in either order.
func ends(found []query.Rollup) (first, last query.Rollup) {
	first, last = found[0], found[len(found)-1]
	if first.Bucket.Start > last.Bucket.Start {
		first, last = last, first
	}
	return first, last
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
