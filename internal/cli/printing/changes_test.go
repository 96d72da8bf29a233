package printing

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
)

func TestMarkedChanges_AChangeOfNearlyAllBucketsIsSaidOnce(t *testing.T) {
	late := query.Rollup{Changes: query.Changes{Late: 1}}
	still, gap := query.Rollup{}, query.Rollup{Gap: true}
	for name, c := range map[string]struct {
		found []query.Rollup
		said  []string
	}{
		"few buckets": {found: []query.Rollup{late, late}},
		"some":        {found: []query.Rollup{late, late, late, still}},
		"an import": {found: []query.Rollup{late, gap, late, late},
			said: []string{"3 of 3 buckets late: an event arrived after the bucket had closed"}},
		"an import until now": {found: append(slices.Repeat([]query.Rollup{late}, 9), still),
			said: []string{"9 of 10 buckets late: an event arrived after the bucket had closed"}},
	} {
		marked, ofMost := markedChanges(c.found)
		names := lists.Map(marked, func(c change) string { return c.name })
		if !slices.Equal(ofMost, c.said) || slices.Contains(names, "late") != (c.said == nil) {
			t.Errorf("%s: marks %v and says %q, want %q", name, names, ofMost, c.said)
		}
	}
}
