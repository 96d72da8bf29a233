package plausible

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

// counters are the metrics of a recount. A visit counts if it began in the range and has a view or event in
// the range that passes the filters.
var counters = map[string]func(*cell) float64{
	"visitors":        func(c *cell) float64 { return float64(len(c.visitors)) },
	"pageviews":       func(c *cell) float64 { return float64(c.views) },
	"events":          func(c *cell) float64 { return float64(c.views + c.events) },
	"visits":          func(c *cell) float64 { return float64(len(c.visits)) },
	"views_per_visit": func(c *cell) float64 { return c.average(webfield.Views, 1, 2) },
	"bounce_rate":     func(c *cell) float64 { return c.average(webfield.Bounce, 100, 0) },
	"visit_duration":  func(c *cell) float64 { return c.average(webfield.Duration, 0.001, 0) },
}

// averages are the counters that are averages of visits.
var averages = []string{"views_per_visit", "bounce_rate", "visit_duration"}

// cell is what a row counts.
type cell struct {
	visitors map[string]bool
	visits   map[*visit]bool
	views    int64
	events   int64
	// of the reports of pages: milliseconds, and percent of the page's height, added or so far
	spent, depth, reached tally
}

// average returns the average of a number of visits times a factor, rounded to some digits; 0 without a
// visit.
func (c *cell) average(field string, factor float64, digits int) float64 {
	sum := 0.0
	for v := range c.visits {
		n, _ := v.Attrs.Get(field)
		sum += n.Number.Float64()
	}
	return mean(sum, int64(len(c.visits)), factor, digits)
}

// has reports whether there is something that a metric counts, or of which it is an average: an average of 0
// is a figure.
func (c *cell) has(metric string) bool {
	if slices.Contains(averages, metric) || isRate(metric) || metric == percentage {
		return len(c.visits) > 0
	}
	if isEngagement(metric) {
		return c.views > 0
	}
	return counters[metric](c) > 0
}

// figure returns a metric of a row.
func (r *recount) figure(t totals, metric string, at position, c *cell) Figure {
	switch {
	case isRate(metric):
		return Figure{Value: r.rate(t, metric, at, c)}
	case metric == percentage:
		return Figure{Value: t.percentage(at.period, c)}
	case isEngagement(metric):
		return engagements[metric](c)
	}
	return Figure{Value: counters[metric](c)}
}

// add counts a page view or custom event. As in rollups, a custom event outside of any visit makes no
// visitor.
func (c *cell) add(h *hit) {
	if h.isReport {
		c.addReport(h)
		return
	}
	if c.visitors == nil {
		c.visitors = map[string]bool{}
	}
	if h.visit != nil {
		c.visitors[h.visitor] = true
	}
	if h.Series.Kind == views {
		c.views++
	} else {
		c.events++
	}
}

// addVisit counts a visit once, however many of its events pass.
func (c *cell) addVisit(v *visit) {
	if c.visits == nil {
		c.visits = map[*visit]bool{}
	}
	c.visits[v] = true
}
