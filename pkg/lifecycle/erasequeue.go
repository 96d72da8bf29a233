package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// bucketQueue makes sure, before events are deleted, that the sweeps of their buckets find the deletions.
// The invalidation of a bucket is mostly stored since its first event. It may be missing if the tier was
// immediate when the event arrived: the row then has the event, and no sweep would recompute the row.
type bucketQueue struct {
	writer     *queue.Writer // nil: nothing is queued
	kind       *catalog.Kind
	requests   queue.Requests
	onUnqueued func(events []model.EventKey, cause error)

	unqueued []model.EventKey
	cause    error // of one of them
}

func (p *Purger) bucketQueue(s EventSelection) *bucketQueue {
	b := &bucketQueue{kind: s.kind(), onUnqueued: s.OnUnqueued}
	if b.kind == nil {
		return b
	}
	b.writer = s.Queue
	b.requests = queue.Requests{Now: p.now, Retrier: p.retrier().Retrier, Parallel: 1}
	b.requests.Retrier.Policy = queue.LimitAttempts(p.RetryPolicy)
	return b
}

// ensure queues the buckets of an event that are open. The writer remembers them, so each costs one read, and
// one put if it is not stored.
func (b *bucketQueue) ensure(ctx context.Context, e *model.Event) {
	if b.writer == nil {
		return
	}
	event := queue.Event{EventKey: e.Key()}
	if !e.Unreadable {
		event.Before = e
	}
	unqueued, err := b.writer.Ensure(ctx, b.kind, []queue.Event{event}, b.requests)
	if len(unqueued) > 0 {
		b.unqueued, b.cause = append(b.unqueued, unqueued...), err
	}
}

// report reports the events whose buckets may not be queued.
func (b *bucketQueue) report() {
	if len(b.unqueued) > 0 && b.onUnqueued != nil {
		b.onUnqueued(b.unqueued, b.cause)
	}
}
