package queue

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Event is an event that is about to be written, corrected or deleted.
type Event struct {
	model.EventKey
	Before, After *model.Event // nil where there is none, or where it is not known
}

// GroupKinds returns the kinds of groups in whose buckets the events of a bucket count: none unless the
// bucket is folded from events, and none whose groups begin later.
func GroupKinds(kind *catalog.Kind, level int, b tier.Bucket) (all []*catalog.Kind) {
	if len(kind.GroupKinds()) == 0 || kind.Retention.ChildLevel(level, b) >= 0 {
		return nil
	}
	for _, g := range kind.GroupKinds() {
		if t, at, found := g.Retention.Find(b.Unit); found && t.HasRow(b) && g.Retention.ChildLevel(at,
			b) < 0 {
			all = append(all, g)
		}
	}
	return all
}

// GroupNames returns the names of the groups, of some kinds, in which images of an event count by their own
// fields. Groups by fields of profiles are known to the recount.
func GroupNames(kinds []*catalog.Kind, before, after *model.Event) (names []string) {
	for _, g := range kinds {
		for _, image := range []*model.Event{before, after} {
			if id, ok := g.GroupID(image, nil); ok {
				names = append(names, storage.GroupName(g.Name, id))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
