package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// This file compares the shares of a member with its events. A process writes shares before the member's row,
// and events before both. So where the row equals the events, the shares must: a bucket whose row is open,
// sealed, behind or wrong is not judged.

// ItemReader reads items by their keys, as many as itemop.MaxBatchReads. The result has no key of an item
// that the table did not return.
type ItemReader interface {
	ReadItems(ctx context.Context, these []keys.Key, consistent bool) (map[keys.Key]item.Item, error)
}

// memberShares are the shares of a member in the buckets that can be judged.
type memberShares struct {
	items      ItemReader
	consistent bool
	log        storage.Memberships
	buckets    map[tier.Bucket]*sharedBucket
	// left is the key of a share that the row of its member may not name. Zero is none.
	left rollup.Key
}

// sharedBucket is a bucket of a member in which groups have shares.
type sharedBucket struct {
	interval tier.Bucket
	level    int
	kinds    []*catalog.Kind // of the groups
	profile  model.Attrs     // of the member, at the start of the bucket
	stored   map[string]*rollup.Row
	folds    []map[string]*rollup.Fold // of the events, by group; in the order of kinds
}

// readShares reads the shares that the rows of the span name, and the one that may be left. The rows were
// read before, and the events are read after.
func (r *recount) readShares(ctx context.Context) error {
	s := r.shares
	if s == nil || len(r.kind.GroupKinds()) == 0 {
		return nil
	}
	s.buckets = map[tier.Bucket]*sharedBucket{}
	if err := r.readLog(ctx); err != nil {
		return err
	}
	var wanted []rollup.Key
	for level := range r.kind.Retention.Tiers {
		for start, row := range r.stored[level] {
			if b := r.addShared(level, start); b != nil {
				wanted = append(wanted, r.shareKeys(b, append(b.profileGroups(), row.Groups...))...)
			}
		}
	}
	if s.left.Member != "" {
		if level := r.level(s.left.Tier); level >= 0 {
			r.addShared(level, s.left.Start)
			wanted = append(wanted, s.left)
		}
	}
	return r.readStored(ctx, wanted)
}

func (r *recount) level(unit string) int {
	return slices.IndexFunc(r.kind.Retention.Tiers, func(t tier.Tier) bool { return t.Unit.String() == unit })
}

// readLog reads what the profile had from each time on, if groups are by fields of it. The log of a purged
// subject that has expired counts no event.
func (r *recount) readLog(ctx context.Context) error {
	if !slices.ContainsFunc(r.kind.GroupKinds(), func(g *catalog.Kind) bool { return g.GroupByProfile }) {
		return nil
	}
	key := tablekeys.Memberships(r.series.Subject)
	items, err := readItems(ctx, r.shares.items, []keys.Key{key}, true)
	if err != nil || items[key] == nil {
		return err
	}
	log, err := item.Memberships(items[key])
	if err == nil && (log.ExpiresAt == 0 || log.ExpiresAt > r.now.Add(queue.ClockMargin).Seconds()) {
		r.shares.log = log
	}
	return err
}

// addShared adds a bucket to those whose shares are compared; nil if it has none, or cannot be judged.
func (r *recount) addShared(level int, start model.Time) *sharedBucket {
	b := &sharedBucket{interval: r.kind.Retention.Tiers[level].Unit.BucketAt(start), level: level}
	row := r.stored[level][start]
	b.kinds = queue.GroupKinds(r.kind, level, b.interval)
	if len(b.kinds) == 0 || r.open(level, start) {
		return nil
	}
	if row != nil && (row.Summary == nil || isSealed(row, r.now)) {
		return nil
	}
	b.profile = r.shares.log.At(start)
	b.stored, b.folds = map[string]*rollup.Row{}, make([]map[string]*rollup.Fold, len(b.kinds))
	r.shares.buckets[b.interval] = b
	return b
}

func (b *sharedBucket) profileGroups() (names []string) {
	for _, g := range b.kinds {
		if id, ok := g.ProfileGroup(b.profile); ok {
			names = append(names, storage.GroupName(g.Name, id))
		}
	}
	return names
}

// shareKeys returns the keys of the shares of some groups. Names without an id, of groups that are not
// declared any more, and of those that began later have none.
func (r *recount) shareKeys(b *sharedBucket, names []string) (all []rollup.Key) {
	for _, name := range names {
		kind, id, err := storage.ParseGroupName(name)
		for _, g := range b.kinds {
			if err == nil && id != "" && g.Name == kind {
				key := queue.RowKey(g.GroupSeries(id, r.series), b.interval)
				key.Member = tablekeys.Member(r.series.Subject)
				all = append(all, key)
			}
		}
	}
	return all
}

// readStored reads shares into their buckets: nil where there is none.
func (r *recount) readStored(ctx context.Context, wanted []rollup.Key) error {
	byKey := map[keys.Key]rollup.Key{}
	for _, key := range wanted {
		byKey[tablekeys.Row(key)] = key
	}
	items, err := readItems(ctx, r.shares.items, slices.Collect(maps.Keys(byKey)), r.shares.consistent)
	if err != nil {
		return err
	}
	for stored, key := range byKey {
		unit, err := tier.ParseUnit(key.Tier)
		if err != nil {
			return err
		}
		b := r.shares.buckets[unit.BucketAt(key.Start)]
		if b == nil {
			continue
		}
		name := storage.GroupName(key.Series.Kind, key.Series.Subject.ID)
		b.stored[name] = nil
		if it := items[stored]; it != nil {
			share, _ := item.ShareOrBare(it) // the requested key is a share's
			if b.stored[name] = &share; share.Empty {
				b.stored[name] = nil
			}
		}
	}
	return nil
}

var errNotRead = errors.New("the table returned none of the items that were requested: try again")

// readItems reads all items of some keys, in pages.
func readItems(ctx context.Context, from ItemReader, left []keys.Key, consistent bool) (
	all map[keys.Key]item.Item, _ error) {
	all = map[keys.Key]item.Item{}
	for len(left) > 0 {
		got, err := from.ReadItems(ctx, left[:min(len(left), itemop.MaxBatchReads)], consistent)
		if err == nil && len(got) == 0 {
			err = errNotRead
		}
		if err != nil {
			return nil, fmt.Errorf("read items: %w", err)
		}
		maps.Copy(all, got)
		left = lists.Filter(left, func(k keys.Key) bool { _, read := got[k]; return !read })
	}
	return all, nil
}

// addToShares adds an event to the shares of the groups in which it counts.
func (r *recount) addToShares(e *model.Event) {
	if r.shares == nil || len(r.shares.buckets) == 0 {
		return
	}
	for _, t := range r.kind.Retention.Tiers {
		if b := r.shares.buckets[t.Unit.BucketAt(e.At)]; b != nil {
			b.add(e)
		}
	}
}

func (b *sharedBucket) add(e *model.Event) {
	for i, g := range b.kinds {
		id, ok := g.GroupID(e, b.profile)
		if !ok {
			continue
		}
		if b.folds[i] == nil {
			b.folds[i] = map[string]*rollup.Fold{}
		}
		if b.folds[i][id] == nil {
			b.folds[i][id] = rollup.NewFold(b.spec(g, id))
		}
		b.folds[i][id].AddEvent(e)
	}
}

// spec returns the fields by which the share of a group was folded.
func (b *sharedBucket) spec(g *catalog.Kind, id string) *rollup.Spec {
	if share := b.stored[storage.GroupName(g.Name, id)]; share != nil && share.Summary != nil {
		return specAt(g.Spec(), share.FieldsAt)
	}
	return g.Spec()
}

// expected returns the folds of the events by the names of their groups. Of too many groups, the last ones
// are one.
func (b *sharedBucket) expected() map[string]*rollup.Fold {
	named := map[string]*rollup.Fold{}
	for i, g := range b.kinds {
		for n, id := range slices.Sorted(maps.Keys(b.folds[i])) {
			fold := b.folds[i][id]
			if n >= reserved.MaxGroups {
				id = reserved.OtherGroup
			}
			name := storage.GroupName(g.Name, id)
			if named[name] == nil {
				named[name] = rollup.NewFold(b.spec(g, id))
			}
			named[name].AddRow(&rollup.Row{Fold: *fold})
		}
	}
	return named
}
