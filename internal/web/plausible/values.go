package plausible

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/goal"
)

// figures are the figures of each value of a dimension, by metric; the sum of all values has the key "".
type figures map[string]func(metric string) Figure

// values returns the figures of the values in a period that are rows of the result.
func (r *run) values(of summaries) (figures, error) {
	switch {
	case r.by == "":
		return figures{"": r.siteFigure(of)}, nil
	case r.by == goals:
		return r.goalFigures(of)
	case slices.ContainsFunc(r.grouped.of, func(s source) bool { return of[s.kind] == nil }):
		return r.unknownFigures(), nil
	}
	if strings.HasPrefix(r.by, properties) {
		r.note("of custom events alone: page views have their properties while their events are stored")
	}
	c := r.count(of)
	if r.sum {
		return r.sumFigures(of, c), nil
	}
	return r.valueFigures(of, c), nil
}

// siteFigure returns the figures of the whole site.
func (r *run) siteFigure(of summaries) func(metric string) Figure {
	return func(metric string) Figure {
		m := metrics[metric]
		if slices.ContainsFunc(m.kinds, func(kind string) bool { return of[kind] == nil }) {
			return notKnown
		}
		if metric == "visitors" && of.estimates() {
			r.noteMetric(metric, "more than 256 visitors are estimated, with a standard error of 2.3 %")
		}
		return Figure{Value: m.of(of)}
	}
}

// goalFigures returns the figures of each goal that passes. A visit may meet several: they have no sum.
func (r *run) goalFigures(of summaries) (figures, error) {
	kind, _ := r.kinds.Kind(visits)
	fails := func(g goal.Goal) bool { return !r.passes(g.Name) }
	passing := slices.DeleteFunc(slices.Clone(kind.Goals), fails)
	if r.sum && len(passing) != 1 {
		return nil, refuse("filter by %s: %d goals pass, and a visit may meet several: want a filter "+
			"that one goal passes, or the dimension %s", goals, len(passing), goals)
	}
	all := figures{}
	for _, g := range passing {
		met := ofGoal("visits", of[visits], g)
		if (!r.sum || r.time != "") && !met.Unknown && met.Value == 0 {
			continue // no visit met it: no row
		}
		key := g.Name
		if r.sum {
			key = ""
		}
		all[key] = func(metric string) Figure { return ofGoal(metric, of[visits], g) }
	}
	return all, nil
}

// unknownFigures returns the rows of a period that lacks a total. The warnings name the period.
func (r *run) unknownFigures() figures {
	if r.sum {
		return figures{"": unknownFigure}
	}
	all := figures{}
	for _, value := range r.compared {
		all[value] = unknownFigure
	}
	return all
}

// sumFigures returns the row of all values that pass, none if the time is a dimension and nothing passes.
func (r *run) sumFigures(of summaries, c counted) figures {
	var sum int64
	for value, n := range c.of {
		if r.passes(value) {
			sum += n
		}
	}
	if r.time != "" && sum == 0 && (c.other == 0 || r.passesRest(c) == no) {
		return nil
	}
	return figures{"": r.sumFigure(of, c, sum)}
}

// valueFigures returns a row for each value that passes. What is asked or compared, and may be one of the
// values that are not stored, is not known.
func (r *run) valueFigures(of summaries, c counted) figures {
	events := map[string]int64{} // by key of rows
	for value, n := range c.of {
		// A site without page views has no row for them.
		if key := r.key(value); key != "" && r.passes(value) {
			events[key] += n
		}
	}
	all := figures{}
	for key, n := range events {
		figure := r.valueFigure(of, c, key, n)
		if n == 0 || r.goal != nil && figure("visits") == (Figure{}) {
			continue // no visit met the goal: no row
		}
		all[key] = figure
	}
	if c.other == 0 {
		return all
	}
	r.note("only the most frequent values are stored")
	for _, forms := range r.asked {
		if value := forms[len(forms)-1]; lacksAll(c.of, forms) && r.passes(value) {
			all[value] = unknownFigure
		}
	}
	for _, value := range r.compared {
		if all[value] == nil {
			all[value] = unknownFigure
		}
	}
	return all
}

// valueFigure returns the figures of a key of rows, whose values n events have.
func (r *run) valueFigure(of summaries, c counted, key string, n int64) func(metric string) Figure {
	return func(metric string) Figure {
		if slices.Contains(r.partMetrics(), metric) {
			passes := func(value string) bool { return r.key(value) == key && r.passes(value) }
			return r.partFigure(of, metric, passes, false, n)
		}
		return r.share(c, metric, n)
	}
}

// share returns how many of the events have a value, or their percentage of those that pass the filters.
func (r *run) share(c counted, metric string, n int64) Figure {
	if metric != percentage {
		return Figure{Value: float64(n)}
	}
	var all int64
	for value, events := range c.of {
		if r.passes(value) {
			all += events
		}
	}
	switch rest := r.passesRest(c); {
	case c.other > 0 && rest == maybe:
		r.noteMetric(metric, "not known: only the most frequent values are stored, and others may pass")
		return notKnown
	case rest == yes:
		all += c.other
	}
	return Figure{Value: round(float64(n)*100/max(1, float64(all)), 1)}
}
