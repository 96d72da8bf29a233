package queue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Lead is for how long a process may rely on puts by the generations of queue shards that it has read. An
// earlier generation is retired when it is empty after every process that relies on puts into it has read the
// newer one.
const Lead = time.Hour

// ClockMargin is twice how wrong the clock of a process may be.
const ClockMargin = 2 * time.Minute

// MaxAge is how long a process uses the generations that it has read. It is well below Lead, so that nearly
// no put has to be repeated.
const MaxAge = 20 * time.Minute

// known are the generations as a process has read them. The zero value is ready to use. It is safe for
// concurrent use.
type known struct {
	mu     sync.Mutex // guards what follows
	all    storage.Generations
	readAt model.Time // the clock before they were read
}

// younger reports whether the generations were read less than an age ago. A clock that was set back says
// nothing.
func (k *known) younger(age time.Duration, now model.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all != nil && now >= k.readAt && now.Sub(k.readAt) < age
}

// newest returns the generation that takes invalidations. It reads the generations if they are older than
// MaxAge. The error wraps ErrUnplaced.
func (k *known) newest(ctx context.Context, store Store, now func() model.Time) (storage.Generation, error) {
	at := now()
	if !k.younger(MaxAge, at) {
		c, err := store.QueueConfig(ctx)
		if err != nil {
			return storage.Generation{}, fmt.Errorf("%w: read the generations of the queue: %w", ErrUnplaced, err)
		}
		k.mu.Lock()
		k.all, k.readAt = c.Generations, at
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all.Newest(), nil
}
