package plausible

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
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

// position is the position of a row in its range: the number of its period, and a value of the dimension.
type position struct {
	period int
	value  string
}

// Earlier is the row at the same position of the range of the same length before. Change is in percent, or
// a difference for metrics that are percentages; from 0 to more is 100 %.
type Earlier struct {
	Metrics    []Figure   `json:"metrics"`
	Dimensions []string   `json:"dimensions"`
	Change     []*float64 `json:"change"` // nil if one of the figures is not known
}

// reader reads what a query is served from: rollups, or events.
type reader interface {
	// query returns the query.
	query() *run
	// rows returns the rows of a range, and the labels of its periods.
	rows(ctx context.Context, table *query.Service, whole span) ([]Row, []string, error)
	// named returns the dimensions of a row, by the label of its period and its value.
	named(label, value string) []string
}

// run is one query that is served.
type run struct {
	Request
	kinds    *catalog.Catalog
	time     string // the time dimension: time:day; "" if there is none
	unit     string // of it, as it is cut: day
	pair     *pair  // of dimensions, by whose values the query groups and filters; nil for at most one
	by       string // the dimension by whose values figures are grouped or filtered; "" if there is none
	sum      bool   // the query has by in filters alone: the values that pass are added up
	grouped  group
	goal     *goal.Goal // whose conversions are counted by the dimension; nil counts visits
	keep     []keep
	asked    [][]string // forms of each value that a filter names
	compared []string   // values of rows that are compared with the range that is read
	found    bool       // there is an event, or a part that is not known
	warnings map[string]string
	progress query.Progress // of the rollups that were read
}

// Serve serves a query from the rollups of kinds, or from events if rollups do not have it or have an
// estimate. The error wraps ErrRequest if neither can serve it, or is of the table.
func Serve(ctx context.Context, table *query.Service, kinds *catalog.Catalog, q Request) (*Result, error) {
	zone, err := times.Zone(q.Timezone)
	switch {
	case q.Timezone == "":
		zone, err = siteZone(ctx, table, q.Site)
	case err != nil:
		err = refuse("timezone: %v", err)
	}
	if err != nil {
		return nil, err
	}
	return serveIn(ctx, zone, table, kinds, q)
}

// siteZone returns the zone of a site. The error wraps ErrRequest if the stored one is not known here.
func siteZone(ctx context.Context, table *query.Service, site string) (*time.Location, error) {
	zone, err := table.Zone(ctx, model.Subject{Type: web.Site.Name, ID: site})
	if errors.Is(err, times.ErrZone) {
		err = refuse("%v", err)
	}
	return zone, err
}

// serveIn is Serve with the zone of the site.
func serveIn(
	ctx context.Context, zone *time.Location, table *query.Service, kinds *catalog.Catalog, q Request,
) (*Result, error) {
	newRun := func() *run { return &run{Request: q, kinds: kinds, warnings: map[string]string{}} }
	rollups, counted := newRun(), &recount{run: newRun(), dimensions: map[string]dimension{}}
	refusal := rollups.plan()
	if refusal == nil && !rollups.estimates() {
		return serve(ctx, zone, table, rollups)
	}
	if counted.plan() == nil {
		result, err := serve(ctx, zone, table, counted)
		if refusal != nil || !errors.Is(err, ErrRequest) {
			return result, err
		}
	}
	if refusal != nil {
		return nil, cmp.Or(counted.unmet, refusal)
	}
	return serve(ctx, zone, table, rollups)
}

// serve serves a query from a reader that has planned it.
func serve(ctx context.Context, zone *time.Location, table *query.Service, from reader) (*Result, error) {
	r := from.query()
	q := r.Request
	whole, err := parseSpan(r.DateRange, zone, table.Now())
	if err == nil && r.time != "" && string(r.DateRange) == allTime {
		whole, err = r.beginAll(ctx, table, whole)
	}
	if err != nil {
		return nil, err
	}
	r.unit = whole.unit(r.time)
	// plain data: cannot fail
	r.DateRange, _ = json.Marshal([]time.Time{whole.from.Time().In(zone), whole.to.Time().In(zone)})
	rows, labels, err := from.rows(ctx, table, whole)
	if err == nil && !r.found {
		err = r.checkSite(ctx, table)
	}
	if err != nil {
		return nil, err
	}
	r.noteProgress(table.Now())
	if _, declared := r.kinds.Kind(webfield.ImportedDays); declared && q.Include.Imports {
		r.note("days that another program counted (" + webfield.ImportedDays + ") are not in it: " +
			"the page of the site shows them")
	}
	r.sort(rows)
	first := min(q.Pagination.Offset, len(rows))
	page := rows[first:min(first+q.Pagination.Limit, len(rows))]
	meta := map[string]any{"total_rows": len(rows), "warnings": r.warnings,
		"imports_included": q.Include.Imports}
	addTime(meta, "complete_through", r.progress.CompleteThrough)
	addTime(meta, "processed_through", r.progress.ProcessedThrough)
	if q.Include.TimeLabels {
		meta["time_labels"] = labels
	}
	if q.Include.Comparisons != nil {
		err = r.compare(ctx, table, from, whole.before(), page)
		r.noteProgress(table.Now())
	}
	return &Result{Results: page, Meta: meta, Query: r.Request}, err
}

// addTime adds a time of a query.Progress, if it is known.
func addTime(meta map[string]any, name string, at *model.Time) {
	if at != nil && *at > model.MinTime {
		meta[name] = at.Time().Format(time.RFC3339)
	}
}

// compare adds the rows of an earlier range to rows. Periods that the earlier range lacks get none.
func (r *run) compare(ctx context.Context, table *query.Service, from reader, before span, rows []Row) error {
	for _, row := range rows {
		r.compared = append(r.compared, row.value)
	}
	earlier, labels, err := from.rows(ctx, table, before)
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
			e.Metrics = make([]Figure, len(r.Metrics))
			e.Dimensions = from.named(labels[row.period], row.value)
		}
		row.Comparison = &Earlier{
			Metrics: e.Metrics, Dimensions: e.Dimensions, Change: make([]*float64, len(r.Metrics)),
		}
		for m, name := range r.Metrics {
			if !e.Metrics[m].Unknown && !row.Metrics[m].Unknown {
				row.Comparison.Change[m] = new(change(name, e.Metrics[m].Value, row.Metrics[m].Value))
			}
		}
	}
	return err
}

func (r *run) query() *run { return r }

// named returns the dimensions of a row.
func (r *run) named(label, value string) []string {
	return lists.Map(r.Dimensions, func(d string) string {
		if d == r.time {
			return label
		}
		return r.valueFor(d, value)
	})
}

// plan checks that rollups have what the query names.
func (r *run) plan() error {
	r.usePair()
	for _, name := range r.Dimensions {
		if isTime(name) && r.time == "" {
			r.time = name
		} else if r.inPair(name) {
			continue
		} else if err := r.group(name); err != nil {
			return err
		}
	}
	if r.Include.TimeLabels && r.time == "" {
		return refuse("include.time_labels: the query needs a time dimension")
	}
	if err := r.planFilters(); err != nil {
		return err
	}
	for _, name := range r.Metrics {
		has := slices.Sorted(maps.Keys(metrics))
		switch {
		case r.goal != nil:
			has = r.partMetrics()
		case r.by != "":
			has = slices.Concat(r.grouped.metrics, r.partMetrics())
		}
		if !slices.Contains(has, name) {
			return refuse("metric %.64q: rollups do not have it of %s; they have %s%s", name,
				cmp.Or(r.by, "all visitors"), strings.Join(has, ", "), names.DidYouMean(name, has))
		}
	}
	return nil
}

// planFilters reads the filters. Those by goals come last: they may be of the dimension of another one.
func (r *run) planFilters() error {
	var byGoals []json.RawMessage
	for _, raw := range r.Filters {
		if isOfGoals(raw) {
			byGoals = append(byGoals, raw)
		} else if err := r.addFilter(raw); err != nil {
			return err
		}
	}
	for _, raw := range byGoals {
		used, err := r.useGoal(raw)
		if err == nil && !used {
			err = r.addFilter(raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) addFilter(raw json.RawMessage) error {
	k, err := r.filter(raw)
	r.keep = append(r.keep, k)
	return err
}
