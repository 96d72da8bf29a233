package storetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Fault is what goes wrong with one write.
type Fault int

// The faults of a write: stored or not, and what is said of it.
const (
	Fine       Fault = iota // carried out and answered
	Throttle                // not stored, answered Throttled
	Conflict                // not stored, answered Conflicting
	Lose                    // not stored, answered Uncertain
	LoseAnswer              // stored, answered Uncertain
	LandLate                // answered Uncertain now, carried out when Land is called
)

var faultNames = [...]string{"fine", "throttle", "conflict", "lose", "lose answer", "land late"}

func (f Fault) String() string { return faultNames[f] }

// Faults are all that can go wrong with a write, for fault tables.
func Faults() []Fault { return []Fault{Throttle, Conflict, Lose, LoseAnswer, LandLate} }

// Call is one request, as a policy sees it.
type Call struct {
	Method string // Append, Put, PutRow, Quarantine, Commit, Erase; Current, Row, Events, Rows, ByValue, Currents, Profile, List, GetItem
	N      int    // writes and reads are numbered apart, from 0 in the order they came
}

// ErrRead is what a read is answered that a policy lets fail. It may pass.
var ErrRead = errors.New("the read was not answered")

// Faulty lays faults over a store: each write fails as Writes says, each read for
// which Reads says so. A nil policy lets all be fine. Policies are called one at a
// time; Faulty may be used concurrently, and what is random in a policy then depends
// on the order in which the calls come.
type Faulty struct {
	Store
	Writes func(Call) Fault
	Reads  func(Call) bool

	mu            sync.Mutex
	writes, reads int      // guarded by mu
	late          []func() // writes that have not landed yet; guarded by mu
}

// Once is the policy of a fault table: the n-th write fails, all others are fine.
func Once(n int, f Fault) func(Call) Fault {
	return func(c Call) Fault {
		if c.N == n {
			return f
		}
		return Fine
	}
}

// Sometimes is the policy of a simulation: each write fails with a probability, in
// any of the ways given (all, where none is).
func Sometimes(r *rand.Rand, probability float64, ways ...Fault) func(Call) Fault {
	if len(ways) == 0 {
		ways = Faults()
	}
	return func(Call) Fault {
		if r.Float64() >= probability {
			return Fine
		}
		return ways[r.IntN(len(ways))]
	}
}

// Attempted is how many writes were asked for so far, whatever became of them.
func (f *Faulty) Attempted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

// Land carries out the writes that are to land late, oldest first, each on its
// condition as the table stands by then, and answers how many there were.
func (f *Faulty) Land() int {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, land := range late {
		land()
	}
	return len(late)
}

// Append sends a transaction, or fails.
func (f *Faulty) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	return faulted(ctx, f, "Append", appended, func(ctx context.Context) (ingest.Reply, error) { return f.Store.Append(ctx, tx) })
}

// Put stores an event, or fails.
func (f *Faulty) Put(ctx context.Context, event model.Event) (ingest.Reply, error) {
	return faulted(ctx, f, "Put", appended, func(ctx context.Context) (ingest.Reply, error) { return f.Store.Put(ctx, event) })
}

// PutRow writes a row, or fails.
func (f *Faulty) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	kept := *row // a late write lands as it was sent
	return faulted(ctx, f, "PutRow", bare, func(ctx context.Context) (model.Answer, error) { return f.Store.PutRow(ctx, &kept, prev) })
}

// Quarantine keeps a thing, or fails.
func (f *Faulty) Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error) {
	return faulted(ctx, f, "Quarantine", bare, func(ctx context.Context) (model.Answer, error) { return f.Store.Quarantine(ctx, q) })
}

// Current reads, or fails.
func (f *Faulty) Current(ctx context.Context, series model.Series, consistent bool) (*model.Current, error) {
	if f.fails("Current") {
		return nil, ErrRead
	}
	return f.Store.Current(ctx, series, consistent)
}

// Row reads, or fails.
func (f *Faulty) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if f.fails("Row") {
		return nil, ErrRead
	}
	return f.Store.Row(ctx, key)
}

// Events reads, or fails.
func (f *Faulty) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	if f.fails("Events") {
		return model.EventPage{}, ErrRead
	}
	return f.Store.Events(ctx, r)
}

// Rows reads, or fails.
func (f *Faulty) Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error) {
	if f.fails("Rows") {
		return rollup.RowPage{}, ErrRead
	}
	return f.Store.Rows(ctx, unit, r)
}

// ByValue reads, or fails.
func (f *Faulty) ByValue(ctx context.Context, r model.ByValue) (model.IndexPage, error) {
	if f.fails("ByValue") {
		return model.IndexPage{}, ErrRead
	}
	return f.Store.ByValue(ctx, r)
}

// Currents reads, or fails.
func (f *Faulty) Currents(ctx context.Context, r model.ByFields) (model.CurrentPage, error) {
	if f.fails("Currents") {
		return model.CurrentPage{}, ErrRead
	}
	return f.Store.Currents(ctx, r)
}

// Profile reads, or fails.
func (f *Faulty) Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error) {
	if f.fails("Profile") {
		return nil, ErrRead
	}
	return f.Store.Profile(ctx, subject, consistent)
}

// faulted carries out a write, or lets it fail as the policy says. answered is what a
// method replies where there is no more to say than an answer.
func faulted[R any](ctx context.Context, f *Faulty, method string, answered func(model.Answer) R, carryOut func(context.Context) (R, error)) (R, error) {
	if ctx.Err() != nil {
		return carryOut(ctx) // not sent, and said so
	}
	// A late write lands when its sender has gone, and nobody hears the answer.
	land := func() { _, _ = carryOut(context.WithoutCancel(ctx)) }
	switch f.fault(method, land) {
	case Throttle:
		return answered(model.Throttled), nil
	case Conflict:
		return answered(model.Conflicting), nil
	case Lose, LandLate:
		return answered(model.Uncertain), nil
	case LoseAnswer:
		_, err := carryOut(ctx) // what no retry can mend is said before anything is stored
		return answered(model.Uncertain), err
	default:
		return carryOut(ctx)
	}
}

func appended(a model.Answer) ingest.Reply     { return ingest.Reply{Answer: a} }
func committed(a model.Answer) lifecycle.Reply { return lifecycle.Reply{Answer: a} }
func bare(a model.Answer) model.Answer         { return a }

// fault asks the policy about the next write, and keeps one that is to land late.
func (f *Faulty) fault(method string, land func()) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	call := Call{Method: method, N: f.writes}
	f.writes++
	if f.Writes == nil {
		return Fine
	}
	fault := f.Writes(call)
	if fault == LandLate {
		f.late = append(f.late, land)
	}
	return fault
}

func (f *Faulty) fails(method string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	call := Call{Method: method, N: f.reads}
	f.reads++
	return f.Reads != nil && f.Reads(call)
}
