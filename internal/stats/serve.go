package stats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/goal"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Result is the response to a query. Query has the order, and the times of the range.
type Result struct {
	Results []Row          `json:"results"`
	Meta    map[string]any `json:"meta"`
	Query   Request        `json:"query"`
}

// Row has its figures and values in the order of the query.
type Row struct {
	Metrics    []Figure `json:"metrics"`
	Dimensions []string `json:"dimensions"`
	Comparison *Earlier `json:"comparison,omitempty"`
	position
}

// position is that of a row in its range: the number of its period, and a value of the dimension.
type position struct {
	period int
	value  string
}

// Earlier is the row at the same position of the range of the same length before. Change is in percent, or
// a difference for metrics that are percentages; from 0 to more is 100 %.
type Earlier struct {
	Metrics    []Figure  `json:"metrics"`
	Dimensions []string  `json:"dimensions"`
	Change     []float64 `json:"change"`
}

// run is one query that is served.
type run struct {
	Request
	kinds    *catalog.Catalog
	time     string // the time dimension: time:day; "" if there is none
	unit     string // of it, as it is cut: day
	by       string // the dimension by whose values figures are grouped or filtered; "" if there is none
	sum      bool   // the query has by in filters alone: the values that pass are added up
	grouped  group
	keep     []keep
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
	whole, err := spanOf(r.DateRange, zone, table.Now())
	if err != nil {
		return nil, err
	}
	r.unit = whole.unit(r.time)
	r.DateRange, _ = json.Marshal([]time.Time{whole.from.Time().In(zone), whole.to.Time().In(zone)}) // plain data: cannot fail
	rows, labels, err := r.rows(ctx, table, whole)
	if err != nil {
		return nil, err
	}
	r.sort(rows)
	first := min(q.Pagination.Offset, len(rows))
	page := rows[first:min(first+q.Pagination.Limit, len(rows))]
	meta := map[string]any{"total_rows": len(rows), "warnings": r.warnings, "imports_included": q.Include.Imports}
	if q.Include.TimeLabels {
		meta["time_labels"] = labels
	}
	if q.Include.Comparisons != nil {
		err = r.compare(ctx, table, whole.before(), page)
	}
	return &Result{Results: page, Meta: meta, Query: r.Request}, err
}

// compare adds the rows of an earlier range to rows. Those of periods that it lacks get none.
func (r *run) compare(ctx context.Context, table *query.Service, before span, rows []Row) error {
	earlier, labels, err := r.rows(ctx, table, before)
	at := map[position]Row{}
	for _, e := range earlier {
		at[e.position] = e
	}
	for i := range rows {
		row := &rows[i]
		if row.period >= len(labels) {
			continue
		}
		e, found := at[row.position]
		if !found {
			e.Metrics, e.Dimensions = make([]Figure, len(r.Metrics)), r.dimensions(labels[row.period], row.value)
		}
		row.Comparison = &Earlier{e.Metrics, e.Dimensions, make([]float64, len(r.Metrics))}
		for m, name := range r.Metrics {
			row.Comparison.Change[m] = change(name, e.Metrics[m].Value, row.Metrics[m].Value)
		}
	}
	return err
}

// dimensions returns those of a row.
func (r *run) dimensions(label, value string) []string {
	return lists.Map(r.Dimensions, func(d string) string { return map[bool]string{true: value, false: label}[d == r.by] })
}

// plan checks that rollups have what the query names.
func (r *run) plan() error {
	for _, name := range r.Dimensions {
		if (name == automatic || strings.HasPrefix(name, "time:")) && r.time == "" {
			r.time = name
		} else if err := r.group(name); err != nil {
			return err
		}
	}
	if r.Include.TimeLabels && r.time == "" {
		return refuse("include.time_labels: the query needs a time dimension")
	}
	for _, raw := range r.Filters {
		k, err := r.filter(raw)
		if err != nil {
			return err
		}
		r.keep = append(r.keep, k)
	}
	for _, name := range r.Metrics {
		has := slices.Sorted(maps.Keys(metrics))
		if r.by != "" {
			has = r.grouped.metrics
		}
		if !slices.Contains(has, name) {
			return refuse("metric %.64q: rollups do not have it of %s; they have %s", name, cmp.Or(r.by, "all visitors"), strings.Join(has, ", "))
		}
	}
	return nil
}

// rows reads the totals of each period of a range and returns its rows, and the labels of its periods.
func (r *run) rows(ctx context.Context, table *query.Service, whole span) (rows []Row, labels []string, err error) {
	periods, err := whole.periods(r.unit)
	if err != nil {
		return nil, nil, err
	}
	read := lists.Map(periods, func(localday.Period) summaries { return summaries{} })
	for _, metric := range r.Metrics {
		kinds := metrics[metric].kinds
		if r.by != "" {
			kinds = []string{r.grouped.kind}
		}
		for _, name := range kinds {
			if err := r.read(ctx, table, metric, name, periods, read); err != nil {
				return nil, nil, err
			}
		}
	}
	rows = []Row{}
	for i, of := range read {
		labels = append(labels, periods[i].Label)
		values, err := r.values(of)
		if err != nil {
			return nil, nil, err
		}
		for value, figure := range values {
			rows = append(rows, Row{lists.Map(r.Metrics, figure), r.dimensions(labels[i], value), nil, position{i, value}})
		}
	}
	return rows, labels, nil
}

// read reads the totals of a kind that a metric needs, of each period.
func (r *run) read(ctx context.Context, table *query.Service, metric, name string, periods []localday.Period, into []summaries) error {
	kind, ok := r.kinds.Kind(name)
	switch {
	case !ok:
		return refuse("metric %s: the table has no kind %s", metric, name)
	case len(into) == 0 || into[0][name] != nil:
		return nil
	}
	q := query.Rollups{Series: query.Series{Kind: kind, Subject: r.Site}}
	if r.Include.Imports {
		q.Streams = []string{webfield.ImportedStream}
	}
	totals, err := table.PeriodTotals(ctx, q, periods)
	for i, total := range totals {
		if into[i][name] = total.Summary; err == nil && (!total.Exact || len(total.Missing) > 0 || len(total.Partial) > 0) {
			r.warnings[metric] = "may lack events, which have expired, or fields that were declared later"
		}
	}
	return err
}

// values returns the figures of each value of a period, by metric: of "" without a dimension.
func (r *run) values(of summaries) (map[string]func(metric string) Figure, error) {
	passes := func(value string) bool { return !slices.ContainsFunc(r.keep, func(k keep) bool { return !k(value) }) }
	all, s := map[string]func(string) Figure{}, of[r.grouped.kind]
	switch {
	case r.by == "":
		all[""] = func(metric string) Figure { return Figure{Value: metrics[metric].of(of)} }
		return all, nil
	case r.by == goals:
		kind, _ := r.kinds.Kind(visits)
		kept := slices.DeleteFunc(slices.Clone(kind.Goals), func(g goal.Goal) bool { return !passes(g.Name) })
		if r.sum && len(kept) != 1 {
			return nil, refuse("filter by %s: %d goals pass, and a visit may meet several: want a filter that one goal passes, or the dimension %s", goals, len(kept), goals)
		}
		for _, g := range kept {
			all[map[bool]string{false: g.Name}[r.sum]] = func(metric string) Figure { return ofGoal(metric, s, g) }
		}
		return all, nil
	}
	counts, other := r.grouped.counts(s)
	if other > 0 {
		for _, metric := range r.Metrics {
			r.warnings[metric] = "only the most frequent values are stored"
		}
	}
	sum := int64(0)
	for value, n := range counts {
		if passes(value) && (r.sum || value != "") {
			sum += n
			all[value] = func(metric string) Figure { return share(metric, n, s) }
		}
	}
	if r.sum {
		all = map[string]func(string) Figure{"": func(metric string) Figure { return share(metric, sum, s) }}
	}
	return all, nil
}

// sort sorts the rows: by default by time and then by the first metric, the highest first. Equal rows
// are in order of their values.
func (r *run) sort(rows []Row) {
	if len(r.OrderBy) == 0 {
		if r.time != "" {
			r.OrderBy = [][2]string{{r.time, "asc"}}
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
				c = cmp.Compare(x.Metrics[i].Value, y.Metrics[i].Value)
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
