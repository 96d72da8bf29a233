package main

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// broughtOn is what a scheduled invocation did.
type broughtOn struct {
	Open int `json:"open"` // purges that are not done, those that wait for their grace included
	Done int `json:"done"` // of these, those that came to their end
}

// bringOn takes every open purge as far as it goes, each for its part of the time that
// is left, so that a large one holds up no other. One that fails, or cannot be read, is
// told and tried again by the next invocation.
func (i *invocation) bringOn(ctx context.Context) (any, error) {
	open, err := i.open(ctx)
	if err != nil {
		i.counts[telemetry.StepFailures]++
		i.log.Error("not all open purges are known", telemetry.FieldError, err.Error())
	}
	did := broughtOn{Open: len(open)}
	for n, p := range open {
		i.counts[telemetry.OldestDue] = max(i.counts[telemetry.OldestDue], i.now().Sub(p.Due).Seconds())
		if i.advance(ctx, p.Subject, len(open)-n) {
			did.Done++
		}
	}
	return did, nil
}

// open are the purges that could be read; the error says of which not.
func (i *invocation) open(ctx context.Context) (open []model.Purge, err error) {
	for after, more := (lifecycle.Place{}), true; more; more = after != (lifecycle.Place{}) {
		page, next, failure := i.purger.Open(ctx, after)
		open, after, err = append(open, page...), next, errors.Join(err, failure)
	}
	return open, err
}

// advance takes one of so many purges on, and reports whether it is done.
func (i *invocation) advance(ctx context.Context, subject model.Subject, sharing int) (done bool) {
	if deadline, ok := ctx.Deadline(); ok {
		part := deadline.Sub(i.now().Time()) / time.Duration(sharing)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, part)
		defer cancel()
	}
	at, err := i.purger.Advance(ctx, subject)
	log := i.log.With("purge", at.Purge.ID, "step", string(at.Purge.Step))
	switch {
	case errors.Is(err, lifecycle.ErrNoPurge), ctx.Err() != nil:
		log.Info("purge goes on")
	case err != nil:
		i.counts[telemetry.StepFailures]++
		log.Error("purge failed", telemetry.FieldError, err.Error())
	case at.Done:
		i.counts[telemetry.PurgesDone]++
		for _, c := range at.Receipt.Removed {
			i.counts[telemetry.ItemsErased] += float64(c.Items)
		}
		log.Info("purge done", "receipt", at.Receipt)
	}
	return at.Done
}
