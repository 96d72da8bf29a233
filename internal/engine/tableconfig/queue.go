package tableconfig

import (
	"context"
	"crypto/rand"
	"fmt"
	"reflect"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// QueueStore stores the generations of the queue.
type QueueStore interface {
	// QueueConfig reads them, strongly consistent. There is always one.
	QueueConfig(ctx context.Context) (storage.QueueConfig, error)
	// PutQueueConfig stores them on condition that the stored revision is prev. The zero prev requires that
	// none is stored.
	PutQueueConfig(ctx context.Context, c storage.QueueConfig, prev [16]byte) (storage.WriteResult, error)
	// Invalidations reads one page of a queue shard, strongly consistent.
	Invalidations(ctx context.Context, shard storage.QueueShard, dueUpTo model.Time,
		after string) (storage.InvalidationPage, error)
}

// AppliedQueue is what ApplyQueue did.
type AppliedQueue struct {
	Added   bool
	Retired []storage.Generation // found to be empty for good
	Config  storage.QueueConfig  // as stored, or as it would be
}

// String says how many queue shards there are, and how many of earlier generations are still swept.
func (a AppliedQueue) String() string {
	newest := a.Config.Generations.Newest()
	text := fmt.Sprintf("queue: %d shards", newest.Shards)
	if earlier := len(a.Config.Generations.Swept()) - newest.Shards; earlier > 0 {
		text += fmt.Sprintf("; %d earlier ones are swept until they are empty", earlier)
	}
	for _, g := range a.Retired {
		text += fmt.Sprintf("\nqueue: generation %d is empty, and its %d shards are not swept any more", g.Number,
			g.Shards)
	}
	return text
}

// ApplyQueue gives the table a number of queue shards. The shards are a new generation, which takes
// invalidations from the moment at which it is stored. A process that does not know it puts into the earlier
// one: both are swept, and readers wait for both. When every process that may rely on such a put has read the
// newer one, an earlier generation that is empty is retired by the next call. ApplyQueue can be interrupted
// anywhere and repeated, and may run beside others.
//
// Readers need no time to learn of a generation, because they read the generations with the low watermarks: a
// watermark that was read before a generation was stored is before the due time of everything in it.
func (a *Applier) ApplyQueue(ctx context.Context, shards int) (done AppliedQueue, _ error) {
	done, err := a.changeQueue(ctx, shards)
	if err != nil || !done.Added || a.DryRun {
		return done, err
	}
	seen, err := a.changeQueue(ctx, shards) // the clock before a write may be long before the write
	done.Config = seen.Config
	return done, err
}

// changeQueue does the next step of ApplyQueue, by one write.
func (a *Applier) changeQueue(ctx context.Context, shards int) (done AppliedQueue, _ error) {
	random := a.Rand
	if random == nil {
		random = rand.Reader
	}
	r := retry.Retrier{Rand: random}
	permanent := func(error) bool { return false }
	err := r.UntilWritten(ctx, permanent, func(ctx context.Context) (storage.WriteResult, error) {
		stored, err := a.Queue.QueueConfig(ctx)
		if err != nil {
			return storage.Unknown, fmt.Errorf("read the configuration of the queue: %w", err)
		}
		done = AppliedQueue{Config: stored}
		done.Config.Generations = slices.Clone(stored.Generations)
		markSeen(done.Config.Generations, a.Now())
		err = a.retireGenerations(ctx, &done)
		if err == nil {
			err = a.addGeneration(ctx, &done, shards)
		}
		if err != nil || a.DryRun || reflect.DeepEqual(done.Config, stored) {
			return storage.Written, err
		}
		if done.Config.Rev, err = ids.Nonce(random); err != nil {
			return storage.Unknown, err
		}
		return a.Queue.PutQueueConfig(ctx, done.Config, stored.Rev)
	})
	return done, err
}

// markSeen notes that generations were read as stored, before a time.
func markSeen(all storage.Generations, now model.Time) {
	for n := range all {
		if all[n].Number > 0 && all[n].SeenAt == 0 {
			all[n].SeenAt = now
		}
	}
}

// addGeneration adds a generation if the newest has another number of queue shards. It is swept first, so
// that it has low watermarks.
func (a *Applier) addGeneration(ctx context.Context, done *AppliedQueue, shards int) error {
	newest := done.Config.Generations.Newest()
	if newest.Shards == shards {
		return nil
	}
	next := storage.Generation{Number: newest.Number + 1, Shards: shards}
	done.Added, done.Config.Generations = true, append(done.Config.Generations, next)
	if a.DryRun {
		return nil
	}
	return a.sweepAll(ctx, next.QueueShards())
}

// lastPut returns the time after which no process relies on a put into the generation before next: but for
// the clocks, the last one read the generations just before next was stored.
func lastPut(next storage.Generation) model.Time {
	return next.SeenAt.Add(queue.Lead + 2*queue.ClockMargin)
}

// retireGenerations retires the generations that are empty for good. The queue is read after the last put.
func (a *Applier) retireGenerations(ctx context.Context, done *AppliedQueue) error {
	all := done.Config.Generations
	for n := range all[:len(all)-1] {
		if all[n].RetiredAt != 0 || a.Now() < lastPut(all[n+1]) {
			continue
		}
		empty, err := a.empty(ctx, all[n])
		if err != nil {
			return fmt.Errorf("read the queue: %w", err)
		}
		if empty {
			all[n].RetiredAt = a.Now()
			done.Retired = append(done.Retired, all[n])
		}
	}
	return nil
}

// empty reports whether a generation has no invalidation.
func (a *Applier) empty(ctx context.Context, g storage.Generation) (bool, error) {
	for _, shard := range g.QueueShards() {
		page, err := a.Queue.Invalidations(ctx, shard, model.MaxTime, "")
		if err != nil || len(page.Invalidations) > 0 || page.Next != "" {
			return false, err
		}
	}
	return true, nil
}

// sweepAll sweeps queue shards.
func (a *Applier) sweepAll(ctx context.Context, shards []storage.QueueShard) error {
	for _, shard := range shards {
		if err := a.Sweep(ctx, shard); err != nil {
			return err
		}
	}
	return nil
}
