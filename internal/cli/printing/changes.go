package printing

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// change is what may have changed a bucket after it had closed.
type change struct {
	name  string
	means string
	at    func(query.Changes) model.Time // 0: it did not
}

var changes = []change{
	{name: "late", means: "an event arrived after the bucket had closed",
		at: func(c query.Changes) model.Time { return c.Late }},
	{name: "corrected", means: "an event was corrected after the bucket had closed",
		at: func(c query.Changes) model.Time { return c.Corrected }},
	{name: "recomputed", means: "an event was deleted, or a repair or a late sweep wrote the rollup",
		at: func(c query.Changes) model.Time { return c.Recomputed }},
}

// markedChanges returns the changes that buckets are marked with. Where nine of ten of several buckets have a
// change, as after an import, marks would tell few apart: ofMost says it once. The pages have the same rule.
func markedChanges(found []query.Rollup) (marked []change, ofMost []string) {
	for _, c := range changes {
		changed, filled := 0, 0
		for _, r := range found {
			if r.Gap {
				continue
			}
			if filled++; c.at(r.Changes) != 0 {
				changed++
			}
		}
		if changed <= 2 || 10*changed < 9*filled {
			marked = append(marked, c)
			continue
		}
		ofMost = append(ofMost, fmt.Sprintf("%d of %d buckets %s: %s", changed, filled, c.name, c.means))
	}
	return marked, ofMost
}
