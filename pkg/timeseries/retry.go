package timeseries

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/retry"
)

// Retry calls do until its error is not ErrUndecided, with pauses that grow from 20 ms to 2 s, and returns
// the last error. Other errors end it at once: repeating cannot mend them. do must repeat the same change,
// as an append of the same value is, unless the kind mints ids. Give ctx a deadline: when ctx ends, the
// error wraps ErrUndecided and the error of ctx.
func Retry(ctx context.Context, do func(context.Context) error) error {
	pauses := retry.Retrier{Rand: rand.Reader}
	for attempt := 1; ; attempt++ {
		err := do(ctx)
		if !errors.Is(err, ErrUndecided) {
			return err
		}
		if pause := pauses.Pause(ctx, attempt); pause != nil {
			return fmt.Errorf("%w; gave up after %d calls: %w", pause, attempt, err)
		}
	}
}
