package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// serial is what appending one by one means, said as plainly as it can be.
type serial struct {
	current *model.Event
	events  map[model.Order]model.Hash
	drop    bool
}

func (s *serial) append(e model.Event) model.Verdict {
	stored, taken := s.events[e.Order]
	if !taken && s.current != nil && s.current.Order == e.Order {
		stored, taken = s.current.Hash, true
	}
	switch {
	case taken && stored == e.Hash:
		return model.Duplicate
	case taken:
		return model.Collision
	case s.current == nil || s.current.Before(e.Order):
		s.current, s.events[e.Order] = &e, e.Hash
		return model.Applied
	case s.drop:
		return model.Stale
	}
	s.events[e.Order] = e.Hash
	return model.Late
}

func randomDraft(r *rand.Rand, minutes int) ingest.Draft {
	payloads := [][]model.Attr{{num("t", 1)}, {num("t", 2)}, {num("h", 1)}, {num("t", 1), num("h", 2)}}
	return draft(minute(1+r.IntN(minutes)), []string{"", "a", "b"}[r.IntN(3)], payloads[r.IntN(len(payloads))]...)
}

func randomDrafts(r *rand.Rand, n, minutes int) []ingest.Draft {
	var drafts []ingest.Draft
	for range n {
		drafts = append(drafts, randomDraft(r, minutes))
	}
	return drafts
}

func eventOf(kind *catalog.Kind, d ingest.Draft) model.Event {
	d.Attrs = slices.Clone(d.Attrs)
	d.Attrs.Sort()
	return model.Event{Series: series(kind), Order: model.Order{At: d.At, ID: d.ID}, Hash: model.HashOf(d.Attrs)}
}

// history is what happened to a series before the batch under test.
type history struct {
	drafts   []ingest.Draft
	enriched bool
	expired  []model.Order // events that TTL has removed since
}

func randomHistory(r *rand.Rand) history {
	h := history{drafts: randomDrafts(r, r.IntN(4), 5), enriched: r.IntN(3) == 0}
	for _, d := range h.drafts {
		if r.IntN(4) == 0 {
			h.expired = append(h.expired, model.Order{At: d.At, ID: d.ID})
		}
	}
	return h
}

func (h history) play(t *testing.T, table *memory.Table, kind *catalog.Kind) {
	if h.enriched {
		set(t, table, series(kind), "owner", item.Value{Type: item.S, S: "ops"})
	}
	appendEach(t, serviceOn(table, 1), kind, h.drafts...)
	for _, o := range h.expired {
		if err := table.DeleteItem(t.Context(), keys.Event(model.EventKey{Series: series(kind), Order: o})); err != nil {
			t.Fatal(err)
		}
	}
}

func (h history) believe(kind *catalog.Kind) *serial {
	s := &serial{events: map[model.Order]model.Hash{}, drop: kind.Late == catalog.DropLate}
	for _, d := range h.drafts {
		s.append(eventOf(kind, d))
	}
	for _, o := range h.expired {
		delete(s.events, o)
	}
	return s
}

func TestAppend_BatchMeansOneByOne(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name           string
		change         func(*catalog.Kind)
		rounds         int
		batch, minutes int
	}{
		{"late kept", keeping, 1000, 8, 5},
		{"late dropped", dropping, 1000, 8, 5},
		{"more than one transaction, late kept", keeping, 8, 400, 120},
		{"more than one transaction, late dropped", dropping, 8, 400, 120},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind := kindOf(t, c.change)
			for seed := range c.rounds {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				before := randomHistory(r)
				batch := randomDrafts(r, 1+r.IntN(c.batch), c.minutes)
				if !sameAsOneByOne(t, kind, before, batch) {
					t.Fatalf("seed %d: history %+v, batch %+v", seed, before, batch)
				}
			}
		})
	}
}

func sameAsOneByOne(t *testing.T, kind *catalog.Kind, before history, batch []ingest.Draft) bool {
	together, apart := memory.New(clock), memory.New(clock)
	before.play(t, together, kind)
	before.play(t, apart, kind)
	got := appendAll(t, serviceOn(together, 2), kind, batch...)
	single := appendEach(t, serviceOn(apart, 3), kind, batch...)

	model := before.believe(kind)
	for i, d := range batch {
		want := model.append(eventOf(kind, d))
		if got[i].Verdict != want || single[i].Verdict != want {
			t.Errorf("observation %d: in a batch %s, alone %s, want %s", i, got[i].Verdict, single[i].Verdict, want)
		}
	}
	wantSameStored(t, together, apart)
	return !t.Failed()
}

func TestAppend_OutcomesKeepTheOrderOfManySeries(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	var drafts []ingest.Draft
	for i := range 200 {
		d := draft(minute(i/20), "", num("n", int64(i)))
		d.Subject = fmt.Sprint("sensor_", i%20)
		drafts = append(drafts, d)
	}
	for i, o := range appendAll(t, serviceOn(table, 1), kind, drafts...) {
		if o.Key.Series.Subject.ID != drafts[i].Subject || o.Key.At != drafts[i].At || o.Verdict != model.Applied {
			t.Errorf("outcome %d: got %s of %s at %s, want applied of %s at %s", i, o.Verdict, o.Key.Series, o.Key.At, drafts[i].Subject, drafts[i].At)
		}
	}
}

func TestAppend_CurrentIsTheUnionOfTheRecordHighs(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	set(t, table, series(kind), "owner", item.Value{Type: item.S, S: "ops"})
	outcomes := appendAll(t, serviceOn(table, 1), kind,
		draft(minute(3), "", num("a", 3), num("b", 3)),
		draft(minute(1), "", num("c", 1)), // late: not in current
		draft(minute(5), "", num("b", 5)))
	wantVerdicts(t, outcomes, model.Applied, model.Late, model.Applied)

	c := currentOf(t, table, series(kind))
	want := model.Attrs{num("a", 3), num("b", 5), {Name: "owner", Value: model.TextValue("ops")}}
	if diff := cmp.Diff(want, c.Attrs, cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); diff != "" {
		t.Errorf("current (-want +got):\n%s", diff)
	}
	if c.At != minute(5) {
		t.Errorf("current is at %s, want %s", c.At, minute(5))
	}
	for i, o := range outcomes {
		if o.Current == nil || o.Current.At != minute(5) {
			t.Errorf("outcome %d carries current %+v, want the one this transaction wrote", i, o.Current)
		}
	}
}

func TestAppend_EnrichmentSurvives(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, draft(minute(1), "", num("temperature", 20)))
	set(t, table, series(kind), "accountId", item.Value{Type: item.S, S: "acct-1"})
	appendAll(t, s, kind, draft(minute(2), "", num("temperature", 21)))

	if v, _ := currentOf(t, table, series(kind)).Attrs.Get("accountId"); v.Text != "acct-1" {
		t.Errorf("accountId after the next append: got %+v, want acct-1", v)
	}
	for _, e := range eventsOf(t, table, series(kind)) {
		if _, ok := e.Attrs.Get("accountId"); ok {
			t.Errorf("event at %s carries enrichment", e.At)
		}
	}
}

func TestAppend_LargeEventsAreCutIntoTransactionsThatFit(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	text := make([]byte, 4096)
	for i := range text {
		text[i] = 'x'
	}
	var drafts []ingest.Draft
	for i := range 60 { // about 13 MB
		d := draft(minute(i), "")
		for f := range 53 {
			d.Attrs = append(d.Attrs, model.Attr{Name: fmt.Sprint("f", f), Value: model.TextValue(string(text))})
		}
		drafts = append(drafts, d)
	}
	for i, o := range appendAll(t, serviceOn(table, 1), kind, drafts...) {
		if o.Verdict != model.Applied {
			t.Errorf("observation %d: got %s, want applied", i, o.Verdict)
		}
	}
}

func TestAppend_FieldsOfCurrentFitOneExpression(t *testing.T) {
	t.Parallel()
	kind, store := kindOf(t, keeping), &faulty{Table: memory.New(clock), hit: never}
	var drafts []ingest.Draft
	for i := range 90 { // 1,800 names, that change as the minutes go by
		d := draft(minute(i), "")
		for f := range 40 {
			d.Attrs = append(d.Attrs, num(fmt.Sprintf("f%d", i*20+f), 1))
		}
		drafts = append(drafts, d)
	}
	appendAll(t, serviceOn(store, 1), kind, drafts...)
	for i, tx := range store.sent {
		if n := len(tx.Current.Set); n > 400 {
			t.Errorf("transaction %d names %d fields: the table takes about 400", i, n)
		}
	}
}
