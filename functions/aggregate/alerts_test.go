package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// bus is an event bus that fails until open is set.
type bus struct {
	open      bool
	published []storage.Notification
}

func (b *bus) Publish(_ context.Context, notifications []storage.Notification) ([]bool, error) {
	if !b.open {
		return nil, errors.New("the bus is down")
	}
	accepted := make([]bool, len(notifications))
	for i, n := range notifications {
		accepted[i], b.published = true, append(b.published, n)
	}
	return accepted, nil
}

// alerting returns a fixture with a rule that every reading of the samples violates.
func alerting(t *testing.T, b *bus) (*fixture, *alert.Service) {
	t.Helper()
	return alertingOn(t, newFixture(t), b)
}

func alertingOn(t *testing.T, f *fixture, b *bus) (*fixture, *alert.Service) {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	now := mustTime("2026-04-20T00:00:00Z")
	service := &alert.Service{Store: f.table, Catalog: kinds, Now: func() model.Time { return now },
		Rand: rand.Reader, Publisher: b}
	low := model.MustDecimal("-100")
	if _, invalid, err := service.AddRule(t.Context(),
		storage.Rule{Name: "warm", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
			Measure: "temperature", Bounds: storage.Above, High: &low, Severity: storage.Info}); err != nil || invalid != nil {
		t.Fatal(invalid, err)
	}
	f.alerts = service
	return f, service
}

// put stores a reading and its latest item, as an append does, and returns the change.
func (f *fixture) put(t *testing.T, at model.Time) storage.Change {
	t.Helper()
	return f.newPut(t, "sensor_01", at)
}

func (f *fixture) newPut(t *testing.T, id string, at model.Time) storage.Change {
	t.Helper()
	e := model.Event{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Kind: "READING"},
		Order: model.Order{At: at},
		Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(21))}}, ArrivedAt: at}
	latest := model.Latest{Series: e.Series, Ordered: true, Order: e.Order, Attrs: e.Attrs}
	for _, it := range []item.Item{item.FromEvent(&e), item.FromLatest(&latest)} {
		if err := f.table.PutItem(t.Context(), it); err != nil {
			t.Fatal(err)
		}
	}
	return storage.Change{Type: storage.Inserted, Key: e.Key(), After: &e, Seq: "1"}
}

func TestEvaluateAlerts_AFailedDeliveryDoesNotFailTheBatchAndIsRetriedByTheSchedule(t *testing.T) {
	b := &bus{}
	f, service := alerting(t, b)
	change := f.put(t, mustTime("2026-04-20T14:00:00Z"))
	failed := map[string]error{}
	counts := f.evaluateAlerts(t.Context(), []storage.Change{change}, failed)
	if len(failed) != 0 || len(b.published) != 0 {
		t.Fatalf("failed changes %v, published %v; want neither", failed, b.published)
	}
	if text := f.logs.String(); !strings.Contains(text, "alert raised") ||
		!strings.Contains(text, "the bus is down") {
		t.Errorf("the log lacks the alert or the error: %s", text)
	}
	for _, measured := range []string{"temperature", "above", "-100"} {
		if strings.Contains(f.logs.String(), measured) {
			t.Errorf("the log contains the measured %q: %s", measured, f.logs.String())
		}
	}
	if len(counts) == 0 {
		t.Error("no metrics")
	}
	later := service.Now().Add(time.Hour)
	service.Now = func() model.Time { return later }
	if _, err := f.Invoke(t.Context(), sample(t, "scheduled")); err != nil ||
		!strings.Contains(f.out.String(), "OldestAlertWaiting") {
		t.Errorf("%v; the metrics lack the age of the oldest notification: %s", err, f.out.String())
	}
	b.open = true
	out, err := f.Invoke(t.Context(), sample(t, "scheduled"))
	var result alert.DeliveryResult
	if err != nil || json.Unmarshal(out, &result) != nil || result.Delivered != 1 || len(b.published) != 1 {
		t.Errorf("the scheduled event returned %s, %v, and published %v; want one delivery", out, err, b.published)
	}
}

// slowBus records the deadline of a delivery.
type slowBus struct {
	idleAlerts
	deadline time.Time
}

func (b *slowBus) Deliver(ctx context.Context, _ []storage.Notification) (int, error) {
	b.deadline, _ = ctx.Deadline()
	return 0, nil
}

// A slow event bus must not use up the time of a batch.
func TestEvaluateAlerts_WaitsForTheBusForFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, bus := newFixture(t), &slowBus{}
		f.alerts = bus
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f.evaluateAlerts(ctx, nil, map[string]error{})
		if got := time.Until(bus.deadline); got != 5*time.Second {
			t.Errorf("a delivery may take %s, want 5s", got)
		}
	})
}

// failingEvaluator cannot evaluate the last change.
type failingEvaluator struct{ evaluator }

func (failingEvaluator) Evaluate(_ context.Context, changes []storage.Change) alert.Report {
	return alert.Report{Failures: []alert.Failure{{Change: len(changes) - 1,
		Err: errors.New("table unreachable")}}}
}

func (failingEvaluator) Deliver(context.Context, []storage.Notification) (int, error) { return 0, nil }

func TestEvaluateGroups_NamesTheGroupsThatWereNotEvaluated(t *testing.T) {
	f := newFixture(t)
	f.alerts = failingEvaluator{}
	bucket := func(site string) storage.Change {
		s := model.Series{Subject: model.Subject{Type: "BY_SITE", ID: site}, Kind: "READING_BY_SITE"}
		return storage.Change{Type: storage.Corrected, Key: model.EventKey{Series: s}}
	}
	buckets := []storage.Change{bucket("berlin"), bucket("paris")}
	failed := f.evaluateGroups(t.Context(), buckets)
	if len(failed) != 1 || failed[buckets[1].Key.Series] == nil {
		t.Errorf("failed %v, want the second group", failed)
	}
}

func TestInvoke_AFailedAlertEvaluationFailsTheRecord(t *testing.T) {
	f := newFixture(t)
	f.alerts = failingEvaluator{}
	payload := sample(t, "mixed-batch")
	if seqs := f.invoke(t, payload); len(seqs) != 1 {
		t.Errorf("failed records %v, want the last", seqs)
	}
}
