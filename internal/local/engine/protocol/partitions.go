package protocol

import (
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// limits are the units that the partitions of one table and of its indexes have left, and the changes that
// an eventually consistent read may not have yet. It is safe for concurrent use.
type limits struct {
	*faulty
	now func() model.Time

	mu     sync.Mutex // guards what follows
	left   map[partition]*bucket
	turned map[partition]int // how often a partition took no request
	recent map[keys.Key]change
	pruned model.Time // when recent was cleared of old changes
}

// partition is one of a table, or of an index.
type partition struct {
	index string // "" for the table's own
	key   string
	write bool
}

// bucket has the units that are left of a second.
type bucket struct {
	units float64
	at    model.Time
}

// newLimits returns the limits of a table; nil where no fault needs them.
func (s *Server) newLimits() *limits {
	if s.faults == nil {
		return nil
	}
	return &limits{faulty: s.faults, now: s.now, left: map[partition]*bucket{},
		turned: map[partition]int{}, recent: map[keys.Key]change{}}
}

// rate returns the units that a partition takes in a second; 0 for any number.
func (l *limits) rate(p partition) float64 {
	rate := l.PartitionReads
	if p.write {
		rate = l.PartitionWrites
	}
	if l.Share != nil {
		rate *= l.Share(p.key)
	}
	return rate
}

// bucket returns what is left of a partition now. The caller holds mu.
func (l *limits) bucket(p partition) *bucket {
	rate, now := l.rate(p), l.now()
	b := l.left[p]
	if b == nil {
		b = &bucket{units: rate, at: now}
		l.left[p] = b
	}
	b.units = min(rate, b.units+rate*now.Sub(b.at).Seconds())
	b.at = now
	return b
}

// exhausted reports whether one of some partitions takes no request now.
func (l *limits) exhausted(these ...partition) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range these {
		if l.rate(p) > 0 && l.bucket(p).units <= 0 {
			l.turned[p]++
			return true
		}
	}
	return false
}

// Throttles returns how often each partition of a table and of its indexes took no write, by partition key.
func (s *Server) Throttles(name string) map[string]int {
	t, err := s.find(name)
	if err != nil || t.limits == nil {
		return nil
	}
	t.limits.mu.Lock()
	defer t.limits.mu.Unlock()
	all := map[string]int{}
	for p, n := range t.limits.turned {
		if p.write {
			all[p.key] += n
		}
	}
	return all
}

// spend takes units of a partition. A request that was accepted may take more than are left: the partition
// then takes none until they are there again, as in DynamoDB.
func (l *limits) spend(p partition, units float64) {
	if l == nil || l.rate(p) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket(p).units -= units
}

// read reads an item as a replica that is behind has it, with its read units. The error is errThrottled if
// its partition takes no read now.
func (t *table) read(
	k keys.Key, consistent bool, behind time.Duration,
) (it item.Item, units float64, err error) {
	from := partition{key: k.PK}
	if t.limits.exhausted(from) {
		return nil, 0, errThrottled
	}
	it, stored := t.Get(k)
	if err := stored.Wait(); err != nil {
		return nil, 0, err
	}
	it = t.limits.asRead(k, it, behind)
	units = readUnits(it.Size(), consistent)
	t.limits.spend(from, units)
	return it, units, nil
}

// throttles reports whether a partition that an action writes to takes no write now: of the table, or of an
// index in which its item has an entry. An entry that an update or a deletion removes is not known before.
func (t *table) throttles(a *engine.Action) bool {
	these := []partition{{key: a.Key.PK, write: true}}
	schema := t.Schema()
	for i, index := range schema.Indexes {
		if entry, has := schema.Entry(i, a.Key, a.Item); has {
			these = append(these, partition{index: index.Name, key: entry.IndexPartition, write: true})
		}
	}
	return t.limits.exhausted(these...)
}

// takeThrottled removes the actions of a batch whose partitions take no write now, and returns their
// requests.
func (t *table) takeThrottled(actions *[]engine.Action, requests []writeRequest) (left []writeRequest) {
	if t.limits == nil {
		return nil
	}
	var kept []engine.Action
	for i := range *actions {
		if t.throttles(&(*actions)[i]) {
			left = append(left, requests[i])
		} else {
			kept = append(kept, (*actions)[i])
		}
	}
	*actions = kept
	return left
}

// wrote takes the units of changes from their partitions, and remembers the changes. times is 2 for a
// transaction.
func (t *table) wrote(changes []engine.Change, times float64) {
	if t.limits == nil {
		return
	}
	schema := t.Schema()
	for n := range changes {
		c := &changes[n]
		units := unitsBySize(max(c.Old.Size(), c.New.Size()))
		t.limits.spend(partition{key: c.Key.PK, write: true}, times*units)
		for i, index := range schema.Indexes {
			for _, it := range []item.Item{c.Old, c.New} {
				if e, has := schema.Entry(i, c.Key, it); has && !engine.EqualItems(c.Old, c.New) {
					p := partition{index: index.Name, key: e.IndexPartition, write: true}
					t.limits.spend(p, unitsBySize(it.Size()))
				}
			}
		}
		t.limits.remember(c)
	}
	if t.limits.strikes(simstream.ShardSplit) {
		_ = t.splitNewest() // a shard without records cannot be split
	}
}
