package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Purger removes everything that is stored for a subject. A purge has these steps:
//
//  1. Set the purge lock of the subject: no new series is created, no profile changes.
//  2. Wait until every request that checked for the lock before has ended.
//  3. Lock every latest item: no append to its series is stored.
//  4. Wait until every append that read a latest item before has ended.
//  5. Remove events, then rollups, smallest buckets first, then everything else.
//  6. Wait until every aggregation that read an event before has ended.
//  7. Remove what these aggregations wrote, and everything else that arrived late.
//
// The purge lock expires when no copy is left that a queue or a command can bring back: see Timing.Lock.
// A purge adds no request to appends: only the creation of a series reads the purge lock,
// and the lock of a series is part of the latest item, which an append writes anyway.
//
// A purge can be interrupted at any point and continues where it was. Two Purgers may purge the same subject
// concurrently. Only Store is required: the zero value of each other field is its default. Set the fields
// before the first call; the methods are safe for concurrent use.
type Purger struct {
	Store interface {
		Store
		Eraser
	}
	Now  func() model.Time // nil means the wall clock
	Rand io.Reader         // for tokens and jitter; nil means crypto/rand
	// Sleep waits, or returns the context's error; nil means the wall clock.
	Sleep       func(context.Context, time.Duration) error
	RetryPolicy retry.Policy
	Timing      Timing // a time of zero means the default configuration's
	Rate        int    // removed items a second; zero means no limit
	Copies      []Copy // where copies remain after the purge, for the receipt
	// OnProgress is called after each page; nil means no calls.
	OnProgress func(storage.Purge)

	shards int // set by tests; zero means catalog.MaxShards
}

// Timing is how long a purge waits for requests that began before one of its locks.
type Timing struct {
	// Append is the longest time from the read of a lock to the write of an append. It
	// covers the timeout of the functions that append and their cache of purge locks.
	Append time.Duration
	// Aggregate is the longest time from the read of an event to the write of a rollup.
	Aggregate time.Duration
	// Lock is how long the purge lock lasts after the last step: longer than every copy that a queue or a
	// command can bring back, and than every bucket that is open is open.
	Lock time.Duration
}

// Errors of a Purger.
var (
	// ErrNoPurge is returned if no purge of the subject was requested.
	ErrNoPurge = errors.New("no purge of this subject was requested")
	// ErrPurgeStarted is returned by Cancel if the purge has started.
	ErrPurgeStarted = errors.New("the purge has started and cannot be canceled")
	// errGroup is returned for a group: its rows are computed from its members.
	errGroup = errors.New("a group cannot be purged: purge its members, or correct their events")
	// errConcurrent is returned if the state of the purge changed since it was read.
	errConcurrent = errors.New("the purge was changed by another process")
)

// Request stores the request to purge a subject, who made it, and that the purge starts after the grace
// period. If a purge of the subject is active already, Request changes nothing and returns that purge.
func (p *Purger) Request(ctx context.Context, subject model.Subject, by string,
	grace time.Duration) (storage.Purge, error) {
	if reserved.Group(subject.Type) {
		return storage.Purge{}, fmt.Errorf("purge %s: %w", subject, errGroup)
	}
	now := p.now()
	id, err := ids.Event(now, "", p.random())
	if err != nil {
		return storage.Purge{}, fmt.Errorf("purge %s: %w", subject, err)
	}
	requested := storage.Purge{
		ID: id, Subject: subject, By: by, Step: storage.PurgeRequested,
		RequestedAt: now, DueAt: now.Add(grace), StepSince: now,
	}
	if err := tablekeys.Purge(subject).Check(); err != nil || subject.ID == "" || subject.Type == "" {
		return storage.Purge{},
			fmt.Errorf("purge %s: the subject has no type or no id, or is too long for a key: %w", subject, err)
	}
	if err := p.save(ctx, &requested, itemop.Precondition{{Op: itemop.ItemAbsent}}); !errors.Is(err,
		errConcurrent) {
		return requested, p.wrapError(subject, err)
	}
	active, err := p.Active(ctx, subject)
	if err == nil && active == nil {
		return p.Request(ctx, subject, by, grace) // it has ended in the meantime
	}
	if err != nil {
		return storage.Purge{}, err
	}
	return *active, nil
}

// Active returns the purge of a subject that is requested and not done, or nil if there is none.
func (p *Purger) Active(ctx context.Context, subject model.Subject) (*storage.Purge, error) {
	active, err := read(ctx, p.Store, tablekeys.Purge(subject), item.Purge)
	return active, p.wrapError(subject, err)
}

// Cancel removes the request of a purge that has not started. The error wraps ErrNoPurge or ErrPurgeStarted.
func (p *Purger) Cancel(ctx context.Context, subject model.Subject) error {
	active, err := p.Active(ctx, subject)
	switch {
	case err != nil:
		return err
	case active == nil:
		return p.wrapError(subject, ErrNoPurge)
	case active.Step != storage.PurgeRequested:
		return p.wrapError(subject, ErrPurgeStarted)
	}
	// The lock is set before the state of the purge says so: check it too.
	notLocked := itemop.Requirement{Op: itemop.AttrDiffers, Attr: tablekeys.AttrPurgeID,
		Value: item.Value{Type: item.S, S: active.ID}}
	err = p.commitIfUnchanged(ctx, []itemop.Action{
		{Key: tablekeys.Purge(subject), Precondition: itemop.Precondition{unchangedPurge(active)}, Delete: true},
		{Key: tablekeys.PurgeLock(subject), Precondition: itemop.Precondition{notLocked}},
	})
	if errors.Is(err, errConcurrent) {
		err = ErrPurgeStarted
	}
	return p.wrapError(subject, err)
}

// ListActive reads one page of the purges that are not done, including those that have not started. Pass next
// as after for the next page; the zero Position is the start and the end. If a purge cannot be decoded,
// ListActive returns the others of the page, and an error that names it.
func (p *Purger) ListActive(ctx context.Context,
	after itemop.Position) (active []storage.Purge, next itemop.Position, err error) {
	page, err := p.Store.List(ctx, itemop.ListRequest{Partition: tablekeys.JobPurge, After: after})
	if err != nil {
		return nil, itemop.Position{}, fmt.Errorf("list purges: %w", err)
	}
	for _, it := range page.Items {
		one, failure := item.Purge(it)
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("list purges: %w", failure))
			continue
		}
		active = append(active, one)
	}
	return active, page.Next, err
}

func (p *Purger) wrapError(subject model.Subject, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("purge %s: %w", subject, err)
}

func (p *Purger) random() io.Reader { return randomSource(p.Rand) }

// shardsToSearch is the number of shards that any kind can have or have had. A purge looks
// into all of them, so that it does not depend on the kinds that are configured today.
func (p *Purger) shardsToSearch() int { return cmp.Or(p.shards, catalog.MaxShards) }

func (p *Purger) now() model.Time { return currentTime(p.Now) }

func (p *Purger) retrier() retrier {
	return retrier{retry.Retrier{Policy: p.RetryPolicy, Rand: p.random(), Sleep: p.Sleep}}
}

// slack covers a request that arrives after its invocation has ended, and the difference
// between the clocks of invocations.
const slack = 30 * time.Second

// NewTiming returns the timing for the timeouts with which the functions are deployed. A program that appends
// by itself must finish each append within the timeout of the ingest function.
func NewTiming(c *config.Config) Timing {
	return Timing{
		Append:    c.Functions.Ingest.Timeout + slack,
		Aggregate: c.Functions.Aggregate.Timeout + slack,
		Lock:      lockDuration(c),
	}
}

// timing returns Timing with all defaults.
func (p *Purger) timing() Timing {
	defaults := NewTiming(config.Default())
	return Timing{
		Append:    cmp.Or(p.Timing.Append, defaults.Append),
		Aggregate: cmp.Or(p.Timing.Aggregate, defaults.Aggregate),
		Lock:      cmp.Or(p.Timing.Lock, defaults.Lock),
	}
}
