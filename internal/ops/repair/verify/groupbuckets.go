package verify

import (
	"maps"
	"slices"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// This file finds buckets of groups that have shares and no row. A group has no events, and nothing lists the
// partitions of shares. But members know in which groups they have shares: their recounts note these buckets,
// and groups are recounted after their members.

// groupBuckets are the buckets of groups in which members have right shares, as noted since the last recount
// of the group. It is safe for concurrent use; nil notes nothing.
type groupBuckets struct {
	mu    sync.Mutex
	noted map[model.Series]map[tier.Bucket]bool
}

func newGroupBuckets() *groupBuckets {
	return &groupBuckets{noted: map[model.Series]map[tier.Bucket]bool{}}
}

func (g *groupBuckets) note(group model.Series, b tier.Bucket) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.noted[group] == nil {
		g.noted[group] = map[tier.Bucket]bool{}
	}
	g.noted[group][b] = true
}

// of returns the noted buckets of a group.
func (g *groupBuckets) of(group model.Series) []tier.Bucket {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.noted[group]))
}

func (g *groupBuckets) forget(group model.Series) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.noted, group)
}

// with returns some series, and the groups that are noted and not among them: they have no row at all.
func (g *groupBuckets) with(some []model.Series) []model.Series {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.AppendSeq(slices.Clone(some), maps.Keys(g.noted))
	slices.SortFunc(all, tablescan.CompareSeries)
	return slices.Compact(all)
}

func isGroup(s model.Series, kinds *catalog.Catalog) bool {
	kind, declared := kinds.Kind(s.Kind)
	return declared && kind.GroupsOf != ""
}
