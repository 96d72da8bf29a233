package stats

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/customprop"
	"github.com/tidemark-db/tidemark/internal/goal"
	"github.com/tidemark-db/tidemark/internal/webfield"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Figure is the value of a metric.
type Figure struct {
	Value  float64
	Amount any // an amount of money as a response shows it; nil is a number
}

// MarshalJSON writes a number, or an amount as an object.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f.Amount != nil {
		return json.Marshal(f.Amount)
	}
	return json.Marshal(f.Value)
}

// The kinds of websites.
var views, visits, events = web.PageViews.Name, web.Sessions.Name, web.CustomEvents.Name

func round(x float64, digits int) float64 {
	unit := math.Pow10(digits)
	return math.Round(x*unit)/unit + 0 // JSON would have -0 for a small loss
}

// rate returns the average of a measure times a factor, rounded to some digits; 0 without events.
func rate(s *rollup.Summary, measure string, factor float64, digits int) float64 {
	m, _ := s.Measure(measure)
	avg, _ := m.Avg()
	return round(avg*factor, digits)
}

// summaries are those of a period, by kind.
type summaries map[string]*rollup.Summary

// perView returns the sum of a measure of custom events for each page view, rounded.
func (s summaries) perView(measure string, factor float64) float64 {
	m, _ := s[events].Measure(measure)
	return round(m.Sum.Float64()*factor/max(1, float64(s[views].Events())), 0)
}

// named returns how many custom events have a name. Others report the time spent on a page.
func (s summaries) named() (n int64) {
	d, _ := s[events].Dimension(webfield.Name)
	for _, v := range d.Values {
		n += v.Count
	}
	return n + d.Other
}

// metrics are the figures of all visitors, from the rollups of some kinds.
var metrics = map[string]struct {
	kinds []string
	of    func(summaries) float64
}{
	"visitors": {[]string{views}, func(s summaries) float64 {
		n, _ := s[views].Distinct(webfield.Visitor)
		return float64(n)
	}},
	"pageviews":       {[]string{views}, func(s summaries) float64 { return float64(s[views].Events()) }},
	"events":          {[]string{views, events}, func(s summaries) float64 { return float64(s[views].Events() + s.named()) }},
	"time_on_page":    {[]string{views, events}, func(s summaries) float64 { return s.perView(webfield.Duration, 0.001) }},
	"scroll_depth":    {[]string{views, events}, func(s summaries) float64 { return s.perView(webfield.Depth, 1) }},
	"visits":          {[]string{visits}, func(s summaries) float64 { return float64(s[visits].Events()) }},
	"views_per_visit": {[]string{visits}, func(s summaries) float64 { return rate(s[visits], webfield.Views, 1, 2) }},
	"bounce_rate":     {[]string{visits}, func(s summaries) float64 { return rate(s[visits], webfield.Bounce, 100, 0) }},
	"visit_duration":  {[]string{visits}, func(s summaries) float64 { return rate(s[visits], webfield.Duration, 0.001, 0) }},
}

// group is a dimension by whose values events of a kind are counted, or whose values are goals.
type group struct {
	kind, field string
	metrics     []string
}

const goals = "event:goal"

// groups are the dimensions whose field has another name. visit:x is field x of sessions.
var groups = map[string]group{
	goals:              {visits, "", []string{"visits", "conversion_rate", "total_revenue", "average_revenue"}},
	"event:page":       {views, webfield.Path, []string{"pageviews"}},
	"event:name":       {events, webfield.Name, []string{"events"}},
	"visit:entry_page": ofVisits(webfield.Entry),
	"visit:exit_page":  ofVisits(webfield.Exit),
}

func ofVisits(field string) group { return group{visits, field, []string{"visits", "percentage"}} }

// group sets the dimension by whose values figures are grouped or filtered.
func (r *run) group(name string) error {
	if r.by != "" {
		return refuse("dimension %.64q: rollups have the values of each dimension alone, and the query has %s", name, r.by)
	}
	g, known := groups[name]
	if field, ofVisit := strings.CutPrefix(name, "visit:"); ofVisit && !known {
		g = ofVisits(field)
	}
	k, ok := r.kinds.Kind(g.kind)
	ok = ok && (name == goals || slices.ContainsFunc(k.Dimensions, func(d rollup.DimensionSpec) bool { return d.Name == g.field }))
	if !ok {
		return refuse("dimension %.64q: rollups have one of time, time:hour, time:day, time:week and time:month, and one of %s and fields of sessions such as visit:source", name, strings.Join(slices.Sorted(maps.Keys(groups)), ", "))
	}
	r.by, r.grouped = name, g
	return nil
}

// counts returns the events of each value of the dimension; "" are those without one, of kinds in which each
// event should have one. other is how many have a value that is not stored.
func (g *group) counts(s *rollup.Summary) (of map[string]int64, other int64) {
	d, _ := s.Dimension(g.field)
	of, rest := map[string]int64{}, s.Events()-d.Other
	for _, v := range d.Values {
		of[v.Value], rest = v.Count, rest-v.Count
	}
	if g.kind != events {
		of[""] += rest
	}
	return of, d.Other
}

// share returns how many of the events have a value, or their percentage.
func share(metric string, n int64, s *rollup.Summary) Figure {
	if metric == "percentage" {
		return Figure{Value: round(float64(n)*100/max(1, float64(s.Events())), 1)}
	}
	return Figure{Value: float64(n)}
}

// change returns the change of a metric in percent, or the difference of one that is a percentage.
func change(metric string, before, after float64) float64 {
	switch {
	case slices.Contains([]string{"bounce_rate", "conversion_rate", "percentage", "scroll_depth"}, metric):
		return round(after-before, 2)
	case before == 0:
		return 100 * min(after, 1)
	}
	return round((after-before)/before*100, 0)
}

// ofGoal returns a metric of a goal.
func ofGoal(metric string, s *rollup.Summary, g goal.Goal) Figure {
	met, _ := s.Measure(g.Field())
	value, _ := s.Measure(g.ValueField())
	amount := func(x float64, text string) Figure {
		currency, isMoney := strings.CutPrefix(g.Value, customprop.RevenuePrefix)
		if text = currency + " " + text; !isMoney {
			return Figure{Amount: json.RawMessage("null")}
		}
		return Figure{x, map[string]any{"currency": currency, "value": x, "short": text, "long": text}}
	}
	average := round(value.Sum.Float64()/max(1, met.Sum.Float64()), 2)
	return map[string]Figure{
		"visits":          {Value: met.Sum.Float64()},
		"conversion_rate": {Value: rate(s, g.Field(), 100, 2)},
		"total_revenue":   amount(value.Sum.Float64(), value.Sum.String()),
		"average_revenue": amount(average, strconv.FormatFloat(average, 'f', 2, 64)),
	}[metric]
}
