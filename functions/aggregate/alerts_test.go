package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// bus refuses what it is told until it is opened.
type bus struct {
	open bool
	told []model.Notice
}

func (b *bus) Publish(_ context.Context, notices []model.Notice) ([]bool, error) {
	if !b.open {
		return nil, errors.New("the bus is shut")
	}
	taken := make([]bool, len(notices))
	for i, n := range notices {
		taken[i], b.told = true, append(b.told, n)
	}
	return taken, nil
}

// alerting is a stage with a rule that every reading of the samples violates.
func alerting(t *testing.T, b *bus) (*stage, *alert.Service) {
	t.Helper()
	s := newStage(t)
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	now := mustTime("2026-04-20T00:00:00Z")
	service := &alert.Service{Store: s.table, Catalog: kinds, Now: func() model.Time { return now }, Rand: rand.Reader, Publisher: b}
	low := model.MustDecimal("-100")
	if _, wrong, err := service.AddRule(t.Context(), model.Rule{Name: "warm", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Measure: "temperature", Bounds: model.Above, High: &low, Severity: model.Info}); err != nil || wrong != nil {
		t.Fatal(wrong, err)
	}
	s.alerts = service
	return s, service
}

// put stores a reading and its current as append does, and tells of it.
func (s *stage) put(t *testing.T, at model.Time) model.Change {
	t.Helper()
	e := model.Event{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}, Order: model.Order{At: at},
		Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(21))}}, ArrivedAt: at}
	current := model.Current{Series: e.Series, Ordered: true, Order: e.Order, Attrs: e.Attrs}
	for _, it := range []item.Item{item.FromEvent(&e), item.FromCurrent(&current)} {
		if err := s.table.PutItem(t.Context(), it); err != nil {
			t.Fatal(err)
		}
	}
	return model.Change{What: model.Inserted, Key: e.Key(), After: &e, Seq: "1"}
}

func TestLook_AShutBusHoldsNothingUpAndTheScheduleTells(t *testing.T) {
	b := &bus{}
	s, service := alerting(t, b)
	change := s.put(t, mustTime("2026-04-20T14:00:00Z"))
	unsettled := map[string]error{}
	counts := s.look(t.Context(), []model.Change{change}, unsettled)
	if len(unsettled) != 0 || len(b.told) != 0 {
		t.Fatalf("unsettled %v, told %v", unsettled, b.told)
	}
	if text := s.logs.String(); !strings.Contains(text, "alert raised") || !strings.Contains(text, "the bus is shut") {
		t.Errorf("the log says %s", text)
	}
	for _, measured := range []string{"temperature", "above", "-100"} {
		if strings.Contains(s.logs.String(), measured) {
			t.Errorf("the log holds %q, of what was measured: %s", measured, s.logs.String())
		}
	}
	if len(counts) == 0 {
		t.Error("nothing was counted")
	}
	b.open = true
	later := service.Now().Add(time.Hour)
	service.Now = func() model.Time { return later }
	out, err := s.Invoke(t.Context(), sample(t, "scheduled"))
	var waiting alert.Waiting
	if err != nil || json.Unmarshal(out, &waiting) != nil || waiting.Delivered != 1 || len(b.told) != 1 {
		t.Errorf("the schedule's call answers %s, %v; told %v", out, err, b.told)
	}
	if !strings.Contains(s.out.String(), "OldestAlertWaiting") {
		t.Errorf("metrics are %s", s.out.String())
	}
}

// failing is a watcher that cannot look.
type failing struct{ watcher }

func (failing) Look(_ context.Context, changes []model.Change) alert.Report {
	return alert.Report{Failures: []alert.Failure{{Change: len(changes) - 1, Err: errors.New("the table is away")}}}
}

func (failing) Deliver(context.Context, []model.Notice) (int, error) { return 0, nil }

func TestInvoke_WhatAlertsCouldNotLookAtComesAgain(t *testing.T) {
	s := newStage(t)
	s.alerts = failing{}
	payload := sample(t, "mixed-batch")
	if seqs := s.invoke(t, payload); len(seqs) != 1 {
		t.Errorf("the answer names %v, want the last record", seqs)
	}
}
