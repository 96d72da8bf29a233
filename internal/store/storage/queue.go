package storage

import (
	"hash/fnv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Invalidation says that a bucket changed while it was open: a sweep of its queue shard recomputes its row
// once it is due. Equal invalidations are one stored item.
type Invalidation struct {
	Due   model.Time // the closing time of the bucket, or the end of a tick of late changes
	Key   rollup.Key // of the bucket's row
	Shard QueueShard
	// Groups names the groups in which events of the bucket count or counted, by the records of their
	// changes, as JoinGroups does; "" if no record names one. Invalidations that name other groups are other
	// items.
	Groups string
}

// GroupName names a group among the groups of all kinds.
func GroupName(kind, id string) string { return keyparts.Join(kind, id) }

// ParseGroupName is the inverse of GroupName.
func ParseGroupName(name string) (kind, id string, err error) {
	var p [2]string
	_, err = keyparts.Split(name, p[:])
	return p[0], p[1], err
}

// JoinGroups returns one text of the names of groups, which must be sorted.
func JoinGroups(names []string) string { return keyparts.Join(names...) }

// SplitGroups is the inverse of JoinGroups.
func SplitGroups(joined string) ([]string, error) {
	if joined == "" {
		return nil, nil
	}
	names := make([]string, 1+strings.Count(joined, string(keyparts.Separator)))
	_, err := keyparts.Split(joined, names)
	return names, err
}

// QueueShard names one partition of the queue of invalidations.
type QueueShard struct {
	Generation int
	Number     int
}

// GroupShard is the queue shard of all groups. It belongs to no generation: a sweep of it works off what
// every other queue shard has passed.
var GroupShard = QueueShard{Generation: -1}

// Generation is a set of queue shards. The number of shards of a table changes by a new generation, which
// takes the invalidations from then on. The earlier ones are swept beside it until they are empty.
type Generation struct {
	Number int `json:"number"`
	Shards int `json:"shards"`
	// SeenAt is when the generation was first read as stored; 0: it may have been stored just now.
	SeenAt model.Time `json:"seenAt,omitempty"`
	// RetiredAt is when it was found to be empty for good; 0: it is swept.
	RetiredAt model.Time `json:"retiredAt,omitempty"`
}

// FirstGeneration is the generation of a table whose number of queue shards never changed.
var FirstGeneration = Generation{Shards: 4}

// Shard returns the queue shard of a series. It depends on the series alone, so that one low watermark covers
// all its buckets. All shards of a spread series have the same. Groups have GroupShard.
func (g Generation) Shard(s model.Series) QueueShard {
	if reserved.Group(s.Subject.Type) {
		return GroupShard
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(keyparts.Join(s.Subject.Type, s.Subject.ID, s.Kind, s.Stream))) // it never fails
	return QueueShard{Generation: g.Number, Number: int(h.Sum64() >> 32 % uint64(g.Shards))}
}

// Invalidation returns the invalidation of a bucket in the generation.
func (g Generation) Invalidation(due model.Time, key rollup.Key) Invalidation {
	return Invalidation{Due: due, Key: key, Shard: g.Shard(key.Series)}
}

// QueueShards returns the queue shards of the generation.
func (g Generation) QueueShards() (all []QueueShard) {
	for n := range g.Shards {
		all = append(all, QueueShard{Generation: g.Number, Number: n})
	}
	return all
}

// Generations are the generations of a table, oldest first. There is at least one, and the newest is not
// retired.
type Generations []Generation

// Newest returns the generation that takes invalidations.
func (g Generations) Newest() Generation { return g[len(g)-1] }

// Swept returns the queue shards that sweeps work off, of each generation that is not retired.
func (g Generations) Swept() (all []QueueShard) {
	for _, one := range g {
		if one.RetiredAt == 0 {
			all = append(all, one.QueueShards()...)
		}
	}
	return all
}

// All returns the queue shards of all generations. A process that was suspended may have left an invalidation
// in one that is retired. It relies on none, but the invalidation names a subject.
func (g Generations) All() (all []QueueShard) {
	for _, one := range g {
		all = append(all, one.QueueShards()...)
	}
	return all
}

// QueueConfig is the configuration of a table's queue.
type QueueConfig struct {
	Rev         [16]byte // the optimistic lock; zero: not stored
	Generations Generations
}

// LowWatermarks has the low watermark of each queue shard: a time up to which every invalidation of the shard
// has been worked off. A watermark only ever rises, so an earlier reading is a valid one.
type LowWatermarks struct {
	Generations Generations // as read after the watermarks
	Through     map[QueueShard]model.Time
}

// Known reports whether w was read.
func (w LowWatermarks) Known() bool { return len(w.Generations) > 0 }

// For returns the low watermark of a series: the least of its queue shards in all generations. It is MinTime
// before the first sweep of one of them.
func (w LowWatermarks) For(s model.Series) model.Time {
	least := model.MaxTime
	for _, g := range w.Generations {
		if g.RetiredAt == 0 {
			least = min(least, w.ForShard(g.Shard(s)))
		}
	}
	if !w.Known() {
		return model.MinTime
	}
	return least
}

// ForShard returns the low watermark of a queue shard; MinTime before its first sweep.
func (w LowWatermarks) ForShard(shard QueueShard) model.Time {
	if at, swept := w.Through[shard]; swept {
		return at
	}
	return model.MinTime
}

// Least returns the least low watermark of all queue shards that are swept, without GroupShard; MinTime
// before the first sweep.
func (w LowWatermarks) Least() model.Time {
	shards := w.Generations.Swept()
	if len(shards) == 0 {
		return model.MinTime
	}
	least := model.MaxTime
	for _, shard := range shards {
		least = min(least, w.ForShard(shard))
	}
	return least
}
