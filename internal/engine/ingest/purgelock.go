package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// PurgeLocks reports whether a subject is being purged, by one strongly consistent read.
type PurgeLocks interface {
	PurgeLocked(ctx context.Context, subject model.Subject) (bool, error)
}

// defaultPurgeLockMaxAge is the default timeout of the ingest function.
const defaultPurgeLockMaxAge = 15 * time.Second

// purgeLockCache caches purge locks. The one write of an event without latest item has no
// condition on a purge lock, so the lock is read separately, and not for each event.
type purgeLockCache struct {
	mu      sync.Mutex
	entries map[model.Subject]purgeLockEntry // guarded by mu
}

type purgeLockEntry struct {
	locked bool
	until  model.Time
}

// maxPurgeLocks is the size of the cache. A full cache is emptied.
const maxPurgeLocks = 10_000

// purgeLocked reports whether a subject is being purged. The result is at most PurgeLockMaxAge old.
func (s *Service) purgeLocked(ctx context.Context, subject model.Subject) (bool, error) {
	if s.PurgeLocks == nil {
		return false, nil
	}
	now := s.Now() // before the read, because the read may return an older state
	s.purgeLocks.mu.Lock()
	cached, ok := s.purgeLocks.entries[subject]
	s.purgeLocks.mu.Unlock()
	if ok && now < cached.until {
		return cached.locked, nil
	}
	locked, err := s.PurgeLocks.PurgeLocked(ctx, subject)
	switch {
	case errors.Is(err, model.ErrPermanent):
		return false, fmt.Errorf("read the purge lock of %s: %w", subject, err)
	case err != nil: // nothing was written: a repetition may succeed
		return false, fmt.Errorf("read the purge lock of %s: %w: %w", subject, model.ErrUndecided, err)
	}
	s.purgeLocks.add(subject, purgeLockEntry{locked, now.Add(s.purgeLockMaxAge())})
	return locked, nil
}

func (c *purgeLockCache) add(subject model.Subject, e purgeLockEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxPurgeLocks {
		c.entries = map[model.Subject]purgeLockEntry{}
	}
	c.entries[subject] = e
}

func (s *Service) purgeLockMaxAge() time.Duration {
	return cmp.Or(max(s.PurgeLockMaxAge, 0), defaultPurgeLockMaxAge)
}
