package lifecycle

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Progress is the progress of a purge.
type Progress struct {
	Purge   storage.Purge
	Done    bool
	Receipt Receipt    // if Done
	Resume  model.Time // if not Done: the earliest time of the next step
}

// Progress returns the progress of a purge, without running it. The error wraps ErrNoPurge
// if no purge was requested, or if the purge lock of the last one has expired.
func (p *Purger) Progress(ctx context.Context, subject model.Subject) (Progress, error) {
	active, err := p.Active(ctx, subject)
	if err != nil {
		return Progress{}, err
	}
	if active == nil {
		return p.finishedProgress(ctx, subject)
	}
	return Progress{Purge: *active,
		Resume: max(active.StepSince.Add(steps[active.Step].waitTime(p.timing())), active.DueAt)}, nil
}

// Run runs a purge to its end, including all waits.
func (p *Purger) Run(ctx context.Context, subject model.Subject) (Receipt, error) {
	for {
		at, err := p.Advance(ctx, subject)
		if err != nil || at.Done {
			return at.Receipt, err
		}
		if err := p.retrier().Wait(ctx, at.Resume.Sub(p.now())); err != nil {
			return Receipt{}, p.wrapError(subject, err)
		}
	}
}

// Advance runs all steps that are due and returns when the next one is. It may be
// interrupted at any point and called again.
func (p *Purger) Advance(ctx context.Context, subject model.Subject) (Progress, error) {
	for {
		active, err := p.Active(ctx, subject)
		if err != nil {
			return Progress{}, err
		}
		if active == nil {
			return p.finishedProgress(ctx, subject)
		}
		at, err := p.step(ctx, active)
		switch {
		case errors.Is(err, errConcurrent):
		case err != nil:
			return Progress{Purge: *active, Resume: p.now()}, p.wrapError(subject, err)
		case at.Done || at.Resume > p.now():
			return at, nil
		}
	}
}

// finishedProgress returns the progress of a purge that is no longer active. The purge
// lock contains its receipt until the lock expires.
func (p *Purger) finishedProgress(ctx context.Context, subject model.Subject) (Progress, error) {
	lock, err := read(ctx, p.Store, tablekeys.PurgeLock(subject), item.PurgeLock)
	if err != nil {
		return Progress{}, p.wrapError(subject, err)
	}
	if lock == nil || lock.Receipt == "" {
		return Progress{}, p.wrapError(subject, ErrNoPurge)
	}
	receipt, err := parseReceipt(lock.Receipt)
	return Progress{Purge: storage.Purge{ID: receipt.Purge, Subject: subject, Step: storage.PurgeDone},
		Done: true, Receipt: receipt}, p.wrapError(subject, err)
}
