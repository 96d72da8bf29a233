package plausible

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// This file counts, from events, how long pages were used and how far they were scrolled: averages of page
// views, as rollups have them of all pages.

// engagements are the metrics of the reports that pages send beside their views. Without a report, they are
// not known.
var engagements = map[string]func(*cell) Figure{
	"time_on_page": func(c *cell) Figure {
		return Figure{Value: mean(c.spent.sum, c.views, 0.001, 0), Unknown: c.spent.n == 0}
	},
	"scroll_depth": func(c *cell) Figure {
		if c.reached.n > 0 && c.depth.n == 0 {
			return Figure{Value: mean(c.reached.sum, c.reached.n, 1, 0)}
		}
		return Figure{Value: mean(c.depth.sum, c.views, 1, 0), Unknown: c.depth.n == 0}
	},
}

func isEngagement(metric string) bool { return engagements[metric] != nil }

// tally is the sum of some numbers.
type tally struct {
	sum float64
	n   int64
}

func (t *tally) add(attrs model.Attrs, field string) {
	if v, ok := attrs.Get(field); ok && v.Kind == model.Number {
		t.sum += v.Number.Float64()
		t.n++
	}
}

// addReport adds what a report says of its page.
func (c *cell) addReport(h *hit) {
	c.spent.add(h.Attrs, webfield.Duration)
	c.depth.add(h.Attrs, webfield.Depth)
	c.reached.add(h.Attrs, webfield.Reached)
}

// checkEngagement returns an error if the query names what reports do not have: they have a page and a visit.
func (r *recount) checkEngagement(metric string) error {
	filters, _ := json.Marshal(r.Filters) // they were decoded
	for _, name := range []string{goals, "event:name", "event:hostname", properties} {
		begins := func(dimension string) bool { return strings.HasPrefix(dimension, name) }
		if slices.ContainsFunc(r.Dimensions, begins) || strings.Contains(string(filters), `"`+name) {
			r.unmet = refuse("metric %q: it is of pages, visits and times, and not of %s", metric,
				strings.TrimSuffix(name, ":"))
			return r.unmet
		}
	}
	return nil
}
