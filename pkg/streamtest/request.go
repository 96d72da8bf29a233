package streamtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Request names what is asked of a table, for the story and for faults that hold on
// to keys.
type Request struct {
	Verb string       // what is done: puts row
	Of   fmt.Stringer // to what; nil where the verb says all
	Keys []string     // the partition keys it names, one for each item of a transaction
}

func (r Request) String() string {
	if r.Of == nil {
		return r.Verb
	}
	return r.Verb + " " + r.Of.String()
}

// Read is a read: time passes, other actors take their turns, and then do reads the
// table, unless a fault comes between. A request made with a context from outside
// the simulation is carried out at once.
func (s *Sim) Read(ctx context.Context, r Request, do func() error) error {
	a := actorOf(ctx)
	if a == nil {
		return do()
	}
	dice, err := a.begin(r)
	if err != nil {
		return err
	}
	if a.throttled(dice, r) || a.strikes(dice, ReadFails) {
		a.tellFault(a.name, ReadFails, "%v", r)
		return ErrUnanswered
	}
	if err := do(); err != nil {
		return err
	}
	return a.survives(dice, r)
}

// Write is a write: time passes, other actors take their turns, and then do writes to
// the table and says what became of it, unless a fault comes between. do may be
// called later than Write returns, after an answer of Uncertain. It is given no
// context: a write that is on its way lands whatever becomes of its sender.
func (s *Sim) Write(ctx context.Context, r Request, do func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	a := actorOf(ctx)
	if a == nil {
		return do()
	}
	dice, err := a.begin(r)
	if err != nil {
		return storage.Unknown, err
	}
	if answer, struck := a.writeFault(dice, r, do); struck {
		return answer, nil
	}
	answer, err := do()
	if err != nil {
		return answer, err
	}
	if err := a.survives(dice, r); err != nil {
		return storage.Unknown, err
	}
	return answer, nil
}

// DiceOf are the dice of the next request of the actor whose context it is, so that
// a table can choose the size of a page.
func (s *Sim) DiceOf(ctx context.Context) Dice {
	if a := actorOf(ctx); a != nil {
		return a.dice.Of("request", a.requests)
	}
	return Dice{tape: newTape(0, map[uint64]bool{})}
}

// Who is the name of the actor whose context it is.
func (s *Sim) Who(ctx context.Context) string {
	if a := actorOf(ctx); a != nil {
		return a.name
	}
	return ""
}

// How long requests take.
const (
	swift    = 100 * time.Millisecond // at least
	usual    = 3 * time.Second        // at most, ordinarily
	sluggish = 200 * time.Second      // at most, where slow
	lateMost = 5 * time.Minute        // after which a write lands that nobody waits for
	hotMost  = time.Minute            // for which a throttle holds
)

// begin lets the time of a request pass. An error means that a is no more.
func (a *actor) begin(r Request) (Dice, error) {
	if err := a.err(); err != nil {
		return Dice{}, err
	}
	dice := a.dice.Of("request", a.requests)
	a.requests++
	wait := swift + dice.Span("takes", usual)
	if a.strikes(dice, Slow) {
		wait += dice.Span("slowly", sluggish)
	}
	a.park(wait)
	if err := a.err(); err != nil {
		return Dice{}, err
	}
	if a.strikes(dice, CrashBefore) {
		return Dice{}, a.crash(CrashBefore, "before it %v", r)
	}
	if a.strikes(dice, DeadlineMidway) {
		a.tellFault(a.name, DeadlineMidway, "before it %v", r)
		a.end(context.DeadlineExceeded)
		return Dice{}, a.ctx.Err()
	}
	return dice, nil
}

// survives asks whether a dies right after what it did.
func (a *actor) survives(dice Dice, r Request) error {
	if a.strikes(dice, CrashAfter) {
		return a.crash(CrashAfter, "after it %v", r)
	}
	return nil
}

func (a *actor) writeFault(dice Dice, r Request, do func() (storage.WriteResult, error)) (_ storage.WriteResult, struck bool) {
	switch {
	case a.throttled(dice, r):
		return storage.Throttled, true
	case a.strikes(dice, TransactionConflict):
		a.tellFault(a.name, TransactionConflict, "on %d of %d items: %v", 1+dice.Pick("conflicts", max(1, len(r.Keys))), max(1, len(r.Keys)), r)
		return storage.Conflicted, true
	case a.strikes(dice, WriteLost):
		a.tellFault(a.name, WriteLost, "%v", r)
		return storage.Unknown, true
	case a.strikes(dice, AnswerLost):
		_, _ = do()
		a.tellFault(a.name, AnswerLost, "%v", r)
		return storage.Unknown, true
	case a.strikes(dice, LandsLate):
		a.landLate(dice, r, do)
		return storage.Unknown, true
	}
	return 0, false
}

// landLate carries a write out when its sender has long gone on.
func (a *actor) landLate(dice Dice, r Request, do func() (storage.WriteResult, error)) {
	a.tellFault(a.name, LandsLate, "%v", r)
	s, name := a.Sim, a.name
	s.landing++
	s.After(time.Second+dice.Span("lands", lateMost), func() {
		s.landing--
		answer, err := do()
		if err != nil {
			answer = storage.ConditionFailed
		}
		s.Tell(name, "its late write lands, and is %v: %v", answer, r)
	})
}

// throttling is what is hot at the moment.
type throttling struct {
	account model.Time // until then every request is refused
	keys    model.Time // until then those of one part of the keys are
	part    uint32     // which part
}

const hotParts = 2

func (a *actor) throttled(dice Dice, r Request) bool {
	if a.spared {
		return false
	}
	h := &a.hot
	switch {
	case a.strikes(dice, HotAccount):
		h.account = a.now.Add(time.Second + dice.Span("hot", hotMost))
		a.tellFault("", HotAccount, "until %v", h.account)
	case a.strikes(dice, HotKeyRange):
		h.keys, h.part = a.now.Add(time.Second+dice.Span("hot", hotMost)), partOf(r.Keys)
		a.tellFault("", HotKeyRange, "until %v", h.keys)
	case a.strikes(dice, Throttled):
		a.tellFault(a.name, Throttled, "%v", r)
		return true
	}
	return a.now < h.account || a.now < h.keys && partOf(r.Keys) == h.part
}

func partOf(keys []string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.Join(keys[:min(1, len(keys))], "")))
	return h.Sum32() % hotParts
}
