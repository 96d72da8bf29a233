package plausible

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Report is a request of version 1 of the API, GET /api/v1/stats/NAME. It is served as a query of version 2.
type Report struct {
	Request
	kind                   report
	period, date, interval string
}

// report is a kind of report: its own parameters, beside the common ones, and its response.
type report struct {
	params []string
	show   func(*Report, *Result) any
}

var reports = map[string]report{
	"aggregate":         {[]string{"compare"}, (*Report).aggregate},
	"timeseries":        {[]string{"interval"}, (*Report).timeseries},
	"breakdown":         {[]string{"property", "limit", "page"}, (*Report).breakdown},
	"realtime/visitors": {nil, (*Report).current},
}

// The parameters of all reports but realtime/visitors, which has the first alone.
var reportParams = []string{"site_id", "period", "date", "metrics", "filters", "with_imported"}

// periods are the named ranges of reports: a number of days before the date, or of months that end with the
// month of the date, and the unit of a time series.
var periods = map[string]struct {
	days, months int
	unit         string
}{
	"day":    {unit: hour},
	"7d":     {days: 6, unit: "day"},
	"30d":    {days: 30, unit: "day"},
	"month":  {months: 1, unit: "day"},
	"6mo":    {months: 6, unit: "month"},
	"12mo":   {months: 12, unit: "month"},
	"custom": {unit: "day"},
}

// The limits of a page of a breakdown.
const (
	defaultPage = 100
	maxPage     = 1000
)

// checkParams returns an error for a parameter that the report does not have, or has twice.
func (r report) checkParams(params url.Values) error {
	allowed := slices.Concat(reportParams, r.params)
	if r.params == nil {
		allowed = reportParams[:1]
	}
	for name, values := range params {
		if !slices.Contains(allowed, name) || len(values) > 1 {
			return refuse("parameter %.64q: want at most one of each of %s%s", name,
				strings.Join(allowed, ", "), unlessKnown(name, allowed))
		}
	}
	return nil
}

// DecodeReport reads the parameters of a report. The error wraps ErrRequest.
func DecodeReport(name string, params url.Values) (q Report, err error) {
	kind, known := reports[name]
	if !known {
		return q, refuse("report %.64q: want one of %s", name, choices(name, reports))
	}
	if err := kind.checkParams(params); err != nil {
		return q, err
	}
	text := func(name, missing string) string {
		if params.Get(name) == "" {
			return missing
		}
		return params.Get(name)
	}
	q = Report{
		kind: kind, period: text("period", "30d"), date: params.Get("date"), interval: params.Get("interval"),
	}
	q.Site = params.Get("site_id")
	q.Metrics = strings.Split(text("metrics", "visitors"), ",")
	q.Dimensions = []string{}
	q.Include.Imports = params.Get("with_imported") == "true"
	if property := params.Get("property"); property != "" {
		q.Dimensions = []string{property}
	}
	if q.Filters, err = reportFilters(params.Get("filters")); err != nil {
		return q, err
	}
	_, named := periods[q.period]
	limit, badLimit := strconv.Atoi(text("limit", strconv.Itoa(defaultPage)))
	page, badPage := strconv.Atoi(text("page", "1"))
	switch {
	case q.Site == "":
		return q, refuse("site_id is required")
	case !named:
		return q, refuse("period %.64q: want one of %s", q.period, choices(q.period, periods))
	case !slices.Contains([]string{"", "date", "day", "month"}, q.interval):
		return q, refuse("interval %.64q: want day or month", q.interval)
	case slices.Contains(kind.params, "property") && len(q.Dimensions) == 0:
		return q, refuse("property is required: the dimension that groups the figures, such as event:page")
	case badLimit != nil || limit < 1 || limit > maxPage || badPage != nil || page < 1 || page > maxRows:
		return q, refuse("want a limit from 1 to %d, and a page from 1", maxPage)
	case !slices.Contains([]string{"", "true", "false"}, params.Get("with_imported")):
		return q, refuse("with_imported %.64q: want true or false", params.Get("with_imported"))
	case params.Get("compare") != "" && params.Get("compare") != "previous_period":
		return q, refuse("compare %.64q: want previous_period", params.Get("compare"))
	}
	q.Pagination.Limit = maxRows
	if slices.Contains(kind.params, "limit") {
		q.Pagination.Limit = limit
		q.Pagination.Offset = limit * (page - 1)
	}
	if params.Get("compare") != "" {
		q.Include.Comparisons = &comparisons{Mode: "previous_period"}
	}
	return q, q.check()
}

// ServeReport serves a report. The error wraps ErrRequest, or is of the table, as with Serve.
func ServeReport(ctx context.Context, table *query.Service, kinds *catalog.Catalog, q Report) (any, error) {
	zone, err := siteZone(ctx, table, q.Site)
	if err == nil {
		err = q.setRange(table.Now().Time().In(zone))
	}
	if err != nil {
		return nil, err
	}
	result, err := serveIn(ctx, zone, table, kinds, q.Request)
	if err != nil {
		return nil, err
	}
	return q.kind.show(&q, result), nil
}

// setRange sets the range of the query, and the unit of a time series, from the period and the date; without
// a date it is today.
func (q *Report) setRange(now time.Time) error {
	named := periods[q.period]
	y, m, d := now.Date()
	from := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	to, err := from, error(nil)
	switch first, last, _ := strings.Cut(q.date, ","); {
	case q.period == "custom":
		if from, err = time.Parse(time.DateOnly, strings.TrimSpace(first)); err == nil {
			to, err = time.Parse(time.DateOnly, strings.TrimSpace(last))
		}
	case q.date != "" && q.date != "today":
		from, err = time.Parse(time.DateOnly, q.date)
		to = from
	}
	if err != nil {
		return refuse("date %.64q: want a date as 2026-04-01, or two and a comma for the period custom", q.date)
	}
	from = from.AddDate(0, 0, -named.days)
	if named.months > 0 {
		first := time.Date(to.Year(), to.Month(), 1, 0, 0, 0, 0, time.UTC)
		from, to = first.AddDate(0, 1-named.months, 0), first.AddDate(0, 1, -1)
	}
	q.DateRange = fmt.Appendf(nil, `["%s", "%s"]`, from.Format(time.DateOnly), to.Format(time.DateOnly))
	switch {
	case slices.Contains(q.kind.params, "interval"):
		unit := map[string]string{"": named.unit, "date": "day", "day": "day", "month": "month"}[q.interval]
		q.Dimensions, q.Include.TimeLabels = []string{"time:" + unit}, true
	case q.kind.params == nil:
		q.DateRange = json.RawMessage(`"realtime"`)
	}
	return nil
}

// response is the response to a report. Warnings name, by metric, figures that are not known or may be too
// low.
type response struct {
	Results  any               `json:"results"`
	Warnings map[string]string `json:"warnings,omitempty"`
}

func respond(rows any, r *Result) response {
	warnings, _ := r.Meta["warnings"].(map[string]string)
	return response{rows, warnings}
}

func (q *Report) aggregate(r *Result) any {
	results := map[string]map[string]any{}
	for i, metric := range q.Metrics {
		results[metric] = map[string]any{"value": r.Results[0].Metrics[i]}
		if earlier := r.Results[0].Comparison; earlier != nil {
			results[metric]["change"] = earlier.Change[i]
		}
	}
	return respond(results, r)
}

// current returns the number of visitors alone.
func (q *Report) current(r *Result) any { return r.Results[0].Metrics[0] }

// quietAverages are the metrics that are null in a period in which nothing happened. Others are 0.
var quietAverages = []string{"visit_duration", "scroll_depth", "time_on_page"}

// timeseries has a row for each period of the range.
func (q *Report) timeseries(r *Result) any {
	found := map[string]Row{}
	for _, row := range r.Results {
		found[row.Dimensions[0]] = row
	}
	labels, _ := r.Meta["time_labels"].([]string)
	return respond(lists.Map(labels, func(label string) map[string]any {
		shown := map[string]any{"date": label}
		row, ok := found[label]
		for i, metric := range q.Metrics {
			figure := Figure{Unknown: slices.Contains(quietAverages, metric)}
			if ok {
				figure = row.Metrics[i]
			}
			shown[metric] = figure
		}
		return shown
	}), r)
}

// breakdown names the value of a row by the property without its prefix.
func (q *Report) breakdown(r *Result) any {
	name := q.Dimensions[0][strings.LastIndexByte(q.Dimensions[0], ':')+1:]
	if property, ok := strings.CutPrefix(q.Dimensions[0], properties); ok {
		name = property
	}
	return respond(lists.Map(r.Results, func(row Row) map[string]any {
		shown := map[string]any{name: row.Dimensions[0]}
		for i, metric := range q.Metrics {
			shown[metric] = row.Metrics[i]
		}
		return shown
	}), r)
}
