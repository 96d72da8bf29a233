package envelope

import (
	"reflect"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

var until = time.Date(2026, 4, 20, 14, 1, 0, 0, time.UTC)

func TestHandover_IsReadFromItsEvent(t *testing.T) {
	sent := Handover{Hop: 3, Until: until, Shards: []storage.QueueShard{{Number: 2}, {Generation: 1, Number: 7},
		storage.GroupShard}}
	got, ok := ParseHandover(sent.Payload())
	if !ok || !reflect.DeepEqual(got, sent) || !IsScheduled(sent.Payload()) {
		t.Errorf("%s is %+v, %t; want %+v", sent.Payload(), got, ok, sent)
	}
}

// The whole of a sweep is for scheduled events only: a damaged handover is of no queue shard.
func TestHandover_ThatIsDamagedNamesNothing(t *testing.T) {
	for payload, handover := range map[string]bool{
		`{"detail-type":"Scheduled Event"}`: false, `no JSON`: false,
		Part{Sweep: 1, Sweeps: 2}.Payload():            false,
		`{"detail-type":"x","handover":7}`:             true,
		`{"detail-type":"x","handover":{"hop":"one"}}`: true,
		`{"detail-type":"x","handover":{}}`:            true,
	} {
		got, ok := ParseHandover([]byte(payload))
		if ok != handover || len(got.Shards) > 0 || got.Open(until.Add(-time.Second)) {
			t.Errorf("%s: %+v, %t; want an empty handover: %t", payload, got, ok, handover)
		}
	}
}

func TestHandover_EndsAtTheNextScheduleAndAfterItsHops(t *testing.T) {
	message, hops := Handover{Until: until}, 0
	for ok := true; hops < 100; hops++ {
		if message, ok = message.Next(nil); !ok {
			break
		}
		if before, at := message.Open(until.Add(-1)), message.Open(until); !before || at {
			t.Errorf("hop %d is open before its end: %t, at its end: %t", message.Hop, before, at)
		}
	}
	if hops != MaxHops || message.Open(until.Add(-1)) {
		t.Errorf("%d hops, want %d and none open after them", hops, MaxHops)
	}
	if chain := 1 + hops; chain >= 16 {
		t.Errorf("a chain of %d invocations, which Lambda ends", chain)
	}
}
