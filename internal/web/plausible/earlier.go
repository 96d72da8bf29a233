package plausible

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// chainKey identifies the views of one visitor that may be of one visit.
type chainKey struct{ stream, visitor string }

func newChainKey(e *model.Event) chainKey {
	return chainKey{e.Series.Stream, text(e.Attrs, webfield.Visitor)}
}

// earlier returns the page views that all lacks of the visits that go on at the beginning of a range. A
// visit has its source, entry page and device from its first view, however long before the range that is.
// Views more than one Sessions.Follow before the range are not read.
func (r *recount) earlier(
	ctx context.Context, table *query.Service, from model.Time, all []model.Event,
) (found []model.Event, err error) {
	rule := r.sessions.Sessions
	if !r.namesVisits() {
		return nil, nil
	}
	first := map[chainKey]model.Time{} // view of each visit that goes on
	for i := range all {
		e, key := &all[i], newChainKey(&all[i])
		at, known := first[key]
		if e.Series.Kind == views && e.At < from && key.visitor != "" && (!known || e.At < at) {
			first[key] = e.At
		}
	}
	for to := from.Add(-rule.Gap); len(first) > 0 && to > from.Add(-rule.Follow); to = to.Add(-rule.Gap) {
		var window []model.Event
		err := r.each(ctx, table, views, to.Add(-rule.Gap), to, func(e model.Event) { window = append(window, e) })
		if err != nil {
			return nil, err
		}
		slices.SortFunc(window, func(a, b model.Event) int { return b.Order.Compare(a.Order) })
		for i := range window {
			e := &window[i]
			if at, open := first[newChainKey(e)]; open && e.At.Add(rule.Gap) >= at {
				first[newChainKey(e)] = e.At
				found = append(found, *e)
			}
		}
		if len(found)+len(all) > maxRecounted {
			return nil, r.tooMany()
		}
		maps.DeleteFunc(first, func(_ chainKey, at model.Time) bool { return at >= to })
	}
	return found, nil
}

// namesVisits reports whether the query names what visits have from their first view.
func (r *recount) namesVisits() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(r.dimensions)), func(name string) bool {
		return strings.HasPrefix(name, "visit:")
	})
}
