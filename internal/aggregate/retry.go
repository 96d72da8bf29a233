package aggregate

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// errPasses marks an error that may pass by waiting.
var errPasses = errors.New("not answered")

// passes wraps the error of a read. Waiting helps with all but what is stored.
func passes(what string, err error) error {
	if errors.Is(err, item.ErrNewer) || errors.Is(err, item.ErrDamaged) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w: %w", what, errPasses, err)
}

// insist repeats pass until it answers Written. A lost condition, an unknown result,
// a throttle, a conflict and a read without answer are one case: once more from the
// start, after a rest. It returns the first error that no retry can mend, and an
// error when the tries or the time are used up.
func (a *Aggregator) insist(ctx context.Context, pass func(context.Context) (model.Answer, error)) error {
	tries := a.Limits.withDefaults().Tries
	var last error
	for try := range tries {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, last)
		}
		answer, err := pass(ctx)
		switch {
		case err == nil && answer == model.Written:
			return nil
		case err == nil:
			last = fmt.Errorf("the last write was answered: %s", answer)
		case !errors.Is(err, errPasses):
			return err
		default:
			last = err
		}
		if err := a.rest(ctx, try); err != nil {
			return errors.Join(err, last)
		}
	}
	return fmt.Errorf("given up after %d tries: %w", tries, last)
}

// Bounds of the rest between tries: it doubles from shortRest up to longRest.
const (
	shortRest = 10 * time.Millisecond
	longRest  = 2 * time.Second
)

// rest waits with full jitter: any time from none up to the bound for this try.
func (a *Aggregator) rest(ctx context.Context, try int) error {
	bound := min(longRest, shortRest<<min(try, 20))
	var word [8]byte
	if err := a.random(word[:]); err != nil {
		return fmt.Errorf("spread retries: %w", err)
	}
	return a.pause(ctx, time.Duration(binary.LittleEndian.Uint64(word[:])%uint64(bound)))
}

// pause waits, or returns the context's error.
func (a *Aggregator) pause(ctx context.Context, d time.Duration) error {
	if a.Sleep != nil {
		return a.Sleep(ctx, d)
	}
	return retry.Sleep(ctx, d)
}

// random fills b from Rand, one reader at a time.
func (a *Aggregator) random(b []byte) error {
	source := a.Rand
	if source == nil {
		source = rand.Reader
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := io.ReadFull(source, b)
	return err
}
