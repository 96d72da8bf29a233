package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// serial is the reference model: the results of appending one by one, in the simplest form.
type serial struct {
	latest *model.Event
	events map[model.Order]model.Hash
	drop   bool
}

func (s *serial) append(e model.Event) model.Outcome {
	stored, taken := s.events[e.Order]
	if !taken && s.latest != nil && s.latest.Order == e.Order {
		stored, taken = s.latest.Hash, true
	}
	switch {
	case taken && stored == e.Hash:
		return model.Duplicate
	case taken:
		return model.Collision
	case s.latest == nil || s.latest.Before(e.Order):
		s.latest, s.events[e.Order] = &e, e.Hash
		return model.Applied
	case s.drop:
		return model.Stale
	}
	s.events[e.Order] = e.Hash
	return model.Late
}

func randomObservation(r *rand.Rand, minutes int) ingest.TypedObservation {
	payloads := [][]model.Attr{{num("t", 1)}, {num("t", 2)}, {num("h", 1)}, {num("t", 1), num("h", 2)}}
	return observation(minute(1+r.IntN(minutes)), []string{"", "a", "b"}[r.IntN(3)],
		payloads[r.IntN(len(payloads))]...)
}

func randomObservations(r *rand.Rand, n, minutes int) []ingest.TypedObservation {
	var observations []ingest.TypedObservation
	for range n {
		observations = append(observations, randomObservation(r, minutes))
	}
	return observations
}

func newEvent(kind *catalog.Kind, d ingest.TypedObservation) model.Event {
	d.Attrs = slices.Clone(d.Attrs)
	d.Attrs.Sort()
	return model.Event{Series: series(kind), Order: model.Order{At: d.At, ID: d.ID},
		Hash: model.HashAttrs(d.Attrs)}
}

// history is the state of a series before the batch under test.
type history struct {
	observations []ingest.TypedObservation
	enriched     bool
	expired      []model.Order // events that TTL has deleted
}

func randomHistory(r *rand.Rand, minutes int) history {
	h := history{observations: randomObservations(r, r.IntN(4), minutes), enriched: r.IntN(3) == 0}
	for _, d := range h.observations {
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
	appendEach(t, serviceOn(table, 1), kind, h.observations...)
	for _, o := range h.expired {
		if err := table.DeleteItem(t.Context(),
			keys.Event(model.EventKey{Series: series(kind), Order: o})); err != nil {
			t.Fatal(err)
		}
	}
}

func (h history) model(kind *catalog.Kind) *serial {
	s := &serial{events: map[model.Order]model.Hash{}, drop: kind.Late == catalog.DropLate}
	for _, d := range h.observations {
		s.append(newEvent(kind, d))
	}
	for _, o := range h.expired {
		delete(s.events, o)
	}
	return s
}

func TestAppend_BatchEqualsOneByOne(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name           string
		change         func(*catalog.Kind)
		rounds         int
		batch, minutes int
	}{
		{"late kept", keeping, 1000, 8, 5},
		{"late dropped", dropping, 1000, 8, 5},
		{"more than one transaction, late kept", keeping, 12, 400, 120},
		{"more than one transaction, late dropped", dropping, 12, 400, 120},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind := newKind(t, c.change)
			for seed := range c.rounds {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				before := randomHistory(r, c.minutes)
				batch := randomObservations(r, 1+r.IntN(c.batch), c.minutes)
				if !sameAsOneByOne(t, kind, before, batch) {
					t.Fatalf("seed %d: history %+v, batch %+v", seed, before, batch)
				}
			}
		})
	}
}

func sameAsOneByOne(t *testing.T, kind *catalog.Kind, before history, batch []ingest.TypedObservation) bool {
	together, apart := memory.New(clock), memory.New(clock)
	before.play(t, together, kind)
	before.play(t, apart, kind)
	got := appendAll(t, serviceOn(together, 2), kind, batch...)
	single := appendEach(t, serviceOn(apart, 3), kind, batch...)

	reference := before.model(kind)
	for i, d := range batch {
		want := reference.append(newEvent(kind, d))
		if got[i].Outcome != want || single[i].Outcome != want {
			t.Errorf("observation %d: in a batch %s, alone %s, want %s", i, got[i].Outcome, single[i].Outcome, want)
		}
	}
	wantSameStored(t, together, apart)
	return !t.Failed()
}

func TestAppend_ResultsKeepTheOrderOfObservations(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	var observations []ingest.TypedObservation
	for i := range 200 {
		d := observation(minute(i/20), "", num("n", int64(i)))
		d.Subject = fmt.Sprint("sensor_", i%20)
		observations = append(observations, d)
	}
	for i, o := range appendAll(t, serviceOn(table, 1), kind, observations...) {
		if o.Key.Series.Subject.ID != observations[i].Subject || o.Key.At != observations[i].At ||
			o.Outcome != model.Applied {
			t.Errorf("result %d: got %s of %s at %s, want applied of %s at %s", i, o.Outcome, o.Key.Series, o.Key.At,
				observations[i].Subject, observations[i].At)
		}
	}
}

func TestAppend_LatestItemHasTheFieldsOfAllAdvancingEvents(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	set(t, table, series(kind), "owner", item.Value{Type: item.S, S: "ops"})
	results := appendAll(t, serviceOn(table, 1), kind,
		observation(minute(3), "", num("a", 3), num("b", 3)),
		observation(minute(1), "", num("c", 1)), // late: not in the latest item
		observation(minute(5), "", num("b", 5)))
	wantOutcomes(t, results, model.Applied, model.Late, model.Applied)

	c := readLatest(t, table, series(kind))
	want := model.Attrs{num("a", 3), num("b", 5), {Name: "owner", Value: model.TextValue("ops")}}
	if diff := cmp.Diff(want, c.Attrs,
		cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); diff != "" {
		t.Errorf("latest item (-want +got):\n%s", diff)
	}
	if c.At != minute(5) {
		t.Errorf("latest item is at %s, want %s", c.At, minute(5))
	}
	for i, o := range results {
		if o.Latest == nil || o.Latest.At != minute(5) || !o.Latest.Ordered || !o.Latest.Partial {
			t.Errorf("result %d has the latest item %+v, want the part that this transaction wrote", i, o.Latest)
		}
	}
}

func TestAppend_EnrichmentSurvives(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, observation(minute(1), "", num("temperature", 20)))
	set(t, table, series(kind), "accountId", item.Value{Type: item.S, S: "acct-1"})
	appendAll(t, s, kind, observation(minute(2), "", num("temperature", 21)))

	if v, _ := readLatest(t, table, series(kind)).Attrs.Get("accountId"); v.Text != "acct-1" {
		t.Errorf("accountId after the next append: got %+v, want acct-1", v)
	}
	for _, e := range readEvents(t, table, series(kind)) {
		if _, ok := e.Attrs.Get("accountId"); ok {
			t.Errorf("event at %s has enrichment", e.At)
		}
	}
}

func TestAppend_LargeEventsAreSplitIntoTransactionsThatFit(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	text := make([]byte, 4096)
	for i := range text {
		text[i] = 'x'
	}
	var observations []ingest.TypedObservation
	for i := range 60 { // about 13 MB
		d := observation(minute(i), "")
		for f := range 53 {
			d.Attrs = append(d.Attrs, model.Attr{Name: fmt.Sprint("f", f), Value: model.TextValue(string(text))})
		}
		observations = append(observations, d)
	}
	for i, o := range appendAll(t, serviceOn(table, 1), kind, observations...) {
		if o.Outcome != model.Applied {
			t.Errorf("observation %d: got %s, want applied", i, o.Outcome)
		}
	}
}

func TestAppend_FieldsOfTheLatestItemFitOneExpression(t *testing.T) {
	t.Parallel()
	kind, store := newKind(t, keeping), &faulty{Table: memory.New(clock), hit: never}
	var observations []ingest.TypedObservation
	for i := range 90 { // 1,800 names in total
		d := observation(minute(i), "")
		for f := range 40 {
			d.Attrs = append(d.Attrs, num(fmt.Sprintf("f%d", i*20+f), 1))
		}
		observations = append(observations, d)
	}
	appendAll(t, serviceOn(store, 1), kind, observations...)
	for i, tx := range store.sent {
		if n := len(tx.Latest.Set); n > 400 {
			t.Errorf("transaction %d names %d fields: the table accepts about 400", i, n)
		}
	}
}

func TestAppend_ATransactionNamesUpTo350Fields(t *testing.T) {
	t.Parallel()
	for names, want := range map[int]int{350: 350, 351: 350} {
		kind, store := newKind(t, keeping), &faulty{Table: memory.New(clock), hit: never}
		var observations []ingest.TypedObservation
		for f := range names {
			if f%35 == 0 {
				observations = append(observations, observation(minute(f), ""))
			}
			d := &observations[len(observations)-1]
			d.Attrs = append(d.Attrs, num(fmt.Sprint("f", f), 1))
		}
		wantOutcomes(t, appendAll(t, serviceOn(store, 1), kind, observations...),
			slices.Repeat([]model.Outcome{model.Applied}, len(observations))...)
		most := 0
		for _, tx := range store.sent {
			most = max(most, len(tx.Latest.Set))
		}
		if most != want {
			t.Errorf("events with %d fields: a transaction names at most %d, want %d", names, most, want)
		}
	}
}

// A transaction holds 3.5 MB of events, and no byte more.
func TestAppend_ATransactionHoldsUpTo3500KB(t *testing.T) {
	t.Parallel()
	const each, events = 250_000, 14
	for more, want := range map[int]int{0: 1, 1: 2} {
		kind, store := newKind(t, keeping), &faulty{Table: memory.New(clock), hit: never}
		s := serviceOn(store, 1)
		appendAll(t, s, kind, observation(minute(0), ""))
		store.requests = 0
		var observations []ingest.TypedObservation
		for i := range events {
			first, last := parts(fits(t))
			cut := 256<<10 - each - more
			for f := range first {
				n := min(cut, len(first[f].Value.Text))
				first[f].Value.Text, cut = first[f].Value.Text[n:], cut-n
			}
			more = 0 // in the first event only
			observations = append(observations, observation(minute(1+i), "", append(first, last...)...))
		}
		appendAll(t, s, kind, observations...)
		if store.requests != want {
			t.Errorf("%d transactions, want %d", store.requests, want)
		}
	}
}

// A program may allow more fields than a transaction names: each event is then sent alone.
func TestAppend_AnEventWithMoreFieldsThanATransactionIsSentAlone(t *testing.T) {
	t.Parallel()
	kind, store := newKind(t, keeping), &faulty{Table: memory.New(clock), hit: never}
	s := serviceOn(store, 1)
	s.Limits.Fields, s.Limits.Measures = 400, 400
	var observations []ingest.TypedObservation
	for i := range 2 {
		o := observation(minute(i), "")
		for f := range 351 {
			o.Attrs = append(o.Attrs, num(fmt.Sprint("f", f), 1))
		}
		observations = append(observations, o)
	}
	appendAll(t, s, kind, observation(minute(0), "before"))
	store.sent = nil
	wantOutcomes(t, appendAll(t, s, kind, observations...), model.Late, model.Applied)
	for _, tx := range store.sent {
		if len(tx.Puts) != 1 {
			t.Errorf("%d events in one transaction, want 1", len(tx.Puts))
		}
	}
}

// A sender that repeats an event in one request pays for one transaction.
func TestAppend_RepetitionsInABatchTakeNoRequest(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){"late kept": keeping, "late dropped": dropping} {
		kind, store := newKind(t, change), &faulty{Table: memory.New(clock), hit: never}
		a := observation(minute(1), "", num("t", 1))
		b := observation(minute(2), "", num("t", 2))
		other := observation(minute(1), "", num("t", 3))
		appendAll(t, serviceOn(store, 1), kind, observation(minute(0), "", num("t", 0)))
		store.requests = 0
		got := appendAll(t, serviceOn(store, 2), kind, a, a, b, other, a, b)
		wantOutcomes(t, got, model.Applied, model.Duplicate, model.Applied, model.Collision, model.Duplicate,
			model.Duplicate)
		if store.requests != 1 {
			t.Errorf("%s: %d requests, want 1", name, store.requests)
		}
	}
}
