package ingest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func merging(k *catalog.Kind) { k.OnCollision = catalog.MergeCollision }

func mergingWith(change func(*catalog.Kind)) func(*catalog.Kind) {
	return func(k *catalog.Kind) { merging(k); change(k) }
}

func TestMerge_TwoMessagesOfOneTimeBecomeOneEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*catalog.Kind)
		second model.Outcome
	}{
		"latest": {merging, model.Applied}, "without latest item": {mergingWith(withoutLatest), model.Applied},
	} {
		kind, table := newKind(t, c.change), memory.New(clock)
		temperature, humidity := observation(minute(1), "", num("temperature", 20)),
			observation(minute(1), "", num("humidity", 50))
		both := observation(minute(1), "", num("temperature", 20), num("humidity", 50))
		other := observation(minute(1), "", num("temperature", 21), num("pressure", 9))
		got := appendEach(t, serviceOn(table, 1), kind, temperature, humidity, temperature, humidity, both, other)
		wantOutcomes(t, got, model.Applied, c.second, model.Duplicate, model.Duplicate, model.Duplicate,
			model.Collision)
		want := model.Attrs{num("humidity", 50), num("temperature", 20)}
		if e := readEvents(t, table, series(kind)); len(e) != 1 || !cmp.Equal(e[0].Attrs, want, exact) ||
			e[0].Hash != model.HashAttrs(want) {
			t.Errorf("%s: stored %+v, want one event with %v", name, e, want)
		}
		if kind.HasLatest() {
			if l := readLatest(t, table, series(kind)); !cmp.Equal(l.Attrs, want, exact) ||
				l.Hash != model.HashAttrs(want) {
				t.Errorf("latest item %+v, want %v", l, want)
			}
		}
	}
}

var exact = cmp.Comparer(func(a, b model.Decimal) bool { return a == b })

func TestMerge_IntoAnOlderEventDoesNotChangeTheLatestItem(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){"late kept": mergingWith(keeping),
		"late dropped": mergingWith(dropping)} {
		kind, table := newKind(t, change), memory.New(clock)
		s := serviceOn(table, 1)
		appendAll(t, s, kind, observation(minute(1), "", num("t", 1)), observation(minute(2), "", num("t", 2)))
		before := *readLatest(t, table, series(kind))
		wantOutcomes(t, appendAll(t, s, kind, observation(minute(1), "", num("h", 1))), model.Late)
		if after := *readLatest(t, table, series(kind)); !cmp.Equal(before, after, exact) {
			t.Errorf("%s: latest item changed from %+v to %+v", name, before, after)
		}
		if e := readEvents(t, table, series(kind)); len(e[0].Attrs) != 2 {
			t.Errorf("%s: stored %v, want both fields", name, e[0].Attrs)
		}
	}
}

func TestMerge_BatchEqualsOneByOne(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){"keep": merging, "drop": mergingWith(dropping),
		"none": mergingWith(withoutLatest)} {
		kind := newKind(t, change)
		for seed := range 400 {
			r := rand.New(rand.NewPCG(uint64(seed), 9))
			together, apart := memory.New(clock), memory.New(clock)
			before, batch := randomHistory(r, 5), randomObservations(r, 1+r.IntN(12), 5)
			before.play(t, together, kind)
			before.play(t, apart, kind)
			got := appendAll(t, serviceOn(together, 2), kind, batch...)
			want := appendEach(t, serviceOn(apart, 3), kind, batch...)
			wantOutcomes(t, got, listOutcomes(want)...)
			wantSameStored(t, together, apart)
			if t.Failed() {
				t.Fatalf("%s, seed %d: history %+v, batch %+v", name, seed, before, batch)
			}
		}
	}
}

// Messages without contradictions leave the same events in any order, and delivered twice.
func TestMerge_DoesNotDependOnTheOrderOfMessages(t *testing.T) {
	t.Parallel()
	kind := newKind(t, merging)
	var want []model.Event
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		var all []ingest.TypedObservation
		for m := range 3 {
			for i, name := range []string{"a", "b", "c"} {
				o := observation(minute(m), "", num(name, int64(i)))
				all = append(all, o, o)
			}
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		table := memory.New(clock)
		s := serviceOn(table, seed)
		for len(all) > 0 {
			n := 1 + r.IntN(len(all))
			for _, o := range appendAll(t, s, kind, all[:n]...) {
				if o.Outcome == model.Collision || o.Outcome == model.Unknown {
					t.Fatalf("seed %d: %s", seed, o.Outcome)
				}
			}
			all = all[n:]
		}
		got := readEvents(t, table, series(kind))
		for i := range got {
			got[i].Late = false // by the order of arrival
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got, exact); diff != "" || len(got) != 3 {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// A repair finds a merged event by the arrival of its newest part.
func TestMerge_TheEventHasArrivedWithItsNewestPart(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, merging), memory.New(clock)
	now := clock()
	s := serviceOn(table, 1)
	s.Now = func() model.Time { return now }
	appendAll(t, s, kind, observation(minute(1), "", num("a", 1)))
	now = now.Add(time.Minute)
	appendAll(t, s, kind, observation(minute(1), "", num("b", 2)))
	if e := readEvents(t, table, series(kind)); len(e) != 1 || e[0].ArrivedAt != now {
		t.Errorf("stored %+v, want one event that arrived at %s", e, now)
	}
}

// interleaved runs before once, before the first merge is sent.
type interleaved struct {
	*memory.Table
	before func()
	result storage.WriteResult
}

func (s *interleaved) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if tx.Merge != nil && s.before != nil {
		run := s.before
		s.before = nil
		run()
	}
	if tx.Merge != nil && s.result != storage.Written {
		return storage.StoreResult{Result: s.result}, nil
	}
	return s.Table.Append(ctx, tx)
}

func TestMerge_ReadsAgainWhatAnotherWriterChanged(t *testing.T) {
	t.Parallel()
	kind := newKind(t, merging)
	first, third := observation(minute(1), "", num("a", 1)), observation(minute(1), "", num("c", 3))
	expire := func(table *memory.Table) {
		e := readEvents(t, table, series(kind))[0]
		if err := table.DeleteItem(t.Context(), keys.Event(e.Key())); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(*memory.Table)
		want   model.Outcome
	}{
		"another field": {func(table *memory.Table) { appendAll(t, serviceOn(table, 2), kind, third) }, model.Applied},
		"the same field": {func(table *memory.Table) {
			appendAll(t, serviceOn(table, 2), kind, observation(minute(1), "", num("b", 2)))
		}, model.Duplicate},
		"the field, other value": {func(table *memory.Table) {
			appendAll(t, serviceOn(table, 2), kind, observation(minute(1), "", num("b", 3)))
		}, model.Collision},
		"a newer event": {func(table *memory.Table) {
			appendAll(t, serviceOn(table, 2), kind, observation(minute(9), "", num("a", 9)))
		}, model.Late},
		"the event has expired": {expire, model.Collision},
		"the subject is locked": {func(table *memory.Table) {
			set(t, table, series(kind), tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		}, model.Gone},
	} {
		table := memory.New(clock)
		appendAll(t, serviceOn(table, 1), kind, first)
		store := &interleaved{Table: table, before: func() { c.change(table) }}
		got := appendAll(t, serviceOn(store, 3), kind, observation(minute(1), "", num("b", 2)))
		if got[0].Outcome != c.want {
			t.Errorf("%s: %s, want %s", name, got[0].Outcome, c.want)
		}
	}
}

func TestMerge_UndecidedIsUnknown(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, merging), memory.New(clock)
	appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "", num("a", 1)),
		observation(minute(2), "", num("a", 1)))
	s := serviceOn(&interleaved{Table: table, result: storage.Throttled}, 1)
	s.RetryPolicy.Attempts = 2
	got := appendAll(t, s, kind, observation(minute(1), "", num("b", 1)),
		observation(minute(2), "", num("b", 1)))
	wantOutcomes(t, got, model.Unknown, model.Unknown)
}

func TestMerge_KeepsTheCallersCondition(t *testing.T) {
	t.Parallel()
	for _, newer := range []bool{false, true} {
		kind, table := newKind(t, merging), memory.New(clock)
		s := serviceOn(table, 1)
		appendAll(t, s, kind, observation(minute(1), "", num("a", 1)))
		if newer {
			appendAll(t, s, kind, observation(minute(2), "", num("a", 1)))
		}
		for i, want := range []model.Outcome{model.Conflict,
			map[bool]model.Outcome{false: model.Applied, true: model.Late}[newer]} {
			condition := model.Condition{{Field: "a", Op: model.Equal,
				Value: model.NumberValue(model.NewDecimal(int64(2 - i)))}}
			got, err := s.AppendIf(t.Context(), kind, observation(minute(1), "", num("b", 1)), condition)
			if err != nil || got.Outcome != want {
				t.Errorf("newer event %t, condition on a = %d: %s, %v; want %s", newer, 2-i, got.Outcome, err, want)
			}
		}
	}
}

func TestMerge_AnEventThatWouldBeTooLargeIsACollisionAndALatestItemIsRejected(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, merging), memory.New(clock)
	s := serviceOn(table, 1)
	wantOutcomes(t, appendEach(t, s, kind, wide("a", 1), wide("b", 1)), model.Applied, model.Collision)
	small := wide("c", 2)
	small.Attrs = small.Attrs[:43]
	rest := wide("d", 2)
	rest.Attrs = rest.Attrs[:15]
	wantOutcomes(t, appendEach(t, s, kind, small, rest), model.Applied, model.Rejected)
}

// refusing returns an error for every merge.
type refusing struct{ *memory.Table }

var errRefused = errors.New("refused")

func (s refusing) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if tx.Merge != nil {
		return storage.StoreResult{Result: storage.Unknown}, errRefused
	}
	return s.Table.Append(ctx, tx)
}

func TestMerge_ReturnsAPermanentError(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*catalog.Kind){merging, mergingWith(withoutLatest)} {
		kind, table := newKind(t, change), memory.New(clock)
		appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "", num("a", 1)))
		got, err := serviceOn(refusing{table}, 1).AppendEvents(t.Context(), kind,
			[]ingest.TypedObservation{observation(minute(1), "", num("b", 1))})
		if !errors.Is(err, errRefused) || got[0].Outcome != model.Unknown {
			t.Errorf("%s, %v; want unknown and the error", got[0].Outcome, err)
		}
	}
}

func TestMerge_IntoAnOlderEventOfASubjectThatIsPurgedIsGone(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, mergingWith(keeping)), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, observation(minute(1), "", num("t", 1)), observation(minute(2), "", num("t", 2)))
	setPurgeLock(t, table, series(kind).Subject)
	wantOutcomes(t, appendAll(t, s, kind, observation(minute(1), "", num("h", 3))), model.Gone)
	if e := readEvents(t, table, series(kind)); len(e[0].Attrs) != 1 {
		t.Errorf("stored %v, want the event without the new field", e[0].Attrs)
	}
}

// The merge finds the purge lock by itself: a kind without latest items has no other item to say so.
func TestMerge_IntoASubjectThatIsLockedMeanwhileIsGone(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, mergingWith(withoutLatest)), memory.New(clock)
	appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "", num("a", 1)))
	store := &interleaved{Table: table, before: func() {
		lock := tablekeys.PurgeLock(series(kind).Subject)
		if err := table.PutItem(t.Context(),
			item.Item{keys.AttrPK: {Type: item.S, S: lock.PK}, keys.AttrSK: {Type: item.S, S: lock.SK}}); err != nil {
			t.Fatal(err)
		}
	}}
	wantOutcomes(t, appendAll(t, serviceOn(store, 2), kind, observation(minute(1), "", num("b", 2))), model.Gone)
}

// An event past its expiry that is still stored is not changed: its rollup may not count it any more.
func TestMerge_IntoAnExpiredEventIsACollision(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){"latest item": func(*catalog.Kind) {},
		"no latest item": withoutLatest} {
		kind, table := newKind(t, mergingWith(change)), memory.New(clock)
		appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "", num("a", 1)))
		s := serviceOn(table, 2)
		s.Now = func() model.Time { return clock().Add(kind.Retention.Raw) }
		wantOutcomes(t, appendAll(t, s, kind, observation(minute(1), "", num("b", 2))), model.Collision)
		if e := readEvents(t, table, series(kind)); len(e) != 1 || len(e[0].Attrs) != 1 {
			t.Errorf("%s: stored %+v, want the event as it was", name, e)
		}
	}
}

// The second message of an event has the field by which events are indexed.
func TestMerge_IndexesTheEventByAFieldOfTheSecondMessage(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, mergingWith(byLine)), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, observation(minute(1), "", num("a", 1)))
	appendAll(t, s, kind, observation(minute(1), "", model.Attr{Name: "line", Value: model.TextValue("7")}))
	it, err := table.GetItem(t.Context(),
		keys.Event(model.EventKey{Series: series(kind), Order: model.Order{At: minute(1)}}))
	if want := tablekeys.IndexPartition(kind.Name, "line", "7"); err != nil || it[keys.AttrGSI2PK].S != want {
		t.Errorf("index key %q, %v; want %q", it[keys.AttrGSI2PK].S, err, want)
	}
}
