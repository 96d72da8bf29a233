package plausible

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// rows reads the totals of each period of a range and returns its rows, and the labels of its periods.
func (r *run) rows(ctx context.Context, table *query.Service,
	whole span) (rows []Row, labels []string, err error) {
	periods, err := whole.periods(r.unit)
	if err != nil {
		return nil, nil, err
	}
	read := lists.Map(periods, func(times.Period) summaries { return summaries{} })
	totals := map[string][]query.ZonedTotal{} // by kind
	for _, metric := range r.Metrics {
		kinds := metrics[metric].kinds
		if r.by != "" {
			kinds = lists.Map(r.grouped.of, func(s source) string { return s.kind })
		}
		for _, name := range kinds {
			if totals[name] == nil {
				if totals[name], err = r.read(ctx, table, name, whole.zone, periods, read); err != nil {
					return nil, nil, err
				}
			}
			r.warn(metric, totals[name], whole.zone)
		}
	}
	rows = []Row{}
	for i, of := range read {
		labels = append(labels, periods[i].Label)
		if r.quiet(of) {
			continue
		}
		values, err := r.values(of)
		if err != nil {
			return nil, nil, err
		}
		for value, figure := range values {
			rows = append(rows, Row{
				Metrics: lists.Map(r.Metrics, figure), Dimensions: r.named(labels[i], value),
				position: position{i, value},
			})
		}
	}
	return rows, labels, nil
}

// read reads the totals of a kind, of each period.
func (r *run) read(ctx context.Context, table *query.Service, name string, zone *time.Location,
	periods []times.Period, into []summaries) ([]query.ZonedTotal, error) {
	kind, ok := r.kinds.Kind(name)
	if !ok {
		return nil, refuse("the table has no kind %s, which has figures of the query", name)
	}
	q := query.Rollups{Series: query.Series{Kind: kind, Subject: r.Site}}
	if r.Include.Imports {
		q.Streams = []string{webfield.ImportedStream}
	}
	totals, err := table.ZonedTotals(ctx, q, zone, periods, inUTC(zone))
	if err != nil {
		return nil, err
	}
	for i, total := range totals {
		into[i][name], r.progress = total.Summary, total.Progress
		r.found = r.found || total.Buckets > 0 || len(total.Missing) > 0
		if len(total.Missing) > 0 && (r.time != "" || total.Summary.Events()+total.Unreadable == 0) {
			into[i][name] = nil // a part of a period would look like all of it
		}
	}
	return totals, nil
}

// passes reports whether a value passes all filters.
func (r *run) passes(value string) bool {
	return !slices.ContainsFunc(r.keep, func(k keep) bool { return !k.value(value) })
}

// quiet reports whether nothing happened in a period: it is then no row.
func (r *run) quiet(of summaries) bool {
	for _, s := range of {
		if s == nil || s.Events() > 0 {
			return false
		}
	}
	return r.time != ""
}
