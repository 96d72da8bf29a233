package stack

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
)

// The deployed functions on a table that fails as DynamoDB does: each reading is stored once, and the rows
// have them all.
func TestStack_RowsAreRightOnATableWithEveryFault(t *testing.T) {
	var faults protocol.Faults
	for _, f := range []string{
		"throttled=0.05", "read-fails=0.05", "write-lost=0.05", "write-unconfirmed=0.05", "slow-request=0.01",
		"shard-splits=0.02", "partition-units=50", "stale-reads=1s", "delayed-delivery=1s",
	} {
		if err := faults.Set(f); err != nil {
			t.Fatal(err)
		}
	}
	s := startStack(t, func(o *Options) {
		o.DynamoDB.Endpoint = ""
		o.TableFaults = faults
	})
	const devices, readings, most = 3, 20, 20
	for d := range devices {
		for n := range readings {
			at := fmt.Sprintf("2026-11-01T14:%02d:00Z", n)
			body := fmt.Sprintf(`{"deviceId":"d%d","timestamp":%q,"temperature":%d}`, d, at, n)
			for try := 1; ; try++ {
				resp, text := send(t, "POST", s.URL+"/v1/readings", "application/json", []byte(body))
				if resp.StatusCode == http.StatusOK {
					break
				}
				if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests || try == most {
					t.Fatalf("%s of d%d, attempt %d: %s %s", at, d, try, resp.Status, strings.TrimSpace(text))
				}
			}
		}
	}
	began := time.Now()
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < faults.RecordsAfter/2 {
		t.Errorf("idle after %s, before the records of the last changes can be read", took)
	}
	for d := range devices {
		var got hours
		get(t, fmt.Sprintf("%s/v1/devices/d%d/readings/rollups/hour", s.URL, d), &got)
		if len(got.Rollups) != 1 || !got.Rollups[0].Exact ||
			got.Rollups[0].Measures["temperature"].Count != readings ||
			got.Rollups[0].Measures["temperature"].Sum.String() != fmt.Sprint(readings*(readings-1)/2) {
			t.Errorf("d%d: %+v, want %d readings", d, got, readings)
		}
	}
}
