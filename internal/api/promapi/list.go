package promapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The limits of a query. Beyond a limit a query fails: part of a result would be wrong.
const (
	maxListed  = 10_000    // entries of the list of series of one type of subjects
	maxSeries  = 500       // series of the table that one selector reads
	maxBuckets = 200_000   // buckets that one selector reads
	maxSamples = 2_000_000 // samples in memory, as the engine counts
	maxPoints  = 11_000    // steps of a range, as in Prometheus
	maxBody    = 5 << 20   // bytes of a response; a function may return 6 MB
)

// limitError is the error of a query beyond a limit.
type limitError struct{ text string }

func (e limitError) Error() string { return e.text }

func beyond(format string, args ...any) error { return limitError{fmt.Sprintf(format, args...)} }

// list returns the listed series that the matchers of kind, subject and stream match. No match is no error.
func (a *API) list(ctx context.Context, matchers []*labels.Matcher) (found []query.Series, err error) {
	for _, subject := range a.Catalog.Subjects() {
		kinds := a.matchKinds(subject, matchers)
		if len(kinds) == 0 {
			continue
		}
		listed, err := a.listed(ctx, subject.Name, matchers)
		if err != nil {
			return nil, err
		}
		for _, l := range listed {
			if k, ok := kinds[l.Series.Kind]; ok &&
				matchesLabels(seriesLabels(l.Series, "", ""), matchers, labelKind, labelSubject, labelStream) {
				found = append(found, query.Series{Kind: k, Subject: l.Series.Subject.ID, Stream: l.Series.Stream})
			}
		}
	}
	return found, nil
}

// matchKinds returns the kinds of a subject type that have rollups and that the matchers match.
func (a *API) matchKinds(subject catalog.SubjectType, matchers []*labels.Matcher) map[string]*catalog.Kind {
	kinds := map[string]*catalog.Kind{}
	for _, k := range a.Catalog.SubjectKinds(subject) {
		if len(k.Retention.Tiers) > 0 && matchesLabels(labels.FromStrings(labelKind, k.Name), matchers, labelKind) {
			kinds[k.Name] = k
		}
	}
	return kinds
}

// labelSets returns the labels of the metrics of declared measures, and of the companions, that
// the matchers match. Undeclared measures can be queried, but are known only from their buckets.
func (a *API) labelSets(ctx context.Context, matchers []*labels.Matcher) (sets []labels.Labels, err error) {
	series, err := a.list(ctx, matchers)
	if err != nil {
		return nil, err
	}
	add := func(l labels.Labels) {
		if matchesAll(l, matchers) {
			sets = append(sets, l)
		}
	}
	for _, s := range series {
		id := modelSeries(s)
		for metric := range companions {
			add(seriesLabels(id, metric, ""))
		}
		for _, m := range s.Kind.Measures {
			for _, s := range statistics {
				if s.Only == nil || s.Only(m) {
					add(seriesLabels(id, m.Name, s.Statistic))
				}
			}
		}
		if len(sets) > maxListed*len(statistics) {
			return nil, beyond("more than %d series: name a metric, a subject or a kind", maxListed*len(statistics))
		}
	}
	slices.SortFunc(sets, labels.Compare)
	return sets, nil
}

func modelSeries(s query.Series) model.Series {
	return model.Series{Subject: model.Subject{Type: s.Kind.Subject.Name, ID: s.Subject}, Kind: s.Kind.Name,
		Stream: s.Stream}
}
