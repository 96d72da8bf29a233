package plausible

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/webfield"

	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Figure is the value of a metric.
type Figure struct {
	Value   float64
	Amount  any  // an amount of money as a response shows it; nil is a number
	Unknown bool // there is none: it is not known, as the warnings say, or a goal has no value
}

var notKnown = Figure{Unknown: true}

func unknownFigure(string) Figure { return notKnown }

// MarshalJSON writes a number, an amount as an object, or null for a value that is not known.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f.Unknown {
		return []byte("null"), nil
	}
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
	return mean(m.Sum.Float64(), m.Count, factor, digits)
}

// mean returns an average times a factor, rounded to some digits; 0 without values. The factor comes first:
// 23 of 40 are 57.5 %, and 100 times 0.575 is less, as a float64.
func mean(sum float64, values int64, factor float64, digits int) float64 {
	return round(sum*factor/float64(max(1, values)), digits)
}

// summaries are the summaries of a period, by kind; nil where it is not known.
type summaries map[string]*rollup.Summary

// estimates reports whether the number of visitors is an estimate.
func (s summaries) estimates() bool {
	_, exact, has := s[views].Distinct(webfield.Visitor)
	return has && !exact
}

// perView returns the sum of a measure of custom events for each page view, rounded.
func (s summaries) perView(measure string, factor float64) float64 {
	m, _ := s[events].Measure(measure)
	return mean(m.Sum.Float64(), s[views].Events(), factor, 0)
}

// scrollDepth returns the average of all views, or of the reports, if all of these say how far a page was
// scrolled so far.
func (s summaries) scrollDepth() float64 {
	if reached, _ := s[events].Measure(webfield.Reached); reached.Count > 0 {
		if depth, _ := s[events].Measure(webfield.Depth); depth.Count == 0 {
			return rate(s[events], webfield.Reached, 1, 0)
		}
	}
	return s.perView(webfield.Depth, 1)
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
		n, _, _ := s[views].Distinct(webfield.Visitor)
		return float64(n)
	}},
	"pageviews": {[]string{views}, func(s summaries) float64 { return float64(s[views].Events()) }},
	"events": {[]string{views, events}, func(s summaries) float64 {
		return float64(s[views].Events() + s.named())
	}},
	"time_on_page": {[]string{views, events}, func(s summaries) float64 {
		return s.perView(webfield.Duration, 0.001)
	}},
	"scroll_depth": {[]string{views, events}, summaries.scrollDepth},
	"visits":       {[]string{visits}, func(s summaries) float64 { return float64(s[visits].Events()) }},
	"views_per_visit": {[]string{visits}, func(s summaries) float64 {
		return rate(s[visits], webfield.Views, 1, 2)
	}},
	"bounce_rate": {[]string{visits}, func(s summaries) float64 {
		return rate(s[visits], webfield.Bounce, 100, 0)
	}},
	"visit_duration": {[]string{visits}, func(s summaries) float64 {
		return rate(s[visits], webfield.Duration, 0.001, 0)
	}},
}

// source are events of a kind that a dimension counts by value.
type source struct {
	kind   string
	fields []string                         // that have the values
	value  func(text string) (string, bool) // of a stored text; nil is the text itself
	all    string                           // without fields, the value that each event has
}

// group is a dimension by whose values events are counted, or whose values are goals.
type group struct {
	of      []source
	metrics []string
}

const (
	goals      = "event:goal"
	properties = "event:props:" // followed by the name of a property of events
)

// groups are the dimensions whose field has another name. visit:x is field x of sessions.
var groups = map[string]group{
	goals: {[]source{{kind: visits}}, []string{
		"visits", "conversion_rate", "total_revenue", "average_revenue",
	}},
	"event:hostname": {[]source{{kind: views, fields: []string{webfield.Hostname}}}, []string{"pageviews"}},
	"event:page":     {[]source{{kind: views, fields: []string{webfield.Path}}}, []string{"pageviews"}},
	"event:name": {[]source{
		{kind: events, fields: []string{webfield.Name}}, {kind: views, all: "pageview"},
	}, []string{"events"}},
	"visit:entry_page": ofVisits(webfield.Entry),
	"visit:exit_page":  ofVisits(webfield.Exit),
}

func ofVisits(field string) group {
	return group{[]source{{kind: visits, fields: []string{field}}}, []string{"visits", percentage}}
}

// ofProperty returns the dimension of a property of custom events, which is stored with the name of the
// event.
func ofProperty(name string) group {
	value := func(text string) (string, bool) {
		p, ok := webfield.ParseProp(text)
		return p.Value, ok && p.Name == name
	}
	return group{[]source{{kind: events, fields: webfield.Props(), value: value}}, []string{"events"}}
}

// groupNamed returns the dimension of a name; the zero group if it is none.
func groupNamed(name string) group {
	g, known := groups[name]
	if field, ofVisit := strings.CutPrefix(name, "visit:"); ofVisit && !known {
		g = ofVisits(field)
	}
	if property, ok := strings.CutPrefix(name, properties); ok && property != "" {
		g = ofProperty(property)
	}
	return g
}

// group sets the dimension by whose values figures are grouped or filtered.
func (r *run) group(name string) error {
	if r.by != "" {
		return refuse("dimension %.64q: rollups do not have its pairs with %s, which the query has", name, r.by)
	}
	g := groupNamed(name)
	if len(g.of) == 0 || !r.has(g.of) {
		return r.noDimension(name)
	}
	r.by, r.grouped = name, g
	return nil
}

// has reports whether the table has the kinds and fields of sources.
func (r *run) has(all []source) bool {
	return !slices.ContainsFunc(all, func(s source) bool {
		k, ok := r.kinds.Kind(s.kind)
		return !ok || slices.ContainsFunc(s.fields, func(field string) bool {
			named := func(d rollup.DimensionSpec) bool { return d.Name == field }
			return !slices.ContainsFunc(k.Dimensions, named)
		})
	})
}

// counted are the events of each value of a dimension, by the names that responses have for them.
type counted struct {
	of    map[string]int64
	other int64 // have a value that is not stored
}

// count returns the events of each value. The blank value has those without one, if their number is known.
func (r *run) count(of summaries) (c counted) {
	c.of = map[string]int64{}
	for _, source := range r.grouped.of {
		s := of[source.kind]
		all := s.Events()
		if source.kind == events {
			all = of.named()
		}
		if len(source.fields) == 0 {
			c.of[source.all] += all
			continue
		}
		rest, other := all, int64(0)
		for _, field := range source.fields {
			d, _ := s.Dimension(field)
			other += d.Other
			for _, v := range d.Values {
				value, ok := v.Value, true
				if source.value != nil {
					value, ok = source.value(v.Value)
				}
				if ok {
					c.of[r.shown(value)] += v.Count
					rest -= v.Count
				}
			}
		}
		c.other += other
		switch rest -= other; {
		case r.pair != nil: // each event has one of the two fields: these are of rows without the pair
			c.other += max(0, rest)
		case rest > 0 && (len(source.fields) == 1 || other == 0):
			c.of[r.shown("")] += rest
		}
	}
	return c
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
	if s == nil {
		return notKnown
	}
	met, _ := s.Measure(g.Field())
	value, _ := s.Measure(g.ValueField())
	amount := func(x float64, text string) Figure {
		currency, isMoney := strings.CutPrefix(g.Value, webfield.RevenuePrefix)
		if text = currency + " " + text; !isMoney {
			return notKnown
		}
		return Figure{Value: x,
			Amount: map[string]any{"currency": currency, "value": x, "short": text, "long": text}}
	}
	average := round(value.Sum.Float64()/max(1, met.Sum.Float64()), 2)
	return map[string]Figure{
		"visits":          {Value: met.Sum.Float64()},
		"conversion_rate": {Value: rate(s, g.Field(), 100, 2)},
		"total_revenue":   amount(value.Sum.Float64(), value.Sum.String()),
		"average_revenue": amount(average, strconv.FormatFloat(average, 'f', 2, 64)),
	}[metric]
}
