package envelope

import (
	"encoding/json"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// MaxHops is how many invocations may follow a scheduled one, each invoked by the one before. Lambda ends a
// chain of 16.
const MaxHops = 8

// Handover is the event by which one sweep leaves queue shards to a further invocation of aggregate.
type Handover struct {
	Shards []storage.QueueShard `json:"shards"`
	Hop    int                  `json:"hop"` // 1 for the invocations that a scheduled one invokes
	// Until is when the next scheduled event takes over, by the clock of the first sender.
	Until time.Time `json:"until"`
}

// handoverEvent is the form of the event.
type handoverEvent struct {
	DetailType string    `json:"detail-type"`
	Handover   *Handover `json:"handover"`
}

// Payload returns the event.
func (h Handover) Payload() []byte {
	payload, _ := json.Marshal(handoverEvent{DetailType: "Sweep Handover", Handover: &h}) // plain data
	return payload
}

// ParseHandover returns the handover in a scheduled event; ok is false for an event without one. A handover
// that cannot be read is the zero value, of no queue shard.
func ParseHandover(payload []byte) (h Handover, ok bool) {
	var event struct {
		Handover json.RawMessage `json:"handover"`
	}
	if json.Unmarshal(payload, &event) != nil || event.Handover == nil {
		return Handover{}, false
	}
	if json.Unmarshal(event.Handover, &h) != nil {
		return Handover{}, true
	}
	return h, true
}

// Open reports whether the handover is still to be worked off at a time: its chain is not too long, and the
// next scheduled event has not taken over.
func (h Handover) Open(now time.Time) bool {
	return h.Hop > 0 && h.Hop <= MaxHops && now.Before(h.Until)
}

// Next returns the event for a further invocation, with some of the queue shards; ok is false at the end of
// the chain.
func (h Handover) Next(shards []storage.QueueShard) (next Handover, ok bool) {
	return Handover{Shards: shards, Hop: h.Hop + 1, Until: h.Until}, h.Hop < MaxHops
}
