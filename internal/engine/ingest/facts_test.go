package ingest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// failingAppend returns a permanent error for every event.
type failingAppend struct{ *memory.Table }

func (failingAppend) Append(context.Context, storage.AppendTransaction) (storage.StoreResult, error) {
	return storage.StoreResult{Result: storage.Unknown}, errRefused
}

func (failingAppend) Put(context.Context, model.Event) (storage.StoreResult, error) {
	return storage.StoreResult{Result: storage.Unknown}, errRefused
}

func TestAppend_AnErrorNamesTheSeriesAndEachUndecidedEventHasIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){"append": func(*catalog.Kind) {},
		"put": withoutLatest} {
		kind := newKind(t, change)
		got, err := serviceOn(failingAppend{memory.New(clock)}, 1).AppendEvents(t.Context(), kind,
			[]ingest.TypedObservation{observation(minute(1), "", num("a", 1))})
		if want := name + " " + series(kind).String() + ": "; !errors.Is(err, errRefused) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
		if got[0].Outcome != model.Unknown || !errors.Is(got[0].Err, errRefused) {
			t.Errorf("%s: %s with error %v, want unknown and why", name, got[0].Outcome, got[0].Err)
		}
	}
}

// The merged event expires with its later part, and never if one part never does.
func TestMerge_TheEventExpiresWithItsLastPart(t *testing.T) {
	t.Parallel()
	expiring := newKind(t, mergingWith(func(k *catalog.Kind) { k.Retention.Raw = 30 * tier.Day24 }))
	forever := newKind(t, mergingWith(func(k *catalog.Kind) { k.Retention.Raw = tier.Forever }))
	if expiring.Retention.EventExpiresAt(clock()) == 0 || forever.Retention.EventExpiresAt(clock()) != 0 {
		t.Fatal("the kinds do not expire as this test needs")
	}
	for name, c := range map[string]struct {
		first, second *catalog.Kind
		after         time.Duration
		want          int64
	}{
		"both expire":             {expiring, expiring, time.Hour, expiring.Retention.EventExpiresAt(clock().Add(time.Hour))},
		"the first expires later": {expiring, expiring, -time.Hour, expiring.Retention.EventExpiresAt(clock())},
		"the first never expires": {forever, expiring, time.Hour, 0},
		"the second never does":   {expiring, forever, time.Hour, 0},
	} {
		table, now := memory.New(clock), clock()
		s := serviceOn(table, 1)
		s.Now = func() model.Time { return now }
		appendAll(t, s, c.first, observation(minute(1), "", num("a", 1)))
		now = now.Add(c.after)
		appendAll(t, s, c.second, observation(minute(1), "", num("b", 2)))
		if e := readEvents(t, table, series(c.first)); len(e) != 1 || len(e[0].Attrs) != 2 ||
			e[0].ExpiresAt != c.want {
			t.Errorf("%s: stored %+v, want one event that expires at %d", name, e, c.want)
		}
	}
}

// The result of a merge has the latest item with the fields of both messages.
func TestMerge_TheResultHasTheMergedLatestItem(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, merging), memory.New(clock)
	got := appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "", num("a", 1)),
		observation(minute(1), "", num("b", 2)))
	want := model.Attrs{num("a", 1), num("b", 2)}
	if l := got[1].Latest; l == nil || !cmp.Equal(l.Attrs, want, exact) || l.Hash != model.HashAttrs(want) {
		t.Errorf("latest item %+v, want %v", got[1].Latest, want)
	}
}

func TestStoreResult_IsUndecidedUnlessTheTableDecided(t *testing.T) {
	t.Parallel()
	for result, decided := range map[storage.WriteResult]bool{storage.Written: true,
		storage.ConditionFailed: true, storage.Throttled: false, storage.Unknown: false} {
		err := retry.Undecided(result, errRefused)
		if decided && err != nil ||
			!decided && (!errors.Is(err, retry.ErrUndecided) || !errors.Is(err, errRefused)) {
			t.Errorf("%s: %v", result, err)
		}
	}
}

func TestQuarantine_KeepsEachPayloadOfAnOrigin(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	s := serviceOn(table, 1)
	s.QuarantineStore = table
	other := rejection
	other.Payload = []byte(`{"a":[],"b":{}}`)
	for _, r := range []ingest.Rejection{rejection, other, rejection} {
		if err := s.Quarantine(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if all := quarantined(t, table); len(all) != 2 {
		t.Errorf("stored %d, want both payloads", len(all))
	}
}

// A field whose name is wrong has one error, whatever its value is.
func TestValidation_AFieldWithAWrongNameIsNotReadFurther(t *testing.T) {
	t.Parallel()
	kind := newKind(t, func(*catalog.Kind) {})
	s := serviceOn(memory.New(clock), 1)
	for name, code := range map[string]string{"": ingest.CodeNameEmpty, "_x": ingest.CodeNameReserved,
		"a\x00": ingest.CodeControlCharacter, "a\xff": ingest.CodeInvalidUTF8, strings.Repeat("n", 65): ingest.CodeTooLong} {
		o := observation(minute(1), "", model.Attr{Name: name, Value: model.Value{Kind: model.Nested, Text: "[]"}})
		if got := appendAll(t, s, kind, o)[0]; got.Outcome != model.Rejected || len(got.Errors) != 1 ||
			got.Errors[0].Code != code {
			t.Errorf("name %q: %s, %+v; want one error, %s", name, got.Outcome, got.Errors, code)
		}
	}
	nested := appendAll(t, s, kind,
		observation(minute(1), "", model.Attr{Name: "x", Value: model.Value{Kind: model.Nested, Text: "[]"}}))[0]
	if nested.Outcome != model.Rejected || len(nested.Errors) != 1 ||
		nested.Errors[0].Code != ingest.CodeNested {
		t.Errorf("a list: %s, %+v; want %s", nested.Outcome, nested.Errors, ingest.CodeNested)
	}
}
