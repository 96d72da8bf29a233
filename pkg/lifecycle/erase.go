package lifecycle

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// erase removes all items of the subject, in one pass over its partitions.
func (p *Purger) erase(ctx context.Context, at *storage.Purge) error {
	if err := p.expireMemberships(ctx, at); err != nil {
		return err
	}
	e := eraser{Purger: p, at: at, released: map[heldSentinel]bool{}}
	for _, partition := range tablekeys.SubjectPartitions(at.Subject, p.shardsToSearch()) {
		probe, err := p.Store.List(ctx, itemop.ListRequest{Partition: partition, Limit: 1})
		if err != nil {
			return err
		}
		if len(probe.Items) == 0 && probe.Next == (itemop.Position{}) {
			continue
		}
		for _, c := range classes {
			if err := e.eraseClass(ctx, partition, c); err != nil {
				return err
			}
		}
	}
	list := seriesClass(at.Subject)
	if err := e.eraseClass(ctx, list.partition, list.itemClass); err != nil {
		return err
	}
	if err := e.eraseClass(ctx, tablekeys.QuarantinePartition(at.Subject),
		itemClass{name: classQuarantine}); err != nil {
		return err
	}
	return p.eachQueueShard(ctx, func(partition string) error {
		return e.eraseClass(ctx, partition, itemClass{name: classSweepQueue, rowsOf: &at.Subject})
	})
}

// eachQueueShard calls do with the partition of each queue shard, also of generations that are retired.
func (p *Purger) eachQueueShard(ctx context.Context, do func(partition string) error) error {
	generations := storage.Generations{storage.FirstGeneration}
	stored, err := p.Store.GetItem(ctx, tablekeys.QueueConfig())
	if err == nil && stored != nil {
		var c storage.QueueConfig
		c, err = item.QueueConfig(stored)
		generations = c.Generations
	}
	for _, shard := range generations.All() {
		if err == nil {
			err = do(tablekeys.InvalidationPartition(shard))
		}
	}
	return err
}

// eraser is one pass of a Purger over a subject.
type eraser struct {
	*Purger
	at       *storage.Purge
	released map[heldSentinel]bool // sentinels released in this pass
}

func (e *eraser) eraseClass(ctx context.Context, partition string, c itemClass) error {
	return e.pages(ctx, itemop.ListRequest{Partition: partition, Prefix: c.prefix},
		func(page []item.Item) error {
			if err := e.releaseSentinels(ctx, c, page); err != nil {
				return err
			}
			if err := e.leaveGroups(ctx, page); err != nil {
				return err
			}
			emptied, others, err := e.emptyRows(ctx, c, page)
			if err != nil {
				return err
			}
			if n, err := e.eraseItems(ctx, c, others); err != nil || emptied+n == 0 {
				return err
			}
			return e.checkpoint(ctx)
		})
}

// eraseItems removes the items of a page that belong to the class, in batches.
func (e *eraser) eraseItems(ctx context.Context, c itemClass, page []item.Item) (erased int, err error) {
	var batch []keys.Key
	var bytes int64
	flush := func() error {
		err := e.eraseKeys(ctx, batch)
		if err == nil {
			e.at.Count(c.name, int64(len(batch)), bytes)
			erased += len(batch)
		}
		batch, bytes = nil, 0
		return err
	}
	for _, it := range page {
		if !c.matches(it) {
			continue
		}
		batch, bytes = append(batch, it.Key()), bytes+int64(it.Size())
		if len(batch) == itemop.MaxBatchWrites {
			if err := flush(); err != nil {
				return erased, err
			}
		}
	}
	if len(batch) == 0 {
		return erased, nil
	}
	return erased, flush()
}

// eraseKeys repeats a request until the server has processed the complete batch. Removing
// an item again does no harm.
func (e *eraser) eraseKeys(ctx context.Context, batch []keys.Key) error {
	for n, attempt := len(batch), 1; n > 0; {
		var left []keys.Key
		_, err := e.retrier().Do(ctx, func(ctx context.Context) (result storage.WriteResult, err error) {
			left, result, err = e.Store.Erase(ctx, batch)
			return result, err
		})
		if err != nil {
			return err
		}
		done := n - len(left)
		batch, n = left, len(left)
		if err := e.throttle(ctx, done); err != nil {
			return err
		}
		if done > 0 {
			attempt = 1
			continue
		}
		if attempt++; attempt > e.RetryPolicy.MaxAttempts() {
			return retry.ErrUndecided
		}
		if err := e.retrier().Pause(ctx, attempt); err != nil {
			return err
		}
	}
	return nil
}

// throttle waits as long as Rate requires after so many removals.
func (p *Purger) throttle(ctx context.Context, erased int) error {
	if p.Rate <= 0 || erased == 0 {
		return nil
	}
	return p.retrier().Wait(ctx, time.Duration(erased)*time.Second/time.Duration(p.Rate))
}

// checkpoint saves the counts and extends the purge lock.
func (e *eraser) checkpoint(ctx context.Context) error {
	switch restarted, err := e.extendLock(ctx, e.at); {
	case err != nil:
		return err
	case restarted:
		return errConcurrent
	}
	was := *e.at
	if err := e.save(ctx, e.at, itemop.Precondition{unchangedPurge(&was)}); err != nil {
		return err
	}
	e.reportProgress(e.at)
	return nil
}

// releaseSentinels removes the sentinels that the profiles, tombstones and versions of a
// page name. A sentinel that another subject or another generation holds stays.
func (e *eraser) releaseSentinels(ctx context.Context, c itemClass, page []item.Item) error {
	for _, it := range page {
		for _, h := range c.listSentinels(it) {
			if e.released[h] {
				continue
			}
			got, err := e.retrier().commit(ctx, e.Store, []itemop.Action{
				{Key: tablekeys.UniqueIn(h.partition), Precondition: sentinelOwnedBy(e.at.Subject, h.generation),
					Delete: true},
			})
			if err != nil {
				return err
			}
			if got.Result == storage.Written {
				size := len(h.partition) + len(keys.SubjectPartition(e.at.Subject))
				e.at.Count(classSentinels, 1, int64(size))
			}
			e.released[h] = true
		}
	}
	return nil
}
