package promapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// unknown returns what a selector that finds nothing names and no series has: a misspelt name finds as much
// as a quiet series, and the two must not look alike.
func (a *API) unknown(matchers []*labels.Matcher) (texts []string) {
	for _, m := range matchers {
		wanted := namedValues(m)
		if len(wanted) == 0 {
			continue
		}
		known, isLabel := a.known(m.Name)
		switch {
		case !isLabel:
			texts = append(texts, noLabel(m.Name))
		case known != nil && !hasAny(known, wanted):
			for _, v := range wanted {
				texts = append(texts, noValue(m.Name, v, known))
			}
		}
	}
	return append(texts, a.unfit(matchers)...)
}

// unfit returns which statistics no declared measure of the metrics that a selector names has: only counters
// have an increase, for example.
func (a *API) unfit(matchers []*labels.Matcher) (texts []string) {
	for _, m := range matchers {
		if m.Name != labelStatistic {
			continue
		}
		for _, name := range namedValues(m) {
			i := slices.IndexFunc(statistics, func(c figure.Column) bool { return c.Statistic == name })
			if i >= 0 && statistics[i].Only != nil && !a.hasStatistic(statistics[i], matchers) {
				texts = append(texts, fmt.Sprintf("no measure that the selector finds has %s=%q: "+
					"increase, rate and resets are of counters, time_mean of a mean over time", m.Name, name))
			}
		}
	}
	return texts
}

// hasStatistic reports whether a declared measure of the kinds and metrics of a selector has a statistic.
func (a *API) hasStatistic(c figure.Column, matchers []*labels.Matcher) bool {
	return slices.ContainsFunc(a.Catalog.Kinds, func(k catalog.Kind) bool {
		return slices.ContainsFunc(k.Measures, func(m rollup.MeasureSpec) bool {
			of := seriesLabels(model.Series{Kind: k.Name}, m.Name, c.Statistic)
			return c.Only(m) && matchesLabels(of, matchers, labelName, labelMeasure, labelKind)
		})
	})
}

func hasAny(known, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(v string) bool { return slices.Contains(known, v) })
}

// namedValues returns the values that a matcher names, as x="a" and x=~"a|b" do; nil if a series without
// the label matches too.
func namedValues(m *labels.Matcher) []string {
	switch {
	case m.Matches(""):
		return nil
	case m.Type == labels.MatchEqual:
		return []string{m.Value}
	case m.Type == labels.MatchRegexp:
		return m.SetMatches()
	}
	return nil
}

func noLabel(name string) string {
	return fmt.Sprintf("no series has the label %q%s", name, names.DidYouMean(name, labelNames))
}

func noValue(label, v string, known []string) string {
	return fmt.Sprintf("no series has %s=%q: it is not declared, and no bucket that was read has it%s",
		label, v, names.DidYouMean(v, known))
}

// labelNames are the labels that series have, but the name.
var labelNames = []string{labelKind, labelMeasure, labelStatistic, labelStream, labelSubject}

// known returns the declared values of a label, nil if they are not declared. ok is whether series have it.
func (a *API) known(label string) (values []string, ok bool) {
	var kinds []*catalog.Kind
	for _, subject := range a.Catalog.Subjects() {
		kinds = append(kinds, a.Catalog.SubjectKinds(subject)...)
	}
	switch label {
	case labelName:
		values = slices.Collect(maps.Keys(companions))
		for _, k := range kinds {
			for _, m := range k.Measures {
				values = append(values, Metric(m.Name))
			}
		}
	case labelMeasure:
		values = []string{}
		for _, k := range kinds {
			for _, m := range k.Measures {
				if Metric(m.Name) != m.Name {
					values = append(values, m.Name)
				}
			}
		}
	case labelKind:
		values = lists.Map(kinds, func(k *catalog.Kind) string { return k.Name })
	case labelStatistic:
		values = lists.Map(statistics, func(s figure.Column) string { return s.Statistic })
	}
	return values, label == labelName || slices.Contains(labelNames, label)
}
