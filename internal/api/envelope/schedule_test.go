package envelope

import "testing"

func TestPart_IsReadFromItsScheduledEvent(t *testing.T) {
	for want, payload := range map[Part]string{
		{Sweep: 2, Sweeps: 4}: Part{Sweep: 2, Sweeps: 4}.Payload(),
		{Sweep: 0, Sweeps: 2}: Part{Sweep: 0, Sweeps: 2}.Payload(),
	} {
		if got := ParsePart([]byte(payload)); got != want || !IsScheduled([]byte(payload)) {
			t.Errorf("%s is %+v, want %+v", payload, got, want)
		}
	}
}

// What names no part, or one that does not exist, is the whole: a queue shard that is not swept
// would hold back every row.
func TestPart_OtherwiseIsTheWhole(t *testing.T) {
	for _, payload := range []string{
		`{"detail-type":"Scheduled Event"}`, `{}`, `no JSON`,
		`{"detail-type":"x","sweep":4,"sweeps":4}`, `{"detail-type":"x","sweep":-1,"sweeps":4}`, `{"detail-type":"x","sweep":"1","sweeps":4}`,
	} {
		if got := ParsePart([]byte(payload)); got != (Part{Sweeps: 1}) {
			t.Errorf("%s is %+v, want the whole", payload, got)
		}
	}
}
