// Package plot draws rollups as line plots of characters. It decides which value is drawn
// where; the drawing itself is asciigraph's.
package plot

import (
	"fmt"
	"io"

	"github.com/guptarohit/asciigraph"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

const (
	height    = 10
	axisWidth = 14 // characters of the numbers at the left
)

// Write draws each measure of the rollups over time, oldest at the left, width characters
// wide: the averages as a line, the minima and maxima as dots. A measure of fewer than two
// points is left out. With a name in only it draws that measure alone. Captions name the units of measures.
func Write(w io.Writer, rollups []query.Rollup, only string, units map[string]string, width int) error {
	columns := max(width-axisWidth, 1)
	for _, name := range measures(rollups) {
		if only != "" && name != only {
			continue
		}
		p := newPoints(rollups, name, columns)
		if len(p.avg) < 2 {
			continue
		}
		dots := asciigraph.CreateCharSet("·")
		stretch := columns / len(p.avg) // few points are drawn wider
		plot := asciigraph.PlotMany(
			[][]float64{stretched(p.min, stretch), stretched(p.max, stretch), stretched(p.avg, stretch)},
			asciigraph.Height(height), asciigraph.Caption(caption(rollups, name, units[name])),
			asciigraph.SeriesChars(dots, dots, asciigraph.DefaultCharSet))
		if _, err := fmt.Fprintf(w, "%s\n\n", plot); err != nil {
			return err
		}
	}
	return nil
}

// caption names the measure and its unit, the tiers and the range of a plot.
func caption(rollups []query.Rollup, measure, unit string) string {
	first, last := ends(rollups)
	tiers := first.TierName()
	if tiers != last.TierName() {
		tiers += " and " + last.TierName()
	}
	if unit != "" {
		measure += " in " + unit
	}
	return fmt.Sprintf("%s: average by %s, %s to %s (dots: minimum and maximum)", terminal.Printable(measure),
		tiers, first.Label(), last.Label())
}

// stretched repeats each point, so that it is drawn that many characters wide.
func stretched(points []float64, wide int) (all []float64) {
	for _, p := range points {
		for range max(wide, 1) {
			all = append(all, p)
		}
	}
	return all
}

// ends returns the oldest and the newest of rollups that are sorted either way.
func ends(rollups []query.Rollup) (first, last query.Rollup) {
	first, last = rollups[0], rollups[len(rollups)-1]
	if first.Bucket.Start > last.Bucket.Start {
		first, last = last, first
	}
	return first, last
}

// measures returns the names of the measures that have a value in any rollup, in the
// order in which they first appear.
func measures(rollups []query.Rollup) (names []string) {
	seen := map[string]bool{}
	for _, r := range rollups {
		for _, name := range r.Summary.Names() {
			if !seen[name] && r.Measure(name).Count > 0 {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
