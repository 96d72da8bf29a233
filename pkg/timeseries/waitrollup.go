package timeseries

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Pauses between the reads of WaitRollup: the first, and the longest.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

// WaitRollup reads the rollup of the bucket that contains a time, again and again until the
// bucket has at least a number of events. Rollups follow an append by moments, so this is for
// programs and tests that need one now. Give ctx a deadline: the error then wraps the
// context's. Options are those of Rollups but In.
func (e *Events[T]) WaitRollup(ctx context.Context, key Key, unit tier.Unit, at time.Time, events int64, opts ...ReadOption) (Rollup, error) {
	opts = append(opts[:len(opts):len(opts)], In(at, at.Add(time.Millisecond)))
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		found, err := e.Rollups(ctx, key, unit, opts...)
		switch {
		case err != nil && ctx.Err() != nil:
			return Rollup{}, errors.Join(err, ctx.Err())
		case err != nil:
			return Rollup{}, err
		case len(found) > 0 && found[0].Summary.Events() >= events:
			return found[0], nil
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return Rollup{}, fmt.Errorf("wait for the %s of %s of %s to have %d events: %w", unit, at.UTC().Format(time.RFC3339), key.Subject, events, err)
		}
	}
}
