package aggregate

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// recomputeLeft recomputes the buckets of members that have a share in a group which their row does not name,
// before the group is folded. Neither a record nor the member's row names such a share: a rebuild of the
// member leaves it.
func (r *rebuildRun) recomputeLeft(ctx context.Context, groups []*dirtyBucket) error {
	for _, g := range groups {
		if !g.foldsShares() || g.options.DryRun {
			continue
		}
		buckets, err := r.leftBuckets(ctx, g)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(buckets, r.limits.Buckets) {
			if err := r.recomputeEach(ctx, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftBuckets returns the buckets of the members of a group's bucket whose rows do not name the group.
func (r *rebuildRun) leftBuckets(ctx context.Context, g *dirtyBucket) (all []*dirtyBucket, err error) {
	store, ok := r.agg.Store.(ShareStore)
	of, found := r.agg.Catalog.Kind(g.kind.GroupsOf)
	if !ok || !found {
		return nil, nil
	}
	_, level, found := of.Retention.Find(g.interval.Unit)
	if !found {
		return nil, nil
	}
	name := storage.GroupName(g.kind.Name, g.key.Series.Subject.ID)
	shares := paging.Items(func(after string) ([]rollup.Row, string, error) {
		page, err := store.Shares(ctx, g.key, after)
		return page.Rows, page.Next, err
	})
	for share, err := range shares {
		if err != nil {
			return nil, readError("read shares", err)
		}
		member, whole := tablekeys.ParseMember(share.Key.Member)
		if share.Empty || !whole {
			continue
		}
		s := model.Series{Subject: member, Kind: of.Name, Stream: g.key.Series.Stream}
		b := &dirtyBucket{key: queue.RowKey(s, g.interval), interval: g.interval, kind: of, level: level,
			alwaysWrite: true, repair: true, options: g.options}
		row, err := r.agg.Store.Row(ctx, b.key)
		if err != nil {
			return nil, readError("read row", err)
		}
		if row != nil && (item.DamagedRow(row) || slices.Contains(row.Groups, name)) {
			continue
		}
		b.addGroups(name)
		all = append(all, b)
	}
	return all, nil
}
