package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const samples = "../../events/purge"

var sensor = model.Subject{Type: "DEVICE", ID: "sensor_01"}

func mustTime(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// fixture is the handler on a table in memory.
type fixture struct {
	*testing.T
	*handler
	table     *memory.Table
	clock     *atomic.Int64
	logs, out bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	return newFixtureOn(t, func(m *memory.Table) store { return m })
}

func newFixtureOn(t *testing.T, wrap func(*memory.Table) store) *fixture {
	t.Helper()
	f := &fixture{T: t, clock: &atomic.Int64{}}
	f.clock.Store(int64(mustTime("2026-04-20T14:00:01Z")))
	now := func() model.Time { return model.Time(f.clock.Load()) }
	f.table = memory.New(now)
	h, err := newHandler(config.Default(domains.Kinds()...), wrap(f.table))
	if err != nil {
		t.Fatal(err)
	}
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	h.now = now
	h.profiles.Now = now
	h.purger.Now = now
	h.profiles.Sleep, h.purger.Sleep = noSleep, noSleep
	h.log, h.metrics = telemetry.NewLogger(&f.logs, nil), &telemetry.Emitter{Out: &f.out, Now: now}
	h.units, h.function = func() (float64, float64) { return 0, 0 }, "purge-test"
	f.handler = h
	return f
}

// create stores a profile of sensor.
func (f *fixture) create() {
	f.Helper()
	if _, err := f.profiles.Create(f.Context(), sensor,
		model.Attrs{{Name: "name", Value: model.TextValue("Hall 3, north")}}); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) sample(name string) string {
	f.Helper()
	payload, err := os.ReadFile(filepath.Join(samples, name+".json"))
	if err != nil {
		f.Fatal(err)
	}
	response, err := f.Invoke(f.Context(), payload)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(response)
}

func TestSamples(t *testing.T) {
	const wouldRemove = `{"would":[{"class":"profile","items":1`
	want := map[string]string{
		"scheduled":      `{"open":0,"done":0}`,
		"expiry":         `{"batchItemFailures":[]}`,
		"restored":       `{"batchItemFailures":[]}`,
		"direct":         `"step":"subject-locked"`,
		"direct-dry-run": wouldRemove,
	}
	files, err := os.ReadDir(samples)
	if err != nil || len(files) != len(want) {
		t.Errorf("%d sample files, %d tested samples (%v): want the same number", len(files), len(want), err)
	}
	for name, want := range want {
		f := newFixture(t)
		f.create()
		if got := f.sample(name); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestInvoke_AnUnknownPayloadIsAnError(t *testing.T) {
	f := newFixture(t)
	payloads := []string{"{}", "[]", "nonsense", `{"subject":"gadgets/1"}`,
		`{"version":"2.0","requestContext":{"http":{"method":"PUT"}}}`}
	for _, payload := range payloads {
		if response, err := f.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s: got %s, want an error", payload, response)
		}
	}
	if got := strings.Count(f.out.String(), `"StepFailures":1`); got != len(payloads) {
		t.Errorf("%d of %d failures are counted", got, len(payloads))
	}
}

func TestTiming_ExceedsTheTimeoutsOfIngestAndAggregate(t *testing.T) {
	settings := config.Default(domains.Kinds()...)
	got := lifecycle.NewTiming(settings)
	if got.Append <= settings.Functions.Ingest.Timeout || got.Aggregate <= settings.Functions.Aggregate.Timeout {
		t.Errorf("timing %+v is shorter than the functions' timeouts", got)
	}
}
