package tableconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// encodeGoal returns the goal that a measure is one of, as it is stored; nil if it is of none.
func encodeGoal(k *catalog.Kind, measure string) json.RawMessage {
	for _, g := range k.Goals {
		if slices.Contains(g.Fields(), measure) {
			text, _ := json.Marshal(g) // plain data: cannot fail
			return text
		}
	}
	return nil
}

// decodeGoals returns the goals whose measures are folded. It takes the table's goals, so that all
// processes count the same.
func decodeGoals(stored *storage.KindConfig, now model.Time) (all []goal.Goal, err error) {
	for _, f := range folded(stored.Measures, now) {
		if f.Goal == nil {
			continue
		}
		var g goal.Goal
		decoder := json.NewDecoder(bytes.NewReader(f.Goal))
		if decoder.DisallowUnknownFields(); decoder.Decode(&g) != nil {
			return nil, fmt.Errorf(
				"kind %s: the table has a goal that this release does not know, with measure %s: "+
					"use the release that declared it, or a later one", stored.Kind, f.Name)
		}
		if !slices.ContainsFunc(all, func(o goal.Goal) bool { return o.Name == g.Name }) {
			all = append(all, g)
		}
	}
	return all, nil
}

// linkGoals refuses goals of the table that are met by events of a kind that is not declared.
// Sessions are folded from all kinds of their sources, so the least retention of their events is
// the least of these kinds' retentions.
func linkGoals(kinds *catalog.Catalog) error {
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		for _, g := range k.Goals {
			for _, s := range g.Steps {
				source, ok := kinds.Kind(s.Of)
				if !ok {
					return fmt.Errorf("%w: kinds.%s.goals.%s: it is met by events of kind %s, "+
						"which is not declared: declare the kind", ErrRefused, k.Name, g.Name, s.Of)
				}
				if least := min(k.Retention.LeastRawRetention(),
					source.Retention.LeastRawRetention()); least < k.Retention.LeastRawRetention() {
					k.Retention.LeastRaw = least
				}
			}
		}
	}
	return nil
}
