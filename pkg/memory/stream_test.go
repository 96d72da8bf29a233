package memory_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var (
	noon   = model.NewTime(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))
	series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "s1"}, Kind: "READING"}
)

// clock is a time that tests advance.
type clock struct{ now model.Time }

func (c *clock) Now() model.Time { return c.now }

// reading returns an event at a time after noon that expires a day after its time.
func reading(after time.Duration) model.Event {
	at := noon.Add(after)
	return model.Event{Series: series, Order: model.Order{At: at}, ArrivedAt: at,
		ExpiresAt: at.Add(24 * time.Hour).Seconds()}
}

func open() (*memory.Table, *clock) {
	c := &clock{now: noon + 789}
	return memory.New(c.Now), c
}

func put(t *testing.T, table *memory.Table, events ...model.Event) {
	t.Helper()
	for _, e := range events {
		if stored, err := table.Put(t.Context(), e); err != nil || stored.Result != storage.Written {
			t.Fatalf("put returns %v, %v; want written", stored.Result, err)
		}
	}
}

func TestRecords_EachChangeWritesOneRecordWithBothImages(t *testing.T) {
	table, _ := open()
	e := reading(0)
	put(t, table, e)
	corrected := e
	corrected.Attrs = model.Attrs{{Name: "n", Value: model.NumberValue(model.NewDecimal(1))}}
	if result, err := table.CorrectEvent(t.Context(), corrected, noon); err != nil || result != storage.Written {
		t.Fatalf("correct returns %v, %v; want written", result, err)
	}
	if result, err := table.DeleteEvent(t.Context(), e.Key(), noon); err != nil || result != storage.Written {
		t.Fatalf("delete returns %v, %v; want written", result, err)
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
			t.Errorf("record %d is of %v at %v, service %v; want the event, whole seconds, not the service", i, r.Keys,
				r.At, r.Service)
		}
	}
	if len(ids) != 3 {
		t.Errorf("event ids are not unique: %v", ids)
	}
	if before, err := item.Event(records[1].Old); err != nil || len(before.Attrs) != 0 {
		t.Errorf("old image of the correction is %+v, %v; want the event as it was", before, err)
	}
	if rest := table.Records(2); len(rest) != 1 || rest[0].Seq != 3 || len(table.Records(3)) != 0 {
		t.Errorf("records after 2 are %v, want only the third", rest)
	}
}

func TestRecords_AnUnchangedItemWritesNoRecord(t *testing.T) {
	table, _ := open()
	e := reading(0)
	put(t, table, e)
	if result, err := table.CorrectEvent(t.Context(), e, noon); err != nil || result != storage.Written {
		t.Fatalf("correct returns %v, %v; want written", result, err)
	}
	_, _ = table.Put(t.Context(), e)
	_ = table.DeleteItem(t.Context(), keys.Metadata(series.Subject))
	_, _ = table.Append(t.Context(), storage.AppendTransaction{Puts: []model.Event{reading(time.Hour), e}})
	if records := table.Records(0); len(records) != 1 {
		t.Errorf("%d records, want only the first put's", len(records))
	}
}

func TestRecords_OfATransactionAreConsecutive(t *testing.T) {
	table, _ := open()
	e := reading(0)
	w := &storage.LatestWrite{Series: series, Create: true, First: e.Order, Last: e.Order, Now: noon}
	if stored, err := table.Append(t.Context(), storage.AppendTransaction{Latest: w,
		Puts: []model.Event{e, reading(time.Minute)}}); err != nil || stored.Result != storage.Written {
		t.Fatalf("append returns %v, %v; want written", stored.Result, err)
	}
	var got []string
	for _, r := range table.Records(0) {
		got = append(got, r.Keys.SK)
	}
	want := []string{keys.Latest(series).SK, keys.Event(e.Key()).SK,
		keys.Event(model.EventKey{Series: series, Order: model.Order{At: noon.Add(time.Minute)}}).SK}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("records are of %q, want %q", got, want)
	}
}

func TestExpire_RemovesExpiredItemsAsTheServiceDoes(t *testing.T) {
	table, clock := open()
	expired := reading(0)
	notYet := reading(time.Second)
	never := reading(time.Hour)
	never.ExpiresAt = 0
	ancient := reading(2 * time.Hour)
	ancient.ExpiresAt = 17 // too old: TTL ignores it
	put(t, table, expired, notYet, never, ancient)
	clock.now = noon.Add(24 * time.Hour)
	if n := table.Expire(clock.now); n != 1 {
		t.Errorf("%d items expired, want 1", n)
	}
	records := table.Records(4)
	if len(records) != 1 || !records[0].Service || records[0].Name != memory.Remove ||
		records[0].Keys != keys.Event(expired.Key()) {
		t.Errorf("records are %+v, want the removal of the expired event by the service", records)
	}
	page, err := table.Events(t.Context(),
		storage.Range{Series: series, From: noon, To: noon.Add(3 * time.Hour)})
	if err != nil || len(page.Events) != 3 {
		t.Errorf("%d events are left, %v; want 3", len(page.Events), err)
	}
}

func TestTrim_RemovesRecordsUpToASeq(t *testing.T) {
	table, _ := open()
	put(t, table, reading(0), reading(time.Second), reading(2*time.Second))
	all := table.Records(0)
	for _, through := range []uint64{all[0].Seq, all[1].Seq, 0, all[1].Seq} {
		table.Trim(through)
	}
	if left := table.Records(0); len(left) != 1 || left[0].Seq != all[2].Seq {
		t.Errorf("records are %+v, want the third alone", left)
	}
	table.Trim(all[2].Seq + 100)
	put(t, table, reading(3*time.Second))
	if left := table.Records(0); len(left) != 1 || left[0].Seq != all[2].Seq+1 {
		t.Errorf("records are %+v, want the one that was written after the trim, with the next Seq", left)
	}
}

func TestExpireWhere_RemovesOnlySelectedItems(t *testing.T) {
	table, _ := open()
	put(t, table, reading(0), reading(time.Second), reading(2*time.Second))
	later := noon.Add(48 * time.Hour)
	second := keys.Event(model.EventKey{Series: series, Order: model.Order{At: noon + 1000}})
	if n := table.ExpireWhere(later, func(k keys.Key) bool { return k == second }); n != 1 {
		t.Errorf("%d items expired, want 1", n)
	}
	if n := table.Expire(later); n != 2 {
		t.Errorf("%d more items expired, want 2", n)
	}
}

func TestAppend_ATokenExpiresAfterTenMinutes(t *testing.T) {
	table, clock := open()
	tx := storage.AppendTransaction{Token: "t", Puts: []model.Event{reading(0)}}
	for _, step := range []struct {
		after time.Duration
		want  storage.WriteResult
	}{{0, storage.Written}, {10*time.Minute - time.Millisecond, storage.Written},
		{10 * time.Minute, storage.ConditionFailed}} {
		clock.now = noon.Add(step.after)
		if stored, err := table.Append(t.Context(), tx); err != nil || stored.Result != step.want {
			t.Errorf("after %v: result %v, %v; want %v", step.after, stored.Result, err, step.want)
		}
	}
}

func TestTable_SharesNoMemoryWithItsCallers(t *testing.T) {
	table, _ := open()
	events := []model.Event{reading(0)}
	events[0].Hash[0] = 1
	if stored, err := table.Append(t.Context(), storage.AppendTransaction{Puts: events}); err != nil ||
		stored.Result != storage.Written {
		t.Fatalf("append returns %v, %v; want written", stored.Result, err)
	}
	events[0].Hash[0] = 2
	k := keys.Event(events[0].Key())
	got, err := table.GetItem(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if got[tablekeys.AttrHash].B[0] != 1 {
		t.Error("a later change of the caller's event is stored")
	}
	got[tablekeys.AttrHash].B[0] = 3
	again, _ := table.GetItem(t.Context(), k)
	if again[tablekeys.AttrHash].B[0] != 1 {
		t.Error("a change of a returned item is stored")
	}
}
