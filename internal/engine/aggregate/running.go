package aggregate

import (
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// RunningSweep lets another goroutine follow and stop a sweep of one queue shard. The zero value is for one
// sweep that has not begun. It is safe for concurrent use.
type RunningSweep struct {
	mu      sync.Mutex // guards what follows
	found   int        // invalidations that were read
	done    int        // of these, those that were worked off or left
	more    bool       // more may be due than was read
	begun   bool
	ended   bool
	stopped bool
}

// Stop makes the sweep end when it has worked off the invalidations that it works on: at most Limits.Buckets
// of them. The low watermark advances as far as the sweep came.
func (r *RunningSweep) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// Stopped reports whether Stop was called.
func (r *RunningSweep) Stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// Outlasts reports whether the sweep, which began some time ago, has more to do than it works off in the time
// soon at its rate until now. A sweep that has not read all that is due outlasts any time.
func (r *RunningSweep) Outlasts(soon, began time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ended:
		return false
	case !r.begun, r.more:
		return true
	}
	left := float64(r.found - r.done)
	return left*began.Seconds() > float64(r.done)*soon.Seconds()
}

// read records that invalidations were read, and whether more may be due.
func (r *RunningSweep) read(n int, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found += n
	r.more = more
	r.begun = true
}

// handled records that an invalidation was worked off or left.
func (r *RunningSweep) handled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
}

func (r *RunningSweep) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// leave leaves invalidations to another sweep.
func (s *sweep) leave(some []storage.Invalidation) {
	s.report.Stopped = true
	for _, i := range some {
		s.through = min(s.through, i.Due-1)
	}
}
