package simstream

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Request describes a request to a table, for the trace and for faults of keys.
type Request struct {
	Verb string       // the operation: puts row
	Of   fmt.Stringer // the item; may be nil
	Keys []string     // the partition keys, one for each item of a transaction
}

func (r Request) String() string {
	if r.Of == nil {
		return r.Verb
	}
	return r.Verb + " " + r.Of.String()
}

// Read carries out a read: time passes, other actors run, and do reads the table unless a fault
// occurs. If ctx is not of an actor, do is called at once.
func (s *Sim) Read(ctx context.Context, r Request, do func() error) error {
	a := actorFrom(ctx)
	if a == nil {
		return do()
	}
	dice, err := a.begin(r)
	if err != nil {
		return err
	}
	if a.throttled(dice, r) || a.strikes(dice, ReadFails) {
		a.logFault(a.name, ReadFails, "%v", r)
		return ErrReadFailed
	}
	if err := do(); err != nil {
		return err
	}
	return a.survives(dice, r)
}

// Write carries out a write: time passes, other actors run, and do writes to the table unless a
// fault occurs. After the result Unknown, do may be called after Write has returned. do has
// no context, because a write in transit does not depend on its sender.
func (s *Sim) Write(ctx context.Context, r Request,
	do func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	a := actorFrom(ctx)
	if a == nil {
		return do()
	}
	dice, err := a.begin(r)
	if err != nil {
		return storage.Unknown, err
	}
	if result, struck := a.writeFault(dice, r, do); struck {
		return result, nil
	}
	result, err := do()
	if err != nil {
		return result, err
	}
	if err := a.survives(dice, r); err != nil {
		return storage.Unknown, err
	}
	return result, nil
}

// DiceFrom returns the dice of the next request of the actor of ctx, so that a table can choose
// the size of a page.
func (s *Sim) DiceFrom(ctx context.Context) Dice {
	if a := actorFrom(ctx); a != nil {
		return a.dice.Part("request", a.requests)
	}
	return Dice{tape: newTape(0, map[uint64]bool{})}
}

// Who returns the name of the actor of ctx.
func (s *Sim) Who(ctx context.Context) string {
	if a := actorFrom(ctx); a != nil {
		return a.name
	}
	return ""
}

// Durations of requests and faults.
const (
	minLatency   = 100 * time.Millisecond
	usualLatency = 3 * time.Second   // added at most
	slowLatency  = 200 * time.Second // added at most to a slow request
	lateMost     = 5 * time.Minute   // delay of a delayed write, at most
	hotMost      = time.Minute       // duration of throttling, at most
)

// begin waits for the latency of a request. An error means that a has ended.
func (a *actor) begin(r Request) (Dice, error) {
	if err := a.err(); err != nil {
		return Dice{}, err
	}
	dice := a.dice.Part("request", a.requests)
	a.requests++
	wait := minLatency + dice.Span("takes", usualLatency)
	if a.strikes(dice, Slow) {
		wait += dice.Span("slowly", slowLatency)
	}
	a.park(wait)
	if err := a.err(); err != nil {
		return Dice{}, err
	}
	if a.strikes(dice, CrashBefore) {
		return Dice{}, a.crash(CrashBefore, "before %v", r)
	}
	if a.strikes(dice, DeadlineMidway) {
		a.logFault(a.name, DeadlineMidway, "before %v", r)
		a.end(context.DeadlineExceeded)
		return Dice{}, a.ctx.Err()
	}
	return dice, nil
}

// survives returns an error if a crashes right after its request.
func (a *actor) survives(dice Dice, r Request) error {
	if a.strikes(dice, CrashAfter) {
		return a.crash(CrashAfter, "after %v", r)
	}
	return nil
}

func (a *actor) writeFault(dice Dice, r Request,
	do func() (storage.WriteResult, error)) (_ storage.WriteResult, struck bool) {
	switch {
	case a.throttled(dice, r):
		return storage.Throttled, true
	case a.strikes(dice, TransactionConflict):
		a.logFault(a.name, TransactionConflict, "on %d of %d items: %v",
			1+dice.Pick("conflicts", max(1, len(r.Keys))), max(1, len(r.Keys)), r)
		return storage.Conflicted, true
	case a.strikes(dice, WriteLost):
		a.logFault(a.name, WriteLost, "%v", r)
		return storage.Unknown, true
	case a.strikes(dice, WriteUnconfirmed):
		_, _ = do()
		a.logFault(a.name, WriteUnconfirmed, "%v", r)
		return storage.Unknown, true
	case a.strikes(dice, WriteDelayed):
		a.landLate(dice, r, do)
		return storage.Unknown, true
	}
	return 0, false
}

// landLate carries out a write after its request has returned.
func (a *actor) landLate(dice Dice, r Request, do func() (storage.WriteResult, error)) {
	a.logFault(a.name, WriteDelayed, "%v", r)
	s, name := a.Sim, a.name
	s.landing++
	s.After(time.Second+dice.Span("lands", lateMost), func() {
		s.landing--
		result, err := do()
		if err != nil {
			result = storage.ConditionFailed
		}
		s.Logf(name, "delayed write: %v: %v", result, r)
	})
}

// throttling is the current throttling of the table.
type throttling struct {
	account model.Time // until then all requests are throttled
	keys    model.Time // until then requests for one part of the keys are throttled
	part    uint32     // the part
}

const hotParts = 2

func (a *actor) throttled(dice Dice, r Request) bool {
	if a.protected {
		return false
	}
	h := &a.hot
	switch {
	case a.strikes(dice, HotAccount):
		h.account = a.now.Add(time.Second + dice.Span("hot", hotMost))
		a.logFault("", HotAccount, "until %v", h.account)
	case a.strikes(dice, HotKeyRange):
		h.keys, h.part = a.now.Add(time.Second+dice.Span("hot", hotMost)), hotPart(r.Keys)
		a.logFault("", HotKeyRange, "until %v", h.keys)
	case a.strikes(dice, Throttled):
		a.logFault(a.name, Throttled, "%v", r)
		return true
	}
	return a.now < h.account || a.now < h.keys && hotPart(r.Keys) == h.part
}

func hotPart(keys []string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.Join(keys[:min(1, len(keys))], "")))
	return h.Sum32() % hotParts
}
