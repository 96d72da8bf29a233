package memory_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var (
	noon   = model.TimeOf(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))
	series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "s1"}, Kind: "READING"}
)

// clock is a time that tests move.
type clock struct{ now model.Time }

func (c *clock) Now() model.Time { return c.now }

// reading is an event so long after noon that expires a day after its time.
func reading(after time.Duration) model.Event {
	at := noon.Add(after)
	return model.Event{Series: series, Order: model.Order{At: at}, ArrivedAt: at, ExpiresAt: at.Add(24 * time.Hour).Seconds()}
}

func open() (*memory.Table, *clock) {
	c := &clock{now: noon + 789}
	return memory.New(c.Now), c
}

func put(t *testing.T, table *memory.Table, events ...model.Event) {
	t.Helper()
	for _, e := range events {
		if reply, err := table.Put(t.Context(), e); err != nil || reply.Answer != model.Written {
			t.Fatalf("put answers %v, %v; want written", reply.Answer, err)
		}
	}
}

func TestRecords_EachChangeLeavesOneWithBothImages(t *testing.T) {
	table, _ := open()
	e := reading(0)
	put(t, table, e)
	corrected := e
	corrected.Attrs = model.Attrs{{Name: "n", Value: model.NumberValue(model.DecimalOf(1))}}
	if answer, err := table.CorrectEvent(t.Context(), corrected, noon); err != nil || answer != model.Written {
		t.Fatalf("correct answers %v, %v; want written", answer, err)
	}
	if answer, err := table.DeleteEvent(t.Context(), e.Key(), noon); err != nil || answer != model.Written {
		t.Fatalf("delete answers %v, %v; want written", answer, err)
	}
	records := table.Records(0)
	if len(records) != 3 {
		t.Fatalf("%d records, want 3", len(records))
	}
	ids := map[string]bool{}
	for i, want := range []struct {
		name     string
		old, new bool
	}{{memory.Insert, false, true}, {memory.Modify, true, true}, {memory.Remove, true, false}} {
		r := records[i]
		ids[r.EventID] = true
		if r.Name != want.name || (r.Old != nil) != want.old || (r.New != nil) != want.new || r.Seq != uint64(i+1) {
			t.Errorf("record %d is %+v, want %+v", i, r, want)
		}
		if r.Keys != keys.Event(e.Key()) || r.At != noon || r.Service {
			t.Errorf("record %d is of %v at %v, service %v; want the event, whole seconds, somebody", i, r.Keys, r.At, r.Service)
		}
	}
	if len(ids) != 3 {
		t.Errorf("event ids are not unique: %v", ids)
	}
	if before, err := item.Event(records[1].Old); err != nil || len(before.Attrs) != 0 {
		t.Errorf("old image of the correction is %+v, %v; want the event as it was", before, err)
	}
	if rest := table.Records(2); len(rest) != 1 || rest[0].Seq != 3 || len(table.Records(3)) != 0 {
		t.Errorf("records beyond 2 are %v, want the third alone", rest)
	}
}

func TestRecords_WhatChangesNothingLeavesNone(t *testing.T) {
	table, _ := open()
	e := reading(0)
	put(t, table, e)
	if answer, err := table.CorrectEvent(t.Context(), e, noon); err != nil || answer != model.Written {
		t.Fatalf("correct answers %v, %v; want written", answer, err)
	}
	_, _ = table.Put(t.Context(), e)
	_ = table.DeleteItem(t.Context(), keys.Metadata(series.Subject))
	_, _ = table.Append(t.Context(), ingest.Transaction{Puts: []model.Event{reading(time.Hour), e}})
	if records := table.Records(0); len(records) != 1 {
		t.Errorf("%d records, want the first put's alone", len(records))
	}
}

func TestRecords_ATransactionsFollowOneAnother(t *testing.T) {
	table, _ := open()
	e := reading(0)
	w := &ingest.CurrentWrite{Series: series, Create: true, First: e.Order, Last: e.Order, Now: noon}
	if reply, err := table.Append(t.Context(), ingest.Transaction{Current: w, Puts: []model.Event{e, reading(time.Minute)}}); err != nil || reply.Answer != model.Written {
		t.Fatalf("append answers %v, %v; want written", reply.Answer, err)
	}
	var got []string
	for _, r := range table.Records(0) {
		got = append(got, r.Keys.SK)
	}
	want := []string{keys.Current(series).SK, keys.Event(e.Key()).SK, keys.Event(model.EventKey{Series: series, Order: model.Order{At: noon.Add(time.Minute)}}).SK}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("records are of %q, want %q", got, want)
	}
}

func TestExpire_RemovesWhatIsDueAsTheServiceDoes(t *testing.T) {
	table, clock := open()
	due, notYet, never := reading(0), reading(time.Second), reading(time.Hour)
	never.ExpiresAt = 0
	ancient := reading(2 * time.Hour)
	ancient.ExpiresAt = 17 // no time of this decade: the service takes it for something else
	put(t, table, due, notYet, never, ancient)
	clock.now = noon.Add(24 * time.Hour)
	if gone := table.Expire(clock.now); gone != 1 {
		t.Errorf("%d items expired, want 1", gone)
	}
	records := table.Records(4)
	if len(records) != 1 || !records[0].Service || records[0].Name != memory.Remove || records[0].Keys != keys.Event(due.Key()) {
		t.Errorf("records are %+v, want the removal of the due one by the service", records)
	}
	page, err := table.Events(t.Context(), model.Range{Series: series, From: noon, To: noon.Add(3 * time.Hour)})
	if err != nil || len(page.Events) != 3 {
		t.Errorf("%d events are left, %v; want 3", len(page.Events), err)
	}
}

func TestExpireWhere_TakesOnlyWhatIsPicked(t *testing.T) {
	table, _ := open()
	put(t, table, reading(0), reading(time.Second), reading(2*time.Second))
	later := noon.Add(48 * time.Hour)
	second := keys.Event(model.EventKey{Series: series, Order: model.Order{At: noon + 1000}})
	if gone := table.ExpireWhere(later, func(k keys.Key) bool { return k == second }); gone != 1 {
		t.Errorf("%d items expired, want 1", gone)
	}
	if gone := table.Expire(later); gone != 2 {
		t.Errorf("%d more items expired, want 2", gone)
	}
}

func TestAppend_ATokenIsForgottenAfterTenMinutes(t *testing.T) {
	table, clock := open()
	tx := ingest.Transaction{Token: "t", Puts: []model.Event{reading(0)}}
	for _, step := range []struct {
		after time.Duration
		want  model.Answer
	}{{0, model.Written}, {10*time.Minute - time.Millisecond, model.Written}, {10 * time.Minute, model.Refused}} {
		clock.now = noon.Add(step.after)
		if reply, err := table.Append(t.Context(), tx); err != nil || reply.Answer != step.want {
			t.Errorf("after %v: answer %v, %v; want %v", step.after, reply.Answer, err, step.want)
		}
	}
}

func TestTable_SharesNothingWithItsCallers(t *testing.T) {
	table, _ := open()
	events := []model.Event{reading(0)}
	events[0].Hash[0] = 1
	if reply, err := table.Append(t.Context(), ingest.Transaction{Puts: events}); err != nil || reply.Answer != model.Written {
		t.Fatalf("append answers %v, %v; want written", reply.Answer, err)
	}
	events[0].Hash[0] = 2
	k := keys.Event(events[0].Key())
	got, err := table.GetItem(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if got[keys.AttrHash].B[0] != 1 {
		t.Error("what the caller did to its event afterwards is stored")
	}
	got[keys.AttrHash].B[0] = 3
	again, _ := table.GetItem(t.Context(), k)
	if again[keys.AttrHash].B[0] != 1 {
		t.Error("what the caller did to an item it was given is stored")
	}
}
