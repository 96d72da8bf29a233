package lifecycle

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// stepOf says what leads from a step to the next: how long must have passed since, and
// what is to be done then.
type stepOf struct {
	next model.PurgeStep
	wait func(Timing) time.Duration // nil: none
	do   func(*Purger, context.Context, *model.Purge) error
}

func (s stepOf) waits(t Timing) time.Duration {
	if s.wait == nil {
		return 0
	}
	return s.wait(t)
}

// steps are the purge, by the step it is at.
var steps = map[model.PurgeStep]stepOf{
	model.PurgeAsked:  {model.PurgeGated, nil, (*Purger).shut},
	model.PurgeGated:  {model.PurgeFenced, func(t Timing) time.Duration { return t.Wait }, (*Purger).fence},
	model.PurgeFenced: {model.PurgeErased, func(t Timing) time.Duration { return t.Wait }, (*Purger).erase},
	model.PurgeErased: {model.PurgeDone, func(t Timing) time.Duration { return t.Settle }, (*Purger).erase},
}

// step takes one step, if its time has come, and remembers it.
func (p *Purger) step(ctx context.Context, at *model.Purge) (Progress, error) {
	s, known := steps[at.Step]
	if !known {
		return Progress{}, item.ErrNewer // whoever wrote this step knows how to go on
	}
	from := max(at.Since.Add(s.waits(p.Timing)), at.Due)
	if now := p.Now(); now < from {
		return Progress{Purge: *at, Resume: from}, nil
	}
	if at.Step != model.PurgeAsked {
		if open, err := p.hold(ctx, at); err != nil || open {
			return Progress{}, err
		}
	}
	if err := s.do(p, ctx, at); err != nil {
		return Progress{}, err
	}
	// The wait begins when the step is known to be done, not when it began.
	was := *at
	at.Step, at.Since = s.next, p.Now()
	if at.Step == model.PurgeDone {
		return p.finish(ctx, at)
	}
	err := p.save(ctx, at, Condition{asRead(&was)})
	p.tell(at)
	return Progress{Purge: *at, Resume: at.Since}, err
}

// shut sets the gate.
func (p *Purger) shut(ctx context.Context, at *model.Purge) error {
	if at.Gated == 0 {
		at.Gated = p.Now()
	}
	return p.putGate(ctx, at)
}

// putGate sets the gate, if the purge is as it was read: one that was called off, or
// done by somebody else, leaves no gate of ours.
func (p *Purger) putGate(ctx context.Context, at *model.Purge) error {
	return p.commitOurs(ctx, []Action{p.gate(at, ""), {Key: keys.Purge(at.Subject), When: Condition{asRead(at)}}})
}

// commitOurs sends a transaction that is refused where somebody else brought the purge on.
func (p *Purger) commitOurs(ctx context.Context, actions []Action) error {
	reply, err := p.waiter().commit(ctx, p.Store, actions)
	if err == nil && reply.Answer == model.Refused {
		return errOther
	}
	return err
}

func (p *Purger) gate(at *model.Purge, receipt string) Action {
	it := item.FromGate(&model.Gate{
		Subject: at.Subject, Since: at.Gated, PurgeID: at.ID, Receipt: receipt,
		ExpiresAt: p.Now().Add(GateFor).Seconds(),
	})
	return Action{Key: it.Key(), Put: it}
}

// hold sees to it that the gate outlasts a slow purge. Where somebody has opened it the
// purge begins anew, since whoever appended meanwhile was let in; open says so.
func (p *Purger) hold(ctx context.Context, at *model.Purge) (open bool, err error) {
	gate, err := read(ctx, p.Store, keys.Gate(at.Subject), item.Gate)
	switch {
	case err != nil:
		return false, err
	case gate == nil:
		was := *at
		at.Step, at.Since = model.PurgeAsked, p.Now()
		return true, p.save(ctx, at, Condition{asRead(&was)})
	case gate.ExpiresAt-p.Now().Seconds() < int64(gateLeast.Seconds()):
		return false, p.putGate(ctx, at)
	}
	return false, nil
}

// fence marks every current, so that no append to it is stored.
func (p *Purger) fence(ctx context.Context, at *model.Purge) error {
	fence := item.Item{keys.AttrFence: item.Value{Type: item.Bool, Bool: true}}
	for _, partition := range keys.SubjectPartitions(at.Subject, p.Shards) {
		err := p.pages(ctx, Listing{Partition: partition, Prefix: keys.CurrentPrefix}, func(page []item.Item) error {
			for _, it := range page {
				if _, fenced := it[keys.AttrFence]; fenced {
					continue
				}
				// One that is gone by now is none to append to.
				action := Action{Key: it.Key(), When: Condition{{Op: There}}, Set: fence}
				if _, err := p.waiter().commit(ctx, p.Store, []Action{action}); err != nil {
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

// finish leaves the receipt in the gate, from where it goes when the gate is lifted,
// and forgets the purge.
func (p *Purger) finish(ctx context.Context, at *model.Purge) (Progress, error) {
	receipt := p.receiptOf(at)
	err := p.commitOurs(ctx, []Action{
		p.gate(at, receipt.text()),
		{Key: keys.Purge(at.Subject), When: Condition{asRead(at)}, Delete: true},
	})
	p.tell(at)
	return Progress{Purge: *at, Done: true, Receipt: receipt}, err
}

// save writes what is remembered of a purge, with a fresh rev.
func (p *Purger) save(ctx context.Context, at *model.Purge, when Condition) error {
	rev, err := nonce(p.random())
	if err != nil {
		return err
	}
	at.Rev = rev
	it := item.FromPurge(at)
	return p.commitOurs(ctx, []Action{{Key: it.Key(), When: when, Put: it}})
}

// asRead is the condition that nobody brought the purge on since it was read.
func asRead(at *model.Purge) Term {
	return Term{Op: Is, Attr: keys.AttrRev, Value: item.Value{Type: item.B, B: at.Rev[:]}}
}

// pages reads a listing page by page.
func (p *Purger) pages(ctx context.Context, l Listing, do func([]item.Item) error) error {
	for {
		page, err := p.Store.List(ctx, l)
		if err != nil {
			return err
		}
		if len(page.Items) > 0 {
			if err := do(page.Items); err != nil {
				return err
			}
		}
		if l.After = page.Next; l.After == (Place{}) {
			return nil
		}
	}
}

func (p *Purger) tell(at *model.Purge) {
	if p.Told != nil {
		p.Told(*at)
	}
}
