package stats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Result is the response to a query. Query has the order, and the times of the range.
type Result struct {
	Results []Row          `json:"results"`
	Meta    map[string]any `json:"meta"`
	Query   Request        `json:"query"`
}

// Row has its figures and values in the order of the query.
type Row struct {
	Metrics    []float64 `json:"metrics"`
	Dimensions []string  `json:"dimensions"`
}

// The kinds of websites.
var views, visits, events = web.PageViews.Name, web.Sessions.Name, web.CustomEvents.Name

// rate returns the average of a measure times a factor, rounded to some digits; 0 without events.
func rate(s *rollup.Summary, measure string, factor float64, digits int) float64 {
	m, _ := s.Measure(measure)
	avg, _ := m.Avg()
	unit := math.Pow10(digits)
	return math.Round(avg*factor*unit) / unit
}

func count(s *rollup.Summary) float64 { return float64(s.Events()) }

// metrics are the figures of all visitors, each of the rollups of one kind.
var metrics = map[string]struct {
	kind string
	of   func(*rollup.Summary) float64
}{
	"visitors": {views, func(s *rollup.Summary) float64 {
		n, _ := s.Distinct(webfield.Visitor)
		return float64(n)
	}},
	"pageviews":       {views, count},
	"visits":          {visits, count},
	"views_per_visit": {visits, func(s *rollup.Summary) float64 { return rate(s, webfield.Views, 1, 2) }},
	"bounce_rate":     {visits, func(s *rollup.Summary) float64 { return rate(s, webfield.Bounce, 100, 0) }},
	"visit_duration":  {visits, func(s *rollup.Summary) float64 { return rate(s, webfield.Duration, 0.001, 0) }},
}

// group is a dimension by whose values events of a kind are counted, or whose values are goals.
type group struct {
	kind, field string
	metrics     []string
}

const goals = "event:goal"

// groups are the dimensions whose field has another name. visit:x is field x of sessions.
var groups = map[string]group{
	goals:              {visits, "", []string{"visits", "conversion_rate"}},
	"event:page":       {views, webfield.Path, []string{"pageviews"}},
	"event:name":       {events, webfield.Name, []string{"events"}},
	"visit:entry_page": {visits, webfield.Entry, []string{"visits"}},
	"visit:exit_page":  {visits, webfield.Exit, []string{"visits"}},
}

// run is one query that is served.
type run struct {
	Request
	kinds    *catalog.Catalog
	unit     string // of the time dimension: day; "" if there is none
	by       string // the dimension by whose values figures are grouped; "" if there is none
	group    group
	keep     []func(value string) bool
	warnings map[string]string
}

// Serve serves a query from the rollups of kinds. The error wraps ErrRequest if they cannot serve it,
// or is of the table.
func Serve(ctx context.Context, table *query.Service, kinds *catalog.Catalog, q Request) (*Result, error) {
	r := &run{Request: q, kinds: kinds, warnings: map[string]string{}}
	if err := r.plan(); err != nil {
		return nil, err
	}
	zone, err := table.Zone(ctx, model.Subject{Type: web.Site.Name, ID: q.Site})
	switch {
	case errors.Is(err, localday.ErrZone):
		return nil, refuse("%v", err)
	case err != nil:
		return nil, err
	}
	periods, err := r.periods(zone, r.unit, table.Now())
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(ctx, table, periods)
	if err != nil {
		return nil, err
	}
	r.sort(rows)
	first := min(q.Pagination.Offset, len(rows))
	page := rows[first:min(first+q.Pagination.Limit, len(rows))]
	return &Result{Results: page, Meta: map[string]any{"total_rows": len(rows), "warnings": r.warnings}, Query: r.Request}, nil
}

// plan checks that rollups have what the query names.
func (r *run) plan() error {
	for _, name := range r.Dimensions {
		unit, isTime := strings.CutPrefix(name, "time:")
		g, known := groups[name]
		if field, ofVisit := strings.CutPrefix(name, "visit:"); ofVisit && !known {
			g = group{visits, field, []string{"visits"}}
		}
		k, ok := r.kinds.Kind(g.kind)
		ok = ok && (name == goals || slices.ContainsFunc(k.Dimensions, func(d rollup.DimensionSpec) bool { return d.Name == g.field }))
		switch {
		case isTime && r.unit == "":
			r.unit = unit
		case !ok || r.by != "":
			return refuse("dimension %.64q: rollups have one of time:day, time:week and time:month, and one of %s and fields of sessions such as visit:source", name, strings.Join(slices.Sorted(maps.Keys(groups)), ", "))
		default:
			r.by, r.group = name, g
		}
	}
	for _, raw := range r.Filters {
		var operator, dimension string
		var values []string
		parts := []any{&operator, &dimension, &values}
		if err := json.Unmarshal(raw, &parts); err != nil || len(parts) != 3 || operator != "is" && operator != "is_not" || dimension != r.by {
			return refuse("filter %.200s: rollups have the values of each dimension alone: want [\"is\" or \"is_not\", a dimension of the query, [values]]", raw)
		}
		r.keep = append(r.keep, func(value string) bool { return slices.Contains(values, value) == (operator == "is") })
	}
	for _, name := range r.Metrics {
		has := slices.Sorted(maps.Keys(metrics))
		if r.by != "" {
			has = r.group.metrics
		}
		if !slices.Contains(has, name) {
			return refuse("metric %.64q: rollups do not have it of %s; they have %s", name, cmp.Or(r.by, "all visitors"), strings.Join(has, ", "))
		}
	}
	return nil
}

// rows reads the totals of each period and returns its rows.
func (r *run) rows(ctx context.Context, table *query.Service, periods []localday.Period) ([]Row, error) {
	read := map[string][]query.RangeTotal{}
	figures := make([]map[string]map[string]float64, len(periods)) // by period, value and metric
	for _, metric := range r.Metrics {
		name := cmp.Or(r.group.kind, metrics[metric].kind)
		kind, ok := r.kinds.Kind(name)
		if !ok {
			return nil, refuse("metric %s: the table has no kind %s", metric, name)
		}
		if read[name] == nil {
			var err error
			if read[name], err = table.PeriodTotals(ctx, query.Rollups{Series: query.Series{Kind: kind, Subject: r.Site}}, periods); err != nil {
				return nil, err
			}
		}
		for i := range read[name] {
			if figures[i] == nil {
				figures[i] = map[string]map[string]float64{}
			}
			r.addFigures(figures[i], metric, kind, &read[name][i])
		}
	}
	rows := []Row{}
	for i := range figures {
		for value, of := range figures[i] {
			rows = append(rows, Row{
				Dimensions: lists.Map(r.Dimensions, func(d string) string { return map[bool]string{true: value, false: periods[i].Label}[d == r.by] }),
				Metrics:    lists.Map(r.Metrics, func(m string) float64 { return of[m] }),
			})
		}
	}
	return rows, nil
}

// addFigures adds a metric of each value of a period: of "" without a dimension.
func (r *run) addFigures(to map[string]map[string]float64, metric string, kind *catalog.Kind, total *query.RangeTotal) {
	add := func(value string, figure float64) {
		if !slices.ContainsFunc(r.keep, func(keep func(string) bool) bool { return !keep(value) }) {
			if to[value] == nil {
				to[value] = map[string]float64{}
			}
			to[value][metric] = figure
		}
	}
	if !total.Exact || len(total.Missing) > 0 || len(total.Partial) > 0 {
		r.warnings[metric] = "may lack events, which have expired, or fields that were declared later"
	}
	s := total.Summary
	switch d, _ := s.Dimension(r.group.field); {
	case r.by == "":
		add("", metrics[metric].of(s))
	case r.by == goals:
		for _, g := range kind.Goals {
			m, _ := s.Measure(g.Field())
			add(g.Name, map[string]float64{"visits": m.Sum.Float64(), "conversion_rate": rate(s, g.Field(), 100, 2)}[metric])
		}
	default:
		for _, v := range d.Values {
			add(v.Value, float64(v.Count))
		}
		if d.Other > 0 {
			r.warnings[metric] = "only the most frequent values are stored"
		}
	}
}

// sort sorts the rows: by default by time and then by the first metric, the highest first. Equal rows
// are in order of their values.
func (r *run) sort(rows []Row) {
	if len(r.OrderBy) == 0 {
		if r.unit != "" {
			r.OrderBy = [][2]string{{"time:" + r.unit, "asc"}}
		}
		r.OrderBy = append(r.OrderBy, [2]string{r.Metrics[0], "desc"})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		for _, o := range r.OrderBy {
			x, y, c := a, b, 0
			if o[1] == "desc" {
				x, y = b, a
			}
			if i := slices.Index(r.Metrics, o[0]); i >= 0 {
				c = cmp.Compare(x.Metrics[i], y.Metrics[i])
			} else if d := slices.Index(r.Dimensions, o[0]); d >= 0 {
				c = cmp.Compare(x.Dimensions[d], y.Dimensions[d])
			}
			if c != 0 {
				return c
			}
		}
		return slices.Compare(a.Dimensions, b.Dimensions)
	})
}
