package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// WriteFault is the fault of one write.
type WriteFault int

// The faults of a write: whether it is stored, and which result it returns.
const (
	NoFault      WriteFault = iota // stored, returns the result
	Throttle                       // not stored, returns Throttled
	Conflict                       // not stored, returns Conflicted
	LoseRequest                    // not stored, returns Unknown
	LoseResponse                   // stored, returns Unknown
	Delay                          // returns Unknown, stored when CompleteDelayed is called
)

var faultNames = [...]string{"no fault", "throttle", "conflict", "lose request", "lose response", "delay"}

func (f WriteFault) String() string { return faultNames[f] }

// WriteFaults returns all faults of a write, for fault tables.
func WriteFaults() []WriteFault {
	return []WriteFault{Throttle, Conflict, LoseRequest, LoseResponse, Delay}
}

// Call is one request, as a policy sees it.
type Call struct {
	Method string // name of the method
	N      int    // number of the write or read, from 0; both are numbered separately
}

// ErrRead is the error of a read that a policy lets fail. It is transient.
var ErrRead = fmt.Errorf("the read failed: %w", model.ErrUndecided)

// FaultyStore adds faults to the Store it embeds: each write has the fault that Writes returns, and each read
// fails for which Reads returns true. A nil policy adds none. Policies are called one at a time. FaultyStore
// is safe for concurrent use; then the order of calls decides which of them a random policy lets fail.
type FaultyStore struct {
	Store
	Writes func(Call) WriteFault
	Reads  func(Call) bool

	mu            sync.Mutex
	writes, reads int      // guarded by mu
	delayed       []func() // delayed writes, in order; guarded by mu
}

var _ Store = (*FaultyStore)(nil)

// FailOnce is the policy of a fault table: only the n-th write has the fault.
func FailOnce(n int, f WriteFault) func(Call) WriteFault {
	return func(c Call) WriteFault {
		if c.N == n {
			return f
		}
		return NoFault
	}
}

// FailRandomly is the policy of a simulation: each write fails with a probability, with one of
// the given faults; with any fault if none is given.
func FailRandomly(r *rand.Rand, probability float64, faults ...WriteFault) func(Call) WriteFault {
	if len(faults) == 0 {
		faults = WriteFaults()
	}
	return func(Call) WriteFault {
		if r.Float64() >= probability {
			return NoFault
		}
		return faults[r.IntN(len(faults))]
	}
}

// WriteCount returns how many writes were requested so far, with and without fault.
func (f *FaultyStore) WriteCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

// CompleteDelayed carries out the delayed writes, oldest first. Each checks its condition on
// the present state of the table. It returns how many there were.
func (f *FaultyStore) CompleteDelayed() int {
	f.mu.Lock()
	delayed := f.delayed
	f.delayed = nil
	f.mu.Unlock()
	for _, write := range delayed {
		write()
	}
	return len(delayed)
}

// Append sends a transaction, unless the policy returns a fault.
func (f *FaultyStore) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	return writeWithFault(ctx, f, "Append", appendResult,
		func(ctx context.Context) (storage.StoreResult, error) { return f.Store.Append(ctx, tx) })
}

// Put stores an event, unless the policy returns a fault.
func (f *FaultyStore) Put(ctx context.Context, event model.Event) (storage.StoreResult, error) {
	return writeWithFault(ctx, f, "Put", appendResult, func(ctx context.Context) (storage.StoreResult, error) {
		return f.Store.Put(ctx, event)
	})
}

// PutRow writes a row, unless the policy returns a fault.
func (f *FaultyStore) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	copied := *row // a delayed write stores the row as it was
	return writeWithFault(ctx, f, "PutRow", writeResult, func(ctx context.Context) (storage.WriteResult, error) {
		return f.Store.PutRow(ctx, &copied, prev)
	})
}

// Quarantine stores q, unless the policy returns a fault.
func (f *FaultyStore) Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error) {
	return writeWithFault(ctx, f, "Quarantine", writeResult,
		func(ctx context.Context) (storage.WriteResult, error) { return f.Store.Quarantine(ctx, q) })
}

// PutAll stores items, unless the policy returns a fault.
func (f *FaultyStore) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	return writeWithFault(ctx, f, "PutAll", writeResult, func(ctx context.Context) (storage.WriteResult, error) {
		return f.Store.PutAll(ctx, puts)
	})
}

// Commit sends a transaction, unless the policy returns a fault.
func (f *FaultyStore) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	return writeWithFault(ctx, f, "Commit", commitResult,
		func(ctx context.Context) (itemop.TransactResult, error) { return f.Store.Commit(ctx, tx) })
}

// DeleteEvent deletes an event, unless the policy returns a fault.
func (f *FaultyStore) DeleteEvent(ctx context.Context, event model.EventKey,
	now model.Time) (storage.WriteResult, error) {
	return writeWithFault(ctx, f, "DeleteEvent", writeResult,
		func(ctx context.Context) (storage.WriteResult, error) { return f.Store.DeleteEvent(ctx, event, now) })
}

// CorrectEvent replaces an event, unless the policy returns a fault.
func (f *FaultyStore) CorrectEvent(ctx context.Context, event model.Event,
	now model.Time) (storage.WriteResult, error) {
	return writeWithFault(ctx, f, "CorrectEvent", writeResult,
		func(ctx context.Context) (storage.WriteResult, error) { return f.Store.CorrectEvent(ctx, event, now) })
}

// Update changes an item, unless the policy returns a fault.
func (f *FaultyStore) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	update := func(ctx context.Context) (storage.WriteResult, error) { return f.Store.Update(ctx, a) }
	return writeWithFault(ctx, f, "Update", writeResult, update)
}

// erased is what Erase returns.
type erased struct {
	left   []keys.Key
	result storage.WriteResult
}

// Erase removes items, unless the policy returns a fault. A batch is not a transaction: a
// throttled one removes half of the items and returns the other keys.
func (f *FaultyStore) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	failed := func(a storage.WriteResult) erased { return erased{these, a} }
	got, err := writeWithFault(ctx, f, "Erase", failed, func(ctx context.Context) (erased, error) {
		left, result, err := f.Store.Erase(ctx, these)
		return erased{left, result}, err
	})
	if half := len(these) / 2; got.result == storage.Throttled && half > 0 {
		left, result, err := f.Store.Erase(ctx, these[:half])
		return append(left, these[half:]...), result, err
	}
	return got.left, got.result, err
}

// Latest reads, unless the policy lets it fail.
func (f *FaultyStore) Latest(ctx context.Context, series model.Series,
	consistent bool) (*model.Latest, error) {
	return readWithFault(f, "Latest", func() (*model.Latest, error) {
		return f.Store.Latest(ctx, series, consistent)
	})
}

// Row reads, unless the policy lets it fail.
func (f *FaultyStore) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	return readWithFault(f, "Row", func() (*rollup.Row, error) { return f.Store.Row(ctx, key) })
}

// Events reads, unless the policy lets it fail.
func (f *FaultyStore) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	return readWithFault(f, "Events", func() (storage.EventPage, error) { return f.Store.Events(ctx, r) })
}

// Rows reads, unless the policy lets it fail.
func (f *FaultyStore) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	return readWithFault(f, "Rows", func() (rollup.RowPage, error) { return f.Store.Rows(ctx, unit, r) })
}

// QueryIndex reads, unless the policy lets it fail.
func (f *FaultyStore) QueryIndex(ctx context.Context,
	r storage.EventIndexQuery) (storage.EventIndexPage, error) {
	return readWithFault(f, "QueryIndex", func() (storage.EventIndexPage, error) {
		return f.Store.QueryIndex(ctx, r)
	})
}

// LatestBy reads, unless the policy lets it fail.
func (f *FaultyStore) LatestBy(ctx context.Context, r storage.LatestIndexQuery) (storage.LatestPage, error) {
	return readWithFault(f, "LatestBy", func() (storage.LatestPage, error) { return f.Store.LatestBy(ctx, r) })
}

// Profile reads, unless the policy lets it fail.
func (f *FaultyStore) Profile(ctx context.Context, subject model.Subject,
	consistent bool) (*model.Profile, error) {
	return readWithFault(f, "Profile", func() (*model.Profile, error) {
		return f.Store.Profile(ctx, subject, consistent)
	})
}

// List reads, unless the policy lets it fail.
func (f *FaultyStore) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	return readWithFault(f, "List", func() (itemop.ListPage, error) { return f.Store.List(ctx, l) })
}

// GetItem reads, unless the policy lets it fail.
func (f *FaultyStore) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	return readWithFault(f, "GetItem", func() (item.Item, error) { return f.Store.GetItem(ctx, k) })
}

// writeWithFault carries out a write with the fault that the policy returns. withResult makes
// the method's return value of a bare result.
func writeWithFault[R any](ctx context.Context, f *FaultyStore, method string,
	withResult func(storage.WriteResult) R, write func(context.Context) (R, error)) (R, error) {
	if ctx.Err() != nil {
		return write(ctx) // returns that nothing was sent
	}
	// A delayed write happens after its sender has given up; its result is lost.
	delayed := func() { _, _ = write(context.WithoutCancel(ctx)) }
	switch f.nextFault(method, delayed) {
	case Throttle:
		return withResult(storage.Throttled), nil
	case Conflict:
		return withResult(storage.Conflicted), nil
	case LoseRequest, Delay:
		return withResult(storage.Unknown), nil
	case LoseResponse:
		_, err := write(ctx) // a permanent error is returned as usual
		return withResult(storage.Unknown), err
	default:
		return write(ctx)
	}
}

func appendResult(a storage.WriteResult) storage.StoreResult { return storage.StoreResult{Result: a} }
func commitResult(a storage.WriteResult) itemop.TransactResult {
	return itemop.TransactResult{Result: a}
}
func writeResult(a storage.WriteResult) storage.WriteResult { return a }

// nextFault calls the policy for the next write, and keeps the write if it is delayed.
func (f *FaultyStore) nextFault(method string, write func()) WriteFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	call := Call{Method: method, N: f.writes}
	f.writes++
	if f.Writes == nil {
		return NoFault
	}
	fault := f.Writes(call)
	if fault == Delay {
		f.delayed = append(f.delayed, write)
	}
	return fault
}
