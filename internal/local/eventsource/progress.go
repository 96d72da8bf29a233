package eventsource

import (
	"sync"
	"sync/atomic"
)

// progress is the progress of a mapping.
type progress struct {
	// tick counts the calls of CaughtUp. Each read notes the tick at its start: if the read
	// finds no records, there is no older record left.
	tick atomic.Int64

	mu      sync.Mutex // guards the fields below and the states of the shards
	shards  map[string]*shardState
	list    int64         // tick of the last list whose shards had all been started
	waiting int           // running calls of CaughtUp
	moved   chan struct{} // closed at the next step; nil if nothing waits for it
}

// shardState is guarded by its progress.
type shardState struct {
	empty   int64 // tick of the last read that found nothing new
	pending int   // records read that are neither acknowledged nor given up
	done    bool  // closed, and nothing pending
}

// ready returns a new state for a shard that can be started: it has not been started, and its
// parent, if listed, is done. Otherwise it returns nil.
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

// step changes the state under the lock and wakes the waiting calls.
func (p *progress) step(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
	}
}

// exhausted records a read that found no records, and reports whether a CaughtUp waits.
func (p *progress) exhausted(s *shardState, tick int64) (awaited bool) {
	p.step(func() { s.empty, awaited = tick, p.waiting > 0 })
	return awaited
}

// listed records a list of shards if all of them have been started: the records of a shard
// that waits for its parent have not been counted.
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

// caughtUp reports whether no record is pending and, since the given tick, the shards were
// listed and each was read to its end.
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
