package aggregate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// errTransient marks an error that a repetition may not meet again.
var errTransient = errors.New("no result")

// readError wraps the error of a read. All are transient but those about what is stored.
func readError(what string, err error) error {
	if errors.Is(err, item.ErrNewer) || errors.Is(err, item.ErrDamaged) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w: %w", what, errTransient, err)
}

// The upper bounds of the first pause between attempts, and of any.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 2 * time.Second
)

// untilWritten repeats attempt from its start until its result is Written. A failed condition, an unknown
// result, a throttle, a conflict and a read without a response are one case. The error is the first that is
// not transient, or the last one when the attempts or the time are used up.
func (a *Aggregator) untilWritten(ctx context.Context,
	attempt func(context.Context) (storage.WriteResult, error)) error {
	return a.retrier().UntilWritten(ctx, func(err error) bool { return errors.Is(err, errTransient) }, attempt)
}

func (a *Aggregator) retrier() retry.Retrier {
	return retry.Retrier{
		Policy: retry.Policy{Attempts: a.Limits.withDefaults().Attempts, Base: firstPause, Cap: longestPause},
		Rand:   lockedRand{a}, Sleep: a.Sleep,
	}
}

// lockedRand reads from the aggregator's random source, one reader at a time.
type lockedRand struct{ agg *Aggregator }

var _ io.Reader = lockedRand{}

// Read fills b.
func (l lockedRand) Read(b []byte) (int, error) {
	source := l.agg.Rand
	if source == nil {
		source = rand.Reader
	}
	l.agg.mu.Lock()
	defer l.agg.mu.Unlock()
	return io.ReadFull(source, b)
}
