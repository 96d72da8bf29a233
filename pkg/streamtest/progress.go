package streamtest

import (
	"sync"
	"sync/atomic"
)

// progress is how far a mapping has come.
type progress struct {
	// tick counts the calls of CaughtUp. A read remembers the tick that it began at, so
	// that one which found nothing proves that nothing older is left.
	tick atomic.Int64

	mu      sync.Mutex // guards all below, and the shards' states
	shards  map[string]*shardState
	list    int64         // tick of the last list of shards that were all begun
	waiting int           // calls of CaughtUp under way
	moved   chan struct{} // closed at the next step; nil where nobody listens
}

// shardState is guarded by its progress.
type shardState struct {
	empty   int64 // tick of the last read that found nothing new
	pending int   // records read that are neither acknowledged nor given up
	done    bool  // closed, and nothing pending
}

// ready answers a new state for a shard that can be read now: it was not before, and
// its parent, where it is still listed, is done.
func (p *progress) ready(s Shard, all []Shard) *shardState {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shards == nil {
		p.shards = map[string]*shardState{}
	}
	if p.shards[s.ID] != nil {
		return nil
	}
	for _, other := range all {
		if other.ID == s.Parent && (p.shards[s.Parent] == nil || !p.shards[s.Parent].done) {
			return nil
		}
	}
	state := &shardState{empty: -1}
	p.shards[s.ID] = state
	return state
}

// step changes the state under the lock and wakes who waits.
func (p *progress) step(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
	}
}

// exhausted notes a read that found nothing new, and tells whether somebody waits.
func (p *progress) exhausted(s *shardState, tick int64) (awaited bool) {
	p.step(func() { s.empty, awaited = tick, p.waiting > 0 })
	return awaited
}

// listed notes a list of shards, once all of them are known: one that waits for its
// parent has records that nobody has counted.
func (p *progress) listed(tick int64, shards []Shard) {
	p.step(func() {
		for _, s := range shards {
			if p.shards[s.ID] == nil {
				return
			}
		}
		p.list = tick
	})
}

func (p *progress) changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.moved == nil {
		p.moved = make(chan struct{})
	}
	return p.moved
}

// caughtUp reports whether nothing is pending, and each shard, of a list made since,
// was read to its end since.
func (p *progress) caughtUp(since int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list < since {
		return false
	}
	for _, s := range p.shards {
		if !s.done && (s.pending > 0 || s.empty < since) {
			return false
		}
	}
	return true
}
