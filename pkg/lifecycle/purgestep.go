package lifecycle

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// lockDuration is how long the purge lock lasts after the last step: twice the retention
// of the table stream and of Tidemark's queues.
const lockDuration = 48 * time.Hour

// minLockRemaining is the shortest remaining duration of the lock during a purge. A purge
// that finds less extends the lock.
const minLockRemaining = 24 * time.Hour

// purgeStep is the transition from one step to the next: how long to wait since the last
// step, and what to do then.
type purgeStep struct {
	next entity.PurgeStep
	wait func(Timing) time.Duration // nil: no wait
	run  func(*Purger, context.Context, *entity.Purge) error
}

func (s purgeStep) waitTime(t Timing) time.Duration {
	if s.wait == nil {
		return 0
	}
	return s.wait(t)
}

// steps are the transitions of a purge, by its last completed step.
var steps = map[entity.PurgeStep]purgeStep{
	entity.PurgeRequested:     {entity.PurgeSubjectLocked, nil, (*Purger).lockSubject},
	entity.PurgeSubjectLocked: {entity.PurgeLatestLocked, func(t Timing) time.Duration { return t.Append }, (*Purger).lockLatestItems},
	entity.PurgeLatestLocked:  {entity.PurgeErased, func(t Timing) time.Duration { return t.Append }, (*Purger).erase},
	entity.PurgeErased:        {entity.PurgeDone, func(t Timing) time.Duration { return t.Aggregate }, (*Purger).erase},
}

// step runs the next step, if it is due, and saves the state.
func (p *Purger) step(ctx context.Context, at *entity.Purge) (Progress, error) {
	s, known := steps[at.Step]
	if !known {
		return Progress{}, item.ErrNewer // a newer version, which knows the step, continues the purge
	}
	from := max(at.StepSince.Add(s.waitTime(p.timing())), at.DueAt)
	if now := p.now(); now < from {
		return Progress{Purge: *at, Resume: from}, nil
	}
	if at.Step != entity.PurgeRequested {
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
	if at.Step == entity.PurgeDone {
		return p.finish(ctx, at)
	}
	err := p.save(ctx, at, table.Precondition{unchangedPurge(&was)})
	p.reportProgress(at)
	return Progress{Purge: *at, Resume: at.StepSince}, err
}

// lockSubject sets the purge lock of the subject.
func (p *Purger) lockSubject(ctx context.Context, at *entity.Purge) error {
	if at.LockedAt == 0 {
		at.LockedAt = p.now()
	}
	return p.putLock(ctx, at)
}

// putLock sets the purge lock, if the purge is as it was read. A purge that was canceled
// or finished in the meantime gets no new lock.
func (p *Purger) putLock(ctx context.Context, at *entity.Purge) error {
	return p.commitIfUnchanged(ctx, []table.Action{p.lockAction(at, ""), {Key: tablekeys.Purge(at.Subject), Precondition: table.Precondition{unchangedPurge(at)}}})
}

// commitIfUnchanged commits a transaction. It returns errConcurrent if a precondition fails.
func (p *Purger) commitIfUnchanged(ctx context.Context, actions []table.Action) error {
	got, err := p.retrier().commit(ctx, p.Store, actions)
	if err == nil && got.Result == storage.ConditionFailed {
		return errConcurrent
	}
	return err
}

func (p *Purger) lockAction(at *entity.Purge, receipt string) table.Action {
	it := item.FromPurgeLock(&entity.PurgeLock{
		Subject: at.Subject, Since: at.LockedAt, PurgeID: at.ID, Receipt: receipt,
		ExpiresAt: p.now().Add(lockDuration).Seconds(),
	})
	return table.Action{Key: it.Key(), Put: it}
}

// extendLock extends the purge lock if it expires soon. If the lock is missing, appends may have been stored
// since, so it restarts the purge from its first step; restarted reports this.
func (p *Purger) extendLock(ctx context.Context, at *entity.Purge) (restarted bool, err error) {
	lock, err := read(ctx, p.Store, tablekeys.PurgeLock(at.Subject), item.PurgeLock)
	switch {
	case err != nil:
		return false, err
	case lock == nil:
		was := *at
		at.Step, at.StepSince = entity.PurgeRequested, p.now()
		return true, p.save(ctx, at, table.Precondition{unchangedPurge(&was)})
	case lock.ExpiresAt-p.now().Seconds() < int64(minLockRemaining.Seconds()):
		return false, p.putLock(ctx, at)
	}
	return false, nil
}

// lockLatestItems sets the purge lock attribute of every latest item of the subject, so
// that no append to it is stored.
func (p *Purger) lockLatestItems(ctx context.Context, at *entity.Purge) error {
	lock := item.Item{tablekeys.AttrPurgeLock: item.Value{Type: item.Bool, Bool: true}}
	for _, partition := range tablekeys.SubjectPartitions(at.Subject, p.shardsToSearch()) {
		err := p.pages(ctx, table.ListRequest{Partition: partition, Prefix: tablekeys.LatestPrefix}, func(page []item.Item) error {
			for _, it := range page {
				if _, locked := it[tablekeys.AttrPurgeLock]; locked {
					continue
				}
				// If the item has been removed in the meantime, there is nothing to lock.
				action := table.Action{Key: it.Key(), Precondition: table.Precondition{{Op: table.ItemExists}}, Set: lock}
				if _, err := p.retrier().commit(ctx, p.Store, []table.Action{action}); err != nil {
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
func (p *Purger) finish(ctx context.Context, at *entity.Purge) (Progress, error) {
	receipt := p.receipt(at)
	err := p.commitIfUnchanged(ctx, []table.Action{
		p.lockAction(at, receipt.text()),
		{Key: tablekeys.Purge(at.Subject), Precondition: table.Precondition{unchangedPurge(at)}, Delete: true},
	})
	p.reportProgress(at)
	return Progress{Purge: *at, Done: true, Receipt: receipt}, err
}

// save writes the state of a purge with a new revision.
func (p *Purger) save(ctx context.Context, at *entity.Purge, when table.Precondition) error {
	rev, err := ids.Nonce(p.random())
	if err != nil {
		return err
	}
	at.Rev = rev
	it := item.FromPurge(at)
	return p.commitIfUnchanged(ctx, []table.Action{{Key: it.Key(), Precondition: when, Put: it}})
}

// unchangedPurge requires that the state of a purge is as it was read.
func unchangedPurge(at *entity.Purge) table.Requirement {
	return table.Requirement{Op: table.AttrEquals, Attr: tablekeys.AttrRev, Value: item.Value{Type: item.B, B: at.Rev[:]}}
}

// pages calls do with each page of a listing.
func (p *Purger) pages(ctx context.Context, l table.ListRequest, do func([]item.Item) error) error {
	for items, err := range table.Pages(ctx, p.Store, l) {
		if err == nil {
			err = do(items)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Purger) reportProgress(at *entity.Purge) {
	if p.OnProgress != nil {
		p.OnProgress(*at)
	}
}
