package lifecycle

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// purgeStep is the transition from one step to the next: how long to wait since the last
// step, and what to do then.
type purgeStep struct {
	next storage.PurgeStep
	wait func(Timing) time.Duration // nil: no wait
	run  func(*Purger, context.Context, *storage.Purge) error
}

func (s purgeStep) waitTime(t Timing) time.Duration {
	if s.wait == nil {
		return 0
	}
	return s.wait(t)
}

// steps are the transitions of a purge, by its last completed step.
var steps = map[storage.PurgeStep]purgeStep{
	storage.PurgeRequested: {next: storage.PurgeSubjectLocked, run: (*Purger).lockSubject},
	storage.PurgeSubjectLocked: {
		next: storage.PurgeLatestLocked, wait: func(t Timing) time.Duration { return t.Append },
		run: (*Purger).lockLatestItems,
	},
	storage.PurgeLatestLocked: {
		next: storage.PurgeErased, wait: func(t Timing) time.Duration { return t.Append },
		run: (*Purger).erase,
	},
	storage.PurgeErased: {next: storage.PurgeDone, wait: func(t Timing) time.Duration {
		return t.Aggregate
	}, run: (*Purger).erase},
}

// step runs the next step, if it is due, and saves the state.
func (p *Purger) step(ctx context.Context, at *storage.Purge) (Progress, error) {
	s, known := steps[at.Step]
	if !known {
		return Progress{}, item.ErrNewer // a newer version, which knows the step, continues the purge
	}
	from := max(at.StepSince.Add(s.waitTime(p.timing())), at.DueAt)
	if now := p.now(); now < from {
		return Progress{Purge: *at, Resume: from}, nil
	}
	if at.Step != storage.PurgeRequested {
		if restarted, err := p.extendLock(ctx, at); err != nil || restarted {
			return Progress{}, err
		}
	}
	if err := s.run(p, ctx, at); err != nil {
		return Progress{}, err
	}
	// The next wait starts at the end of this step, not at its beginning.
	was := *at
	at.Step, at.StepSince = s.next, p.now()
	if at.Step == storage.PurgeDone {
		return p.finish(ctx, at)
	}
	err := p.save(ctx, at, itemop.Precondition{unchangedPurge(&was)})
	p.reportProgress(at)
	return Progress{Purge: *at, Resume: at.StepSince}, err
}

// lockSubject sets the purge lock of the subject.
func (p *Purger) lockSubject(ctx context.Context, at *storage.Purge) error {
	if at.LockedAt == 0 {
		at.LockedAt = p.now()
	}
	return p.putLock(ctx, at)
}

// putLock sets the purge lock, if the purge is as it was read. A purge that was canceled
// or finished in the meantime gets no new lock.
func (p *Purger) putLock(ctx context.Context, at *storage.Purge) error {
	return p.commitIfUnchanged(ctx, []itemop.Action{p.lockAction(at, ""),
		{Key: tablekeys.Purge(at.Subject), Precondition: itemop.Precondition{unchangedPurge(at)}}})
}

// commitIfUnchanged commits a transaction. It returns errConcurrent if a precondition fails.
func (p *Purger) commitIfUnchanged(ctx context.Context, actions []itemop.Action) error {
	got, err := p.retrier().commit(ctx, p.Store, actions)
	if err == nil && got.Result == storage.ConditionFailed {
		return errConcurrent
	}
	return err
}

func (p *Purger) lockAction(at *storage.Purge, receipt string) itemop.Action {
	it := item.FromPurgeLock(&storage.PurgeLock{
		Subject: at.Subject, Since: at.LockedAt, PurgeID: at.ID, Receipt: receipt,
		ExpiresAt: p.now().Add(p.timing().Lock).Seconds(),
	})
	return itemop.Action{Key: it.Key(), Put: it}
}

// extendLock extends the purge lock if half of its time is over. If the lock is missing, appends may have
// been stored since, so it restarts the purge from its first step; restarted reports this.
func (p *Purger) extendLock(ctx context.Context, at *storage.Purge) (restarted bool, err error) {
	lock, err := read(ctx, p.Store, tablekeys.PurgeLock(at.Subject), item.PurgeLock)
	switch {
	case err != nil:
		return false, err
	case lock == nil:
		was := *at
		at.Step, at.StepSince = storage.PurgeRequested, p.now()
		return true, p.save(ctx, at, itemop.Precondition{unchangedPurge(&was)})
	case lock.ExpiresAt < p.now().Add(p.timing().Lock/2).Seconds():
		return false, p.putLock(ctx, at)
	}
	return false, nil
}

// lockLatestItems sets the purge lock attribute of every latest item of the subject, so
// that no append to it is stored.
func (p *Purger) lockLatestItems(ctx context.Context, at *storage.Purge) error {
	lock := item.Item{tablekeys.AttrPurgeLock: item.Value{Type: item.Bool, Bool: true}}
	for _, partition := range tablekeys.SubjectPartitions(at.Subject, p.shardsToSearch()) {
		err := p.pages(ctx, itemop.ListRequest{Partition: partition, Prefix: tablekeys.LatestPrefix},
			func(page []item.Item) error {
				for _, it := range page {
					if _, locked := it[tablekeys.AttrPurgeLock]; locked {
						continue
					}
					// If the item has been removed in the meantime, there is nothing to lock.
					action := itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{{Op: itemop.ItemExists}},
						Set: lock}
					if _, err := p.retrier().commit(ctx, p.Store, []itemop.Action{action}); err != nil {
						return err
					}
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// finish stores the receipt in the purge lock, where it stays until the lock expires, and
// removes the state of the purge.
func (p *Purger) finish(ctx context.Context, at *storage.Purge) (Progress, error) {
	receipt := p.receipt(at)
	err := p.commitIfUnchanged(ctx, []itemop.Action{
		p.lockAction(at, receipt.text()),
		{Key: tablekeys.Purge(at.Subject), Precondition: itemop.Precondition{unchangedPurge(at)}, Delete: true},
	})
	p.reportProgress(at)
	return Progress{Purge: *at, Done: true, Receipt: receipt}, err
}

// save writes the state of a purge with a new revision.
func (p *Purger) save(ctx context.Context, at *storage.Purge, when itemop.Precondition) error {
	rev, err := ids.Nonce(p.random())
	if err != nil {
		return err
	}
	at.Rev = rev
	it := item.FromPurge(at)
	return p.commitIfUnchanged(ctx, []itemop.Action{{Key: it.Key(), Precondition: when, Put: it}})
}

// unchangedPurge requires that the state of a purge is as it was read.
func unchangedPurge(at *storage.Purge) itemop.Requirement {
	return itemop.Requirement{Op: itemop.AttrEquals, Attr: tablekeys.AttrRev,
		Value: item.Value{Type: item.B, B: at.Rev[:]}}
}

// pages calls do with each page of a listing.
func (p *Purger) pages(ctx context.Context, l itemop.ListRequest, do func([]item.Item) error) error {
	for items, err := range itemop.Pages(ctx, p.Store, l) {
		if err == nil {
			err = do(items)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Purger) reportProgress(at *storage.Purge) {
	if p.OnProgress != nil {
		p.OnProgress(*at)
	}
}
