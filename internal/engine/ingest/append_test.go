package ingest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func appendIf(t *testing.T, s *ingest.Service, kind *catalog.Kind, d ingest.TypedObservation,
	where ...model.Term) model.AppendResult {
	t.Helper()
	o, err := s.AppendIf(t.Context(), kind, d, where)
	if err != nil {
		t.Fatalf("AppendIf: %v", err)
	}
	return o
}

var (
	whenOn = model.Term{Field: "mode", Op: model.Equal, Value: model.TextValue("on")}
	whenNo = model.Term{Field: "mode", Op: model.Missing}
)

// modeOn returns a reading that sets mode to on.
func modeOn(when model.Time) ingest.TypedObservation {
	return observation(when, "", model.Attr{Name: "mode", Value: model.TextValue("on")})
}

func TestAppend_LateEventLeavesTheLatestItem(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, observation(minute(5), "", num("t", 5)))
	late := appendAll(t, s, kind, observation(minute(3), "", num("t", 3), num("only", 3)))
	wantOutcomes(t, late, model.Late)

	c := readLatest(t, table, series(kind))
	if c.At != minute(5) || !slices.Equal(c.Attrs, model.Attrs{num("t", 5)}) {
		t.Errorf("latest item: got %+v, want it unchanged since the event at %s", c, minute(5))
	}
	if late[0].Latest == nil || late[0].Latest.At != minute(5) || late[0].Latest.Partial {
		t.Errorf("the result has the latest item %+v, want the one that the failed condition returned",
			late[0].Latest)
	}
	if n := len(readEvents(t, table, series(kind))); n != 2 {
		t.Errorf("got %d events, want both", n)
	}
}

func TestAppend_StaleEventIsNotStored(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, dropping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, observation(minute(5), ""))
	wantOutcomes(t, appendAll(t, s, kind, observation(minute(3), "")), model.Stale)
	if n := len(readEvents(t, table, series(kind))); n != 1 {
		t.Errorf("got %d events, want only the newer one", n)
	}
}

func TestAppend_EqualTimesAreOrderedByID(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	wantOutcomes(t, appendEach(t, s, kind,
		observation(minute(1), "b"), observation(minute(1), "c"), observation(minute(1), "a"),
		observation(minute(1), "")),
		model.Applied, model.Applied, model.Late, model.Late)
}

func TestAppend_StreamsOfADeviceAreSeparateSeries(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	status := observation(minute(1), "")
	status.Stream = "status"
	wantOutcomes(t, appendAll(t, serviceOn(table, 1), kind, observation(minute(5), ""), status), model.Applied,
		model.Applied)
	if c := readLatest(t, table, kind.Series("sensor_01", "status", model.Order{})); c == nil ||
		c.At != minute(1) {
		t.Errorf("latest item of stream status: got %+v, want the event at %s", c, minute(1))
	}
}

func TestAppend_EachShardHasItsOwnLatestItem(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, func(k *catalog.Kind) { k.Shards = 4 }), memory.New(clock)
	var observations []ingest.TypedObservation
	for i := range 40 {
		observations = append(observations, observation(minute(i), ""))
	}
	appendAll(t, serviceOn(table, 1), kind, observations...)
	total := 0
	for _, s := range kind.ShardSeries(series(kind)) {
		events := readEvents(t, table, s)
		if c := readLatest(t, table, s); len(events) > 0 && c.Order != events[len(events)-1].Order {
			t.Errorf("shard %d: latest item at %v, want its newest event", s.Shard, c.Order)
		}
		total += len(events)
	}
	if total != len(observations) {
		t.Errorf("shards have %d events, want %d", total, len(observations))
	}
}

func TestAppend_LatestItemIdentifiesItsEventAfterTheEventExpired(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	d := observation(minute(5), "x", num("t", 5))
	appendAll(t, s, kind, d)
	if err := table.DeleteItem(t.Context(),
		keys.Event(model.EventKey{Series: series(kind), Order: model.Order{At: d.At, ID: d.ID}})); err != nil {
		t.Fatal(err)
	}
	other := observation(minute(5), "x", num("t", 6))
	wantOutcomes(t, appendEach(t, s, kind, d, other), model.Duplicate, model.Collision)
	for o, want := range map[*ingest.TypedObservation]model.Outcome{&d: model.Duplicate,
		&other: model.Collision} {
		if r := appendIf(t, s, kind, *o, whenOn); r.Outcome != want {
			t.Errorf("on a condition: %s, want %s", r.Outcome, want)
		}
	}
}

// Only the transaction that creates the latest item checks the purge lock: others find it in the item.
func TestAppend_ACreationChecksThePurgeLock(t *testing.T) {
	t.Parallel()
	kind, store := newKind(t, keeping), &faulty{Table: memory.New(clock), hit: never}
	appendEach(t, serviceOn(store, 1), kind, observation(minute(1), ""), observation(minute(2), ""))
	creations := 0
	for i, tx := range store.sent {
		if (tx.PurgeLock != nil) != tx.Latest.Create {
			t.Errorf("transaction %d: creates %t, checks the lock of %v", i, tx.Latest.Create, tx.PurgeLock)
		}
		if tx.Latest.Create {
			creations++
		}
	}
	if creations != 1 {
		t.Errorf("%d creations, want 1", creations)
	}
}

func TestAppend_EnrichmentAloneSetsNoOrder(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	set(t, table, series(kind), "owner", item.Value{Type: item.S, S: "ops"})
	wantOutcomes(t, appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "")), model.Applied)
	if _, ok := readLatest(t, table, series(kind)).Attrs.Get("owner"); !ok {
		t.Error("the first append removed earlier enrichment")
	}
}

func TestAppend_GoneWhileTheSubjectIsPurged(t *testing.T) {
	t.Parallel()
	batch := []ingest.TypedObservation{observation(minute(1), "", num("t", 1)), observation(minute(7), ""),
		observation(minute(3), ""), observation(minute(7), "")}
	gone := slices.Repeat([]model.Outcome{model.Gone}, len(batch))
	t.Run("latest item locked", func(t *testing.T) {
		t.Parallel()
		kind, table := newKind(t, keeping), memory.New(clock)
		s := serviceOn(table, 1)
		appendAll(t, s, kind, batch[0])
		set(t, table, series(kind), tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		results := appendAll(t, s, kind, batch...)
		wantOutcomes(t, results, gone...) // including the duplicate
		for i, r := range results {
			if r.Latest == nil || r.Latest.At != minute(1) {
				t.Errorf("event %d: latest item %+v, want the one that is locked", i, r.Latest)
			}
		}
		if n := len(readEvents(t, table, series(kind))); n != 1 {
			t.Errorf("got %d events, want only the earlier one", n)
		}
	})
	t.Run("subject locked, no latest item", func(t *testing.T) {
		t.Parallel()
		kind, table := newKind(t, keeping), memory.New(clock)
		setPurgeLock(t, table, series(kind).Subject)
		wantOutcomes(t, appendAll(t, serviceOn(table, 1), kind, batch...), gone...)
		if n := len(readEvents(t, table, series(kind))); n != 0 {
			t.Errorf("got %d events, want none", n)
		}
	})
}

func TestAppend_WithoutLatestItemWritesOnlyTheEvent(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, withoutLatest), memory.New(clock)
	results := appendAll(t, serviceOn(table, 1), kind,
		observation(minute(5), "", num("t", 1)), observation(minute(3), "", num("t", 1)),
		observation(minute(5), "", num("t", 1)), observation(minute(5), "", num("t", 2)))
	wantOutcomes(t, results, model.Applied, model.Applied, model.Duplicate, model.Collision)
	if c := readLatest(t, table, series(kind)); c != nil || results[0].Latest != nil {
		t.Errorf("latest item: stored %+v, returned %+v, want none", c, results[0].Latest)
	}
}

func TestAppendIf(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name        string
		change      func(*catalog.Kind)
		before      []ingest.TypedObservation
		observation ingest.TypedObservation
		where       model.Term
		want        model.Outcome
		events      int
	}{
		{"newer, condition holds", keeping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(6), ""), whenOn, model.Applied, 2},
		{"newer, condition fails", keeping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(6), ""), whenNo, model.Conflict, 1},
		{"late kept, condition holds", keeping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(4), ""), whenOn, model.Late, 2},
		{"late kept, condition fails", keeping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(4), ""), whenNo, model.Conflict, 1},
		{"late dropped, condition holds", dropping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(4), ""), whenOn, model.Stale, 1},
		{"late dropped, condition fails", dropping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(4), ""), whenNo, model.Conflict, 1},
		{"duplicate before conflict", keeping, []ingest.TypedObservation{modeOn(minute(5))}, modeOn(minute(5)), whenNo, model.Duplicate, 1},
		{"collision before conflict", keeping, []ingest.TypedObservation{modeOn(minute(5))}, observation(minute(5), ""), whenNo, model.Collision, 1},
		{"late duplicate before conflict", keeping, []ingest.TypedObservation{observation(minute(4), ""), modeOn(minute(5))}, observation(minute(4), ""), whenNo, model.Duplicate, 2},
		{"creation, condition holds", keeping, nil, modeOn(minute(5)), whenNo, model.Applied, 1},
		{"creation, condition fails", keeping, nil, modeOn(minute(5)), whenOn, model.Conflict, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind, table := newKind(t, c.change), memory.New(clock)
			s := serviceOn(table, 1)
			appendAll(t, s, kind, c.before...)
			if o := appendIf(t, s, kind, c.observation, c.where); o.Outcome != c.want {
				t.Errorf("outcome: got %s, want %s", o.Outcome, c.want)
			}
			if n := len(readEvents(t, table, series(kind))); n != c.events {
				t.Errorf("got %d events, want %d", n, c.events)
			}
		})
	}
}

func TestAppendIf_WithoutCondition(t *testing.T) {
	t.Parallel()
	kind, s := newKind(t, keeping), serviceOn(memory.New(clock), 1)
	appendAll(t, s, kind, observation(minute(5), ""))
	if o := appendIf(t, s, kind, observation(minute(4), "")); o.Outcome != model.Late {
		t.Errorf("outcome: got %s, want late", o.Outcome)
	}
}

func TestAppendIf_RequiresALatestItem(t *testing.T) {
	t.Parallel()
	_, err := serviceOn(memory.New(clock), 1).AppendIf(t.Context(), newKind(t, withoutLatest),
		observation(minute(1), ""), model.Condition{whenNo})
	if !errors.Is(err, ingest.ErrNoLatest) {
		t.Errorf("error: got %v, want ErrNoLatest", err)
	}
}

func TestAppendIf_RejectsWhatAppendRejects(t *testing.T) {
	t.Parallel()
	o := appendIf(t, serviceOn(memory.New(clock), 1), newKind(t, keeping),
		ingest.TypedObservation{At: minute(1)}, whenNo)
	if o.Outcome != model.Rejected || len(o.Errors) != 1 || o.Errors[0].Code != ingest.CodeMissing {
		t.Errorf("without subject: got %+v, want rejected with code missing", o)
	}
}
