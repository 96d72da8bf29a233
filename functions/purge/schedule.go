package main

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// scheduleResult is the result of a scheduled invocation.
type scheduleResult struct {
	Open int `json:"open"` // unfinished purges at the start, including those in their grace period
	Done int `json:"done"` // purges that this invocation completed
}

// resumePurges advances every open purge as far as possible. The remaining time is divided
// between them, so that a large purge does not delay the others. A purge that fails or
// cannot be decoded is logged and retried by the next invocation.
func (i *invocation) resumePurges(ctx context.Context) (any, error) {
	open, err := i.openPurges(ctx)
	if err != nil {
		i.counts[telemetry.StepFailures]++
		i.log.Error("list of open purges is incomplete", telemetry.FieldError, err.Error())
	}
	result := scheduleResult{Open: len(open)}
	for n, p := range open {
		i.counts[telemetry.OldestDue] = max(i.counts[telemetry.OldestDue], i.now().Sub(p.DueAt).Seconds())
		if i.advance(ctx, p.Subject, len(open)-n) {
			result.Done++
		}
	}
	return result, nil
}

// openPurges returns the purges that could be read. The error describes the others.
func (i *invocation) openPurges(ctx context.Context) (open []storage.Purge, err error) {
	for after, more := (itemop.Position{}), true; more; more = after != (itemop.Position{}) {
		page, next, failure := i.purger.ListActive(ctx, after)
		open = append(open, page...)
		after = next
		err = errors.Join(err, failure)
	}
	return open, err
}

// advance advances one purge within 1/shares of the remaining time, and reports whether it is done.
func (i *invocation) advance(ctx context.Context, subject model.Subject, shares int) (done bool) {
	if deadline, ok := ctx.Deadline(); ok {
		share := time.Until(deadline) / time.Duration(shares)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	progress, err := i.purger.Advance(ctx, subject)
	log := i.log.With("purge", progress.Purge.ID, "step", string(progress.Purge.Step))
	switch {
	case errors.Is(err, lifecycle.ErrNoPurge), ctx.Err() != nil:
		log.Info("purge continues")
	case err != nil:
		i.counts[telemetry.StepFailures]++
		log.Error("purge failed", telemetry.FieldError, err.Error())
	case progress.Done:
		i.counts[telemetry.PurgesDone]++
		for _, c := range progress.Receipt.Removed {
			i.counts[telemetry.ItemsErased] += float64(c.Items)
		}
		log.Info("purge done", "receipt", progress.Receipt)
	}
	return progress.Done
}

// cleanUp removes what is left of the generations whose tombstones TTL removed. It stops at
// the first failure, so that this record and the rest are delivered again.
func (i *invocation) cleanUp(ctx context.Context, payload []byte) (any, error) {
	expiries, err := tablestream.Expiries(payload)
	if err != nil {
		return nil, err
	}
	for _, e := range expiries {
		err := e.Err
		if err == nil && e.Tombstone != nil {
			if err = i.profiles.CleanUpExpired(ctx, e.Tombstone); err == nil {
				i.counts[telemetry.GenerationsEnded]++
			}
		}
		if err != nil {
			i.counts[telemetry.StepFailures]++
			i.log.Error("cleanup after an expiry failed", "sequence_number", e.Seq, telemetry.FieldError, err.Error())
			return tablestream.FailedFrom(e.Seq), nil
		}
	}
	return tablestream.FailedFrom(), nil
}
