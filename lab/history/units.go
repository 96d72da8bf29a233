package history

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// late is a deployment that processes the changes of each request at once, and counts its units
// and how often it writes each rollup.
type late struct {
	checker
	table     *cost.Metered
	aggregate *aggregate.Aggregator
	seen      uint64
	writes    map[keys.Key]int
	mu        sync.Mutex
}

func newLate(t checker, kind catalog.Kind) (*late, string) {
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	l := &late{checker: t, table: &cost.Metered{Table: memory.New(clock)}, writes: map[keys.Key]int{}}
	random := rand.NewChaCha8([32]byte{1})
	service := &ingest.Service{Store: l.table, Limits: config.Default().Limits, Now: clock, Rand: random,
		Parallel: 1}
	l.aggregate = &aggregate.Aggregator{Store: l.table, QuarantineStore: l.table, Catalog: kinds, Now: clock,
		Rand: random, Limits: aggregate.Limits{Concurrency: 1}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		respond(w, service, &kinds.Kinds[0], body)
		l.process()
	}))
	t.Cleanup(server.Close)
	return l, server.URL
}

// process passes what the table stream has to the aggregator.
func (l *late) process() {
	if report := l.aggregate.Process(context.Background(), l.read()); len(report.Failures) > 0 {
		l.Errorf("rollups: %v", report.Failures[0].Err)
	}
	l.read()
}

// read returns the changes of events in the table stream, and counts its writes of rollups.
func (l *late) read() (changes []storage.Change) {
	for _, record := range l.table.Records(l.seen) {
		l.seen = record.Seq
		if key, err := keys.ParseEvent(record.Keys); err == nil {
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: key, At: record.At})
		} else if _, err := keys.ParseRow(record.Keys); err == nil {
			l.writes[record.Keys]++
		}
	}
	return changes
}

// writeMixed writes rows of devices that report once a minute, in the order of time.
func writeMixed(t checker, rows, devices int) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("deviceId,timestamp,temperature,humidity,pressure\n")
	begin := now.Add(-24 * 20 * time.Hour)
	for i := range rows {
		fmt.Fprintf(&b, "sensor_%04d,%s,%d.%d,%d,%d\n", i%devices, begin.Add(time.Duration(i/devices)*time.Minute),
			i%40, i%10, i%100, 900+i%200)
	}
	name := filepath.Join(t.TempDir(), "mixed.csv")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// checkLateRows imports n rows of history. In the order of time, of many devices, history is imported for
// little more than what its rows cost live in batches of a gateway: a lane sends what it has of a series
// together.
func checkLateRows(t checker, n int) {
	const devices = 200
	for _, latest := range []catalog.LatestPolicy{catalog.TransactionLatest, catalog.DerivedLatest} {
		kind := iot.Readings
		kind.Latest = latest
		live, err := cost.Measure(kind, cost.Load{Every: time.Minute, Batch: 60})
		if err != nil {
			t.Fatal(err)
		}
		l, url := newLate(t, kind)
		if out, err := load(t.Context(), url, filepath.Join(t.TempDir(), "j"),
			writeMixed(t, n, devices)); err != nil {
			t.Fatal(out, err)
		}
		units, most := float64(l.table.WriteUnits())/float64(n), map[string]int{}
		for key, writes := range l.writes {
			row, err := keys.ParseRow(key)
			if err != nil {
				t.Fatal(err)
			}
			most[row.Tier] = max(most[row.Tier], writes)
		}
		t.Logf("latest: %s: %d rows: %.3f write units each, %.3f live in batches of 60: %.2f times; "+
			"a row is written at most %v times",
			latest, n, units, live.Write, units/live.Write, most)
		if units > 1.3*live.Write {
			t.Errorf("latest: %s: a row costs %.3f write units, and %.3f live in batches: want at most 1.3 times",
				latest, units, live.Write)
		}
		// A lane sends a quarter of the window at a time: ten rows or more of each device.
		if limit := 2 + n/devices/10; most["hour"] > limit || most["month"] > limit {
			t.Errorf("latest: %s: a rollup is written %v times, want at most %d", latest, most, limit)
		}
	}
}
