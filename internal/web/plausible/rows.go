package plausible

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
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

// values returns the figures of each value of a period, by metric: of "" without a dimension.
func (r *run) values(of summaries) (map[string]func(metric string) Figure, error) {
	passes := r.passes
	all := map[string]func(string) Figure{}
	lacks := slices.ContainsFunc(r.grouped.of, func(s source) bool { return of[s.kind] == nil })
	switch {
	case r.by == "":
		all[""] = func(metric string) Figure {
			m := metrics[metric]
			if slices.ContainsFunc(m.kinds, func(kind string) bool { return of[kind] == nil }) {
				return notKnown
			}
			if metric == "visitors" && of.estimates() {
				r.noteMetric(metric, "more than 256 visitors are estimated, with a standard error of 2.3 %")
			}
			return Figure{Value: m.of(of)}
		}
		return all, nil
	case r.by == goals:
		kind, _ := r.kinds.Kind(visits)
		kept := slices.DeleteFunc(slices.Clone(kind.Goals), func(g goal.Goal) bool { return !passes(g.Name) })
		if r.sum && len(kept) != 1 {
			return nil, refuse("filter by %s: %d goals pass, and a visit may meet several: want a filter that one goal passes, or the dimension %s", goals, len(kept), goals)
		}
		for _, g := range kept {
			met := ofGoal("visits", of[visits], g)
			if (!r.sum || r.time != "") && !met.Unknown && met.Value == 0 {
				continue // no visit met it: no row
			}
			figure := func(metric string) Figure { return ofGoal(metric, of[visits], g) }
			all[map[bool]string{false: g.Name}[r.sum]] = figure
		}
		return all, nil
	case lacks && r.sum:
		return map[string]func(string) Figure{"": unknownFigure}, nil
	case lacks:
		for _, value := range r.compared {
			all[value] = unknownFigure
		}
		return all, nil // the warnings name the period
	}
	if strings.HasPrefix(r.by, properties) {
		r.note("of custom events alone: page views have their properties while their events are stored")
	}
	c, sums := r.count(of), map[string]int64{"": 0}
	for value, n := range c.of {
		if passes(value) {
			sums[r.key(value)] += n
		}
	}
	for key, n := range sums {
		if key != "" && n > 0 { // a site without page views has no row for them
			all[key] = r.valueFigure(of, c, key, n)
		}
		if met := all[key]; met != nil && r.goal != nil && met("visits") == (Figure{}) {
			delete(all, key) // no visit met the goal: no row
		}
	}
	for _, forms := range r.asked {
		if value := forms[len(forms)-1]; lacksAll(c.of, forms) && c.other > 0 && passes(value) {
			all[value] = unknownFigure
		}
	}
	for _, value := range r.compared {
		if all[value] == nil && c.other > 0 {
			all[value] = unknownFigure
		}
	}
	if r.sum && r.time != "" && sums[""] == 0 && (c.other == 0 || r.passesRest(c) == no) {
		return nil, nil // nothing of the period passes: no row
	}
	if r.sum {
		all = map[string]func(string) Figure{"": r.sumFigure(of, c, sums[""])}
	} else if c.other > 0 {
		r.note("only the most frequent values are stored")
	}
	return all, nil
}

// passes reports whether a value passes all filters.
func (r *run) passes(value string) bool {
	return !slices.ContainsFunc(r.keep, func(k keep) bool { return !k.value(value) })
}

// valueFigure returns the figures of a key of rows, whose values n events have.
func (r *run) valueFigure(of summaries, c counted, key string, n int64) func(metric string) Figure {
	return func(metric string) Figure {
		if slices.Contains(r.partMetrics(), metric) {
			passes := func(value string) bool { return r.key(value) == key && r.passes(value) }
			return r.partFigure(of, metric, passes, false, n)
		}
		return c.share(metric, n)
	}
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
