package aggregate

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// dirtyBucket is a bucket to recompute. Of the changes in it, only their times are
// known, and whether all are inserts.
type dirtyBucket struct {
	key         rollup.Key
	interval    tier.Bucket
	kind        *catalog.Kind
	level       int  // of the bucket's tier
	firstChange int  // index in the batch
	alwaysWrite bool // not all changes are inserts: an unchanged row is written too
	repair      bool // requested out of the table stream's order
	swept       bool // requested by a sweep
	due         bool // its own invalidation is worked off
	options     RepairOptions
	groups      groupNames // of events of the bucket, now or before, as far as known
	workedOff   model.Time // earliest due time of the invalidations that a sweep works off

	parent  *dirtyBucket // the next coarser bucket of the changes; nil where there is none
	touched bool         // of the finest tier, or a finer bucket in it was recomputed
	emptied bool         // its row was written without events
	err     error        // why it is not processed; nil if it is
}

// touched returns the buckets that are not left to a sweep because of a finer one.
func touched(buckets []*dirtyBucket) (some []*dirtyBucket) {
	return lists.Filter(buckets, func(b *dirtyBucket) bool { return b.touched })
}

// touchParents touches the parents of buckets that were recomputed. A swept one that failed is
// swept again first.
func touchParents(buckets []*dirtyBucket) {
	for _, b := range buckets {
		if b.parent != nil && (b.err == nil || !b.swept) {
			b.parent.touched = true
		}
	}
}

// failure returns the first error of the bucket and the coarser ones around it.
func (b *dirtyBucket) failure() error {
	for ; b != nil; b = b.parent {
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

func (b *dirtyBucket) tier() tier.Tier { return b.kind.Retention.Tiers[b.level] }

// chunk is the part of a batch that is processed together.
type chunk struct {
	levels       [][]*dirtyBucket     // by level, each in order of the earliest change
	unknownKinds []int                // indexes of changes whose kind is not in the catalog
	expired      int                  // removals by TTL: they never change a rollup
	seen         []*seen              // by series, in order of the first change
	bySeries     map[model.Series]int // index in seen
	latest       []*latestChanges     // by series: changes for which its latest item is folded
	end          int                  // index after the last change
	newest       model.Time           // when the newest change was committed: the clock is not earlier
	known        map[rollup.Key]*dirtyBucket
	moves        []move         // of subjects between groups
	sources      []sourceChange // changes of events that sessions are folded from
}

// gather collects changes from index start on, until they touch limit buckets of the
// finest tiers. With each bucket it adds the coarser buckets around it, even where the
// finer row turns out unchanged: the last batch may have ended between the two.
func gather(cat *catalog.Catalog, changes []storage.Change, start, limit int) chunk {
	ch := chunk{end: start, newest: model.MinTime, known: map[rollup.Key]*dirtyBucket{}}
	for ; ch.end < len(changes) && (len(ch.levels) == 0 || len(ch.levels[0]) < limit); ch.end++ {
		c := &changes[ch.end]
		ch.newest = max(ch.newest, c.At)
		kind, found := cat.Kind(c.Key.Series.Kind)
		switch {
		case c.Type == storage.Moved:
			ch.moves = append(ch.moves, move{groups: c.Groups, index: ch.end})
		case c.Type == storage.Expired:
			ch.expired++
		case !found:
			ch.unknownKinds = append(ch.unknownKinds, ch.end)
		default:
			if c.Type == storage.Deleted {
				ch.seeRemoved(kind, c.Key.Series, c.Key.At)
			} else {
				ch.see(kind, c.Key.Series, c.Key.At)
			}
			ch.seeLatest(kind, c)
			ch.touch(kind, c.Key.Series, c)
			ch.touchSessions(cat.SessionKinds(kind.Name), c)
		}
	}
	return ch
}

// touch adds the buckets of a change in a series of a kind.
func (c *chunk) touch(kind *catalog.Kind, s model.Series, change *storage.Change) {
	for _, b := range c.addBuckets(c.end, kind, s, change.Key.At, 0) {
		b.alwaysWrite = b.alwaysWrite || change.Type != storage.Inserted
		b.nameGroups(change)
	}
}

// setRepair sets whether the buckets are requested out of the stream's order.
func (c *chunk) setRepair(repair bool) {
	for _, buckets := range c.levels {
		for _, b := range buckets {
			b.repair = repair
		}
	}
}

// addBuckets adds the buckets that contain a time of a series, one for each level from lowest on, for the
// change at an index. It returns all of them, also those that were added before.
func (c *chunk) addBuckets(index int, kind *catalog.Kind, s model.Series, at model.Time,
	lowest int) (all []*dirtyBucket) {
	for level := lowest; level < len(kind.Retention.Tiers); level++ {
		t := kind.Retention.Tiers[level]
		interval := t.Unit.BucketAt(at)
		if !t.HasRow(interval) {
			continue
		}
		key := queue.RowKey(s, interval)
		b := c.known[key]
		if b == nil {
			b = &dirtyBucket{key: key, interval: interval, kind: kind, level: level, firstChange: index}
			c.known[key] = b
			for len(c.levels) <= level {
				c.levels = append(c.levels, nil)
			}
			c.levels[level] = append(c.levels[level], b)
		}
		b.firstChange = min(b.firstChange, index)
		if len(all) == 0 {
			b.touched = true
		} else {
			all[len(all)-1].parent = b
		}
		all = append(all, b)
	}
	return all
}

// parentBucket returns the next coarser bucket around b that has a row, and its level; false where there is
// none.
func parentBucket(p tier.Policy, level int, b tier.Bucket) (int, tier.Bucket, bool) {
	for i := level + 1; i < len(p.Tiers); i++ {
		if parent := p.Tiers[i].Unit.BucketAt(b.Start); p.Tiers[i].HasRow(parent) {
			return i, parent, true
		}
	}
	return 0, tier.Bucket{}, false
}
