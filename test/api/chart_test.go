package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// A chart of a year reads some hundred daily rollups, however many events there are.
func TestAPI_AYearsChartReadsAtMost400Items(t *testing.T) {
	s := start(t)
	now := machine.Now().UTC()
	from := now.AddDate(-1, 0, 0).Truncate(24 * time.Hour)
	var lines strings.Builder
	for at := from; at.Before(now); at = at.Add(24 * time.Hour) {
		fmt.Fprintf(&lines, `{"deviceId":"logger","timestamp":%d,"temperature":%d}`+"\n", at.Unix(), at.YearDay())
	}
	if a := s.send(t, "POST", "/v1/readings", []byte(lines.String()), "Content-Type",
		"application/x-ndjson"); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.waitUntilIdle(t)
	a := s.send(t, "GET", "/v1/devices/logger/readings/rollups?from="+from.Format(time.RFC3339), nil)
	var chart struct {
		Reason  string
		Rollups []struct{ Tier string }
	}
	if err := json.Unmarshal(a.body, &chart); err != nil || a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	items, err := strconv.Atoi(a.header.Get("Tidemark-Items"))
	// Read once in a while: the low watermark of each queue shard, the stream progress and the heartbeat.
	progress := items - len(chart.Rollups)
	if err != nil || items < 365 || items > 400 || progress < 0 || progress > storage.FirstGeneration.Shards+2 {
		t.Errorf("%s items read for %d points, %v; want one for each day and the progress, at most 400",
			a.header.Get("Tidemark-Items"), len(chart.Rollups), err)
	}
	units, err := strconv.ParseFloat(a.header.Get("Tidemark-Read-Units"), 64)
	if err != nil || units <= 0 || units > 100 {
		t.Errorf("cost %q read units, %v; want at most 100", a.header.Get("Tidemark-Read-Units"), err)
	}
	if !strings.HasPrefix(chart.Reason, "daily: ") || chart.Rollups[0].Tier != "day" {
		t.Errorf("reason %q", chart.Reason)
	}
	t.Logf("%d items, %g read units: %s", items, units, chart.Reason)
}
