package linear

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Limits of one series in a history. Few event times make clients meet.
const (
	Slots    = 12
	Payloads = 48
	Step     = 20 * time.Minute // between the event times of two slots
)

// Forever is the return time of a write without response: it may take effect at any time.
const Forever = math.MaxInt64

// Verb is what an operation does.
type Verb string

// The operations.
const (
	Append     Verb = "append"
	Delete     Verb = "delete"
	Erase      Verb = "erase"   // one slot of a range that is erased
	Correct    Verb = "correct" // replace the event of a slot by another payload
	ReadLatest Verb = "latest"
	ReadEvent  Verb = "event"
)

// Operation is one request of a client and its response. Slots and payloads count from one; zero
// is none.
type Operation struct {
	Client        int
	Series        string // the subject's id
	Verb          Verb
	Slot, Payload uint8
	Where         uint8 // append: on condition that the latest payload is this one
	// Lost is an attempt without response: it takes effect once, at any time after Call, or
	// never.
	Lost bool
	// Unsure is an operation with a response, of whose attempts some had none.
	Unsure       bool
	Call, Return int64
	// OnTime is a write with a queued bucket that returned before the bucket closed, by every clock. It is in
	// each result of a read that begins afterwards, whatever the table stream does.
	OnTime   bool
	unqueued bool // it was sent although its bucket may not be queued

	// The response.
	Outcome    model.Outcome // of an append
	Found      bool          // of a delete or correction
	GotSlot    uint8         // of the latest item
	Got        uint8         // the payload of the latest item or event
	GotUnknown bool          // the response of an append has no latest item
}

// Read is one page of rollups.
type Read struct {
	Client       int
	Series, Tier string
	From, To     model.Time // half-open: bucket starts
	Call, Return int64
	Since        int64 // what was acknowledged before is in the rows, and so is what was on time before Call
	// Live has a bit for each slot whose events are folded when they are read: what was
	// acknowledged before Call is in its rows.
	Live uint16
	Rows []Row
}

// Row is a rollup of a Read.
type Row struct {
	Start model.Time
	Exact bool
	Sum   uint64 // the set of payloads
	// Problem is set if the other figures differ from the set's.
	Problem string
}

// Log is the history of one table and the clock of its operations. It is safe for concurrent use.
type Log struct {
	Kind  *catalog.Kind
	Base  model.Time   // of the first slot
	Clock func() int64 // strictly monotonic; nil counts calls and returns
	// Follows is set if the latest item follows deletions and corrections, some time after them.
	Follows bool

	mu         sync.Mutex
	now        int64              // guarded by mu, as is the rest
	quiet      int64              // every change acknowledged before has been aggregated
	slots      map[string][]uint8 // slot of each payload, by series
	Operations []Operation        // read it after the clients have ended
	Reads      []Read             // the same
}

// At returns the event time of a slot.
func (l *Log) At(slot uint8) model.Time { return l.Base.Add(time.Duration(slot-1) * Step) }

// timeSlot returns the slot of an event time.
func (l *Log) timeSlot(at model.Time) uint8 { return uint8(at.Sub(l.Base)/Step) + 1 }

// Value returns the measure of a payload.
func Value(payload uint8) int64 { return 1 << (payload - 1) }

// tick returns the time of a call or return.
func (l *Log) tick() int64 {
	if l.Clock != nil {
		return l.Clock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now++
	return l.now
}

// Quiet records that every change so far has been aggregated.
func (l *Log) Quiet() {
	now := l.tick()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet = now
}

func (l *Log) since() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiet
}

func (l *Log) add(o Operation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Operations = append(l.Operations, o)
}

func (l *Log) addRead(r Read) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Reads = append(l.Reads, r)
}

// newPayload returns an unused payload for a slot of a series; zero if there is none left.
func (l *Log) newPayload(series string, slot uint8) uint8 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots == nil {
		l.slots = map[string][]uint8{}
	}
	if len(l.slots[series]) == Payloads {
		return 0
	}
	l.slots[series] = append(l.slots[series], slot)
	return uint8(len(l.slots[series]))
}

// sent returns the slots of the payloads of a series so far.
func (l *Log) sent(series string) []uint8 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots[series]
}

// Count returns the number of operations with a response, reads of rollups included.
func (l *Log) Count() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.Operations {
		if !l.Operations[i].Lost {
			n++
		}
	}
	return n + len(l.Reads)
}

// String describes the operation as a client saw it.
func (o Operation) String() string {
	request := fmt.Sprintf("%s %d@%d", o.Verb, o.Payload, o.Slot)
	if o.Where != 0 {
		request += fmt.Sprintf(" if latest is %d", o.Where)
	}
	switch {
	case o.Lost:
		return request + " → no response"
	case o.Verb == Append:
		return request + " → " + string(o.Outcome)
	case o.Verb == Delete:
		return fmt.Sprintf("delete @%d → %t", o.Slot, o.Found)
	case o.Verb == Erase:
		return fmt.Sprintf("erase @%d", o.Slot)
	case o.Verb == Correct:
		return fmt.Sprintf("%s → %t", request, o.Found)
	case o.Verb == ReadEvent:
		return fmt.Sprintf("event @%d → %d", o.Slot, o.Got)
	}
	return fmt.Sprintf("latest → %d@%d", o.Got, o.GotSlot)
}
