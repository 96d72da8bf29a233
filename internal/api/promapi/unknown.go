package promapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// unknown returns what a selector that finds nothing names and no series has: a misspelt name finds as much
// as a quiet series, and the two must not look alike.
func (a *API) unknown(matchers []*labels.Matcher) (texts []string) {
	for _, m := range matchers {
		if m.Type != labels.MatchEqual || m.Value == "" {
			continue
		}
		known, isLabel := a.known(m.Name)
		switch {
		case !isLabel:
			texts = append(texts, fmt.Sprintf("no series has the label %q%s", m.Name,
				names.DidYouMean(m.Name, labelNames)))
		case known != nil && !slices.Contains(known, m.Value):
			texts = append(texts, fmt.Sprintf(
				"no series has %s=%q: it is not declared, and no bucket that was read has it%s",
				m.Name, m.Value, names.DidYouMean(m.Value, known)))
		}
	}
	return texts
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
	case labelKind:
		values = lists.Map(kinds, func(k *catalog.Kind) string { return k.Name })
	case labelStatistic:
		values = lists.Map(statistics, func(s statistic) string { return s.name })
	}
	return values, label == labelName || slices.Contains(labelNames, label)
}
