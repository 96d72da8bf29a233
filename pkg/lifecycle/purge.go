package lifecycle

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Purger removes everything of a subject, step by step:
//
//	gate    from here on no series of it is made, and its profile does not change
//	wait    until whoever looked before the gate was shut has ended
//	fence   every current: from here on no append to it is stored
//	wait    until whoever met a current before it was fenced has ended
//	erase   events first, then rollups, finest first, then the rest
//	settle  until the folds that read an event before it went have ended
//	erase   what they wrote, and whatever else came late
//
// and lifts the gate two days later, when nothing that was under way can come any
// more. An append pays nothing for this: the gate is looked at only where a series is
// made, and the fence stands in the item that an append writes anyway.
//
// Each step may be interrupted anywhere and is taken up where it was; two that purge
// the same subject at once do no harm. The fields are set once, before the first call;
// methods are safe for concurrent use.
type Purger struct {
	Store interface {
		Store
		Eraser
	}
	Now  func() model.Time
	Rand io.Reader // of tokens and jitter; nil means crypto/rand
	// Sleep waits, or answers the context's error; nil means the wall clock's.
	Sleep    func(context.Context, time.Duration) error
	Patience retry.Patience
	Timing   Timing
	// Shards is how many partitions a kind may be spread over at most. All are looked
	// into, whatever kinds are declared today: what is to be forgotten must not depend on
	// a configuration.
	Shards int
	Rate   int    // items removed a second at most; zero means as fast as the table takes it
	Copies []Copy // where copies remain, for the receipt
	// Told is told how far a purge is, after each page; nil means nobody.
	Told func(model.Purge)
}

// Timing is how long a purge waits for those who began before it.
type Timing struct {
	// Wait is the longest invocation of a function that appends, and also how long such
	// a function may remember that there was no gate.
	Wait time.Duration
	// Settle is the longest invocation of the function that folds, and what a write of it
	// may take to land.
	Settle time.Duration
}

// GateFor is how long the gate stays shut after the last step: twice what the table
// stream, and a queue of ours, remember.
const GateFor = 48 * time.Hour

// gateLeast is how long the gate must last yet while a purge goes on.
const gateLeast = 24 * time.Hour

// Progress is how far a purge is.
type Progress struct {
	Purge   model.Purge
	Done    bool
	Receipt Receipt    // where Done
	Resume  model.Time // where not: nothing is to be done before
}

// Errors of a Purger.
var (
	// ErrNoPurge says that nobody asked for a purge of the subject.
	ErrNoPurge = errors.New("no purge of this subject was asked for")
	// ErrUnderWay says that a purge has begun and cannot be called off any more.
	ErrUnderWay = errors.New("the purge has begun: it cannot be called off")
	// errOther says that somebody else brought the purge on.
	errOther = errors.New("somebody else brought the purge on")
)

// Ask remembers that a subject is to be purged, by whom it was asked, and that this
// begins after a grace. Where a purge of it was asked for before, that one stands and
// is answered.
func (p *Purger) Ask(ctx context.Context, subject model.Subject, by string, grace time.Duration) (model.Purge, error) {
	now := p.Now()
	id, err := ulid.New(uint64(max(now, 0)), p.random())
	if err != nil {
		return model.Purge{}, fmt.Errorf("name the purge: %w", err)
	}
	asked := model.Purge{
		ID: id.String(), Subject: subject, By: by, Step: model.PurgeAsked,
		Asked: now, Due: now.Add(grace), Since: now,
	}
	if err := keys.Purge(subject).Check(); err != nil || subject.ID == "" || subject.Type == "" {
		return model.Purge{}, fmt.Errorf("purge %s: it names no subject: %w", subject, err)
	}
	if err := p.save(ctx, &asked, Condition{{Op: Free}}); !errors.Is(err, errOther) {
		return asked, p.failed(subject, err)
	}
	before, err := p.Asked(ctx, subject)
	if err == nil && before == nil {
		return p.Ask(ctx, subject, by, grace) // it ended just now
	}
	if err != nil {
		return model.Purge{}, err
	}
	return *before, nil
}

// Asked reads the purge of a subject that is under way; nil where there is none.
func (p *Purger) Asked(ctx context.Context, subject model.Subject) (*model.Purge, error) {
	asked, err := read(ctx, p.Store, keys.Purge(subject), item.Purge)
	return asked, p.failed(subject, err)
}

// CallOff forgets a purge that has not begun. Its error is ErrNoPurge or ErrUnderWay.
func (p *Purger) CallOff(ctx context.Context, subject model.Subject) error {
	asked, err := p.Asked(ctx, subject)
	switch {
	case err != nil:
		return err
	case asked == nil:
		return p.failed(subject, ErrNoPurge)
	case asked.Step != model.PurgeAsked:
		return p.failed(subject, ErrUnderWay)
	}
	// The gate is shut before the purge says so.
	shut := Term{Op: IsNot, Attr: keys.AttrPurgeID, Value: item.Value{Type: item.S, S: asked.ID}}
	err = p.commitOurs(ctx, []Action{
		{Key: keys.Purge(subject), When: Condition{asRead(asked)}, Delete: true},
		{Key: keys.Gate(subject), When: Condition{shut}},
	})
	if errors.Is(err, errOther) {
		err = ErrUnderWay
	}
	return p.failed(subject, err)
}

// Open reads one page of the purges that are not done, those that wait for their grace
// included. next is after of the next page; the zero Place is the start and the end.
// One that cannot be read hides no other: the error names it beside what is answered.
func (p *Purger) Open(ctx context.Context, after Place) (open []model.Purge, next Place, err error) {
	page, err := p.Store.List(ctx, Listing{Partition: keys.JobPurge, After: after})
	if err != nil {
		return nil, Place{}, fmt.Errorf("list purges: %w", err)
	}
	for _, it := range page.Items {
		one, failure := item.Purge(it)
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("list purges: %w", failure))
			continue
		}
		open = append(open, one)
	}
	return open, page.Next, err
}

// At reads how far a purge is, and does nothing for it. The error is ErrNoPurge where
// none was asked for, or the gate of the last one has been lifted.
func (p *Purger) At(ctx context.Context, subject model.Subject) (Progress, error) {
	asked, err := p.Asked(ctx, subject)
	if err != nil {
		return Progress{}, err
	}
	if asked == nil {
		return p.ended(ctx, subject)
	}
	return Progress{Purge: *asked, Resume: max(asked.Since.Add(steps[asked.Step].waits(p.Timing)), asked.Due)}, nil
}

// Run brings a purge to its end, waiting where it must.
func (p *Purger) Run(ctx context.Context, subject model.Subject) (Receipt, error) {
	for {
		at, err := p.Advance(ctx, subject)
		if err != nil || at.Done {
			return at.Receipt, err
		}
		if err := p.waiter().Rest(ctx, at.Resume.Sub(p.Now())); err != nil {
			return Receipt{}, p.failed(subject, err)
		}
	}
}

// Advance does what can be done now, and answers when there is more to do. It may be
// interrupted anywhere and called again.
func (p *Purger) Advance(ctx context.Context, subject model.Subject) (Progress, error) {
	for {
		asked, err := p.Asked(ctx, subject)
		if err != nil {
			return Progress{}, err
		}
		if asked == nil {
			return p.ended(ctx, subject)
		}
		at, err := p.step(ctx, asked)
		switch {
		case errors.Is(err, errOther):
		case err != nil:
			return Progress{Purge: *asked, Resume: p.Now()}, p.failed(subject, err)
		case at.Done || at.Resume > p.Now():
			return at, nil
		}
	}
}

// ended is the progress of a purge that nobody remembers as under way: its receipt
// stands in the gate, as long as there is one.
func (p *Purger) ended(ctx context.Context, subject model.Subject) (Progress, error) {
	gate, err := read(ctx, p.Store, keys.Gate(subject), item.Gate)
	if err != nil {
		return Progress{}, p.failed(subject, err)
	}
	if gate == nil || gate.Receipt == "" {
		return Progress{}, p.failed(subject, ErrNoPurge)
	}
	receipt, err := parseReceipt(gate.Receipt)
	return Progress{Purge: model.Purge{ID: receipt.Purge, Subject: subject, Step: model.PurgeDone}, Done: true, Receipt: receipt}, p.failed(subject, err)
}

func (p *Purger) failed(subject model.Subject, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("purge %s: %w", subject, err)
}

func (p *Purger) random() io.Reader {
	if p.Rand == nil {
		return rand.Reader
	}
	return p.Rand
}

func (p *Purger) waiter() waiter {
	return waiter{retry.Waiter{Patience: p.Patience, Rand: p.random(), Sleep: p.Sleep}}
}
