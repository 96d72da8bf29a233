package ingest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The latest item keeps the identity of its event after that has expired, until a newer event of the
// same call replaces it: a repetition after that is a new late event.
func TestAppend_ARepetitionAfterANewerEventIsDecidedAnew(t *testing.T) {
	t.Parallel()
	x := observation(minute(1), "", num("n", 1))
	other := observation(minute(1), "", num("n", 2))
	newer, older := observation(minute(2), "", num("n", 3)), observation(minute(0), "", num("n", 4))
	expired := history{observations: []ingest.TypedObservation{x}, expired: []model.Order{{At: minute(1)}}}
	for name, kind := range map[string]func() bool{
		"late kept": func() bool {
			return sameAsOneByOne(t, newKind(t, keeping), expired, []ingest.TypedObservation{x, newer, x})
		},
		"late dropped": func() bool {
			return sameAsOneByOne(t, newKind(t, dropping), expired, []ingest.TypedObservation{x, newer, x})
		},
		"other fields": func() bool {
			return sameAsOneByOne(t, newKind(t, keeping), expired, []ingest.TypedObservation{x, newer, other, x})
		},
		"no newer": func() bool {
			return sameAsOneByOne(t, newKind(t, keeping), expired, []ingest.TypedObservation{x, older, x, other})
		},
		"newer after": func() bool {
			return sameAsOneByOne(t, newKind(t, keeping), expired, []ingest.TypedObservation{x, other, newer})
		},
	} {
		if !kind() {
			t.Errorf("%s: the batch differs", name)
		}
	}
}

// Every result of a call has the latest item, so that a sender learns of a newer event; a rejected
// one has none.
func TestAppend_EveryDecidedResultHasTheLatestItem(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, dropping), memory.New(clock)
	appendAll(t, serviceOn(table, 1), kind, observation(minute(1), "", num("n", 1)),
		observation(minute(9), "", num("n", 9)))
	for name, c := range map[string]struct {
		send ingest.TypedObservation
		want model.Outcome
		at   model.Time
	}{
		"duplicate": {observation(minute(1), "", num("n", 1)), model.Duplicate, minute(9)},
		"collision": {observation(minute(1), "", num("n", 2)), model.Collision, minute(9)},
		"newest":    {observation(minute(9), "", num("n", 9)), model.Duplicate, minute(9)},
		"stale":     {observation(minute(5), "", num("n", 5)), model.Stale, minute(9)},
	} {
		got := appendAll(t, serviceOn(table, 2), kind, c.send)[0]
		if got.Outcome != c.want || got.Latest == nil || got.Latest.At != c.at {
			t.Errorf("%s: %s with the latest item %+v, want %s and %s", name, got.Outcome, got.Latest, c.want, c.at)
		}
	}
	large := memory.New(clock)
	results := appendAll(t, serviceOn(large, 1), newKind(t, keeping), wide("a", 0), wide("b", 1))
	wantOutcomes(t, results, model.Applied, model.Rejected)
	if results[0].Latest == nil || results[1].Latest != nil {
		t.Errorf("latest items %v and %v, want the applied event's only", results[0].Latest, results[1].Latest)
	}
}

// parts are the fields of an event that takes about 256 KB: all but the last, and the last, with n bytes.
func parts(n int) (first, last model.Attrs) {
	field := func(name string, n int) model.Attr {
		return model.Attr{Name: name, Value: model.TextValue(strings.Repeat("x", n))}
	}
	for i := range 64 {
		first = append(first, field(fmt.Sprintf("f%02d", i), 4000))
	}
	return append(first, field("g", 2000)), model.Attrs{field("h", n)}
}

// fits is how many bytes the last of parts may have.
func fits(t *testing.T) int {
	t.Helper()
	const most = 4096
	first, last := parts(most)
	r := appendAll(t, serviceOn(memory.New(clock), 1), newKind(t, keeping),
		observation(minute(1), "", append(first, last...)...))[0]
	if r.Outcome != model.Rejected || len(r.Errors) != 1 || r.Errors[0].Code != ingest.CodeTooLarge {
		t.Fatalf("%s %v, want rejected as too large", r.Outcome, r.Errors)
	}
	var size int
	if _, err := fmt.Sscanf(r.Errors[0].Message, "the event would take %d bytes", &size); err != nil {
		t.Fatal(err)
	}
	return most - (size - 256<<10)
}

// An event may take 256 KB, and no byte more, whether it is sent at once or merged.
func TestValidation_AnEventHasExactly256KB(t *testing.T) {
	t.Parallel()
	for more, want := range map[int][]model.Outcome{0: {model.Applied, model.Applied, model.Applied},
		1: {model.Rejected, model.Applied, model.Collision}} {
		first, last := parts(fits(t) + more)
		got := appendAll(t, serviceOn(memory.New(clock), 1), newKind(t, keeping),
			observation(minute(1), "", slices.Concat(first, last)...))
		got = append(got, appendEach(t, serviceOn(memory.New(clock), 1), newKind(t, merging),
			observation(minute(1), "", first...), observation(minute(1), "", last...))...)
		if wantOutcomes(t, got, want...); t.Failed() {
			t.Logf("%d bytes more than fit", more)
		}
	}
}

// The first copy of an old event may have expired. Then the transaction checks that the latest item
// is not of that event.
func TestCompose_AnOldEventOfADerivedKindChecksTheLatestItem(t *testing.T) {
	t.Parallel()
	kind := newKind(t, derived)
	old := clock().Add(-kind.Retention.Raw + tier.Day24)
	for when, checks := range map[model.Time]bool{old: true, old.Add(-time.Hour): true, old + 1: false,
		minute(1): false} {
		tx, wrong, err := serviceOn(nil, 1).Compose(t.Context(), kind, observation(when, "", num("n", 1)), nil)
		if err != nil || wrong != nil || tx.Latest != nil || len(tx.Puts) != 1 {
			t.Fatalf("%+v, %v, %v; want the event without a latest item", tx, wrong, err)
		}
		if (tx.Check != nil) != checks {
			t.Errorf("at %s: check %+v, want one: %v", when, tx.Check, checks)
		} else if checks && (tx.Check.Series != tx.Puts[0].Series || tx.Check.Not == nil ||
			*tx.Check.Not != tx.Puts[0].Order) {
			t.Errorf("at %s: check %+v, want the event's", when, tx.Check)
		}
	}
}

// The transaction of an event has all that a separate append would send.
func TestCompose_HasTheEventAndTheLatestItem(t *testing.T) {
	t.Parallel()
	kind := newKind(t, keeping)
	where := model.Condition{{Field: "x", Op: model.Exists}}
	tx, wrong, err := serviceOn(nil, 1).Compose(t.Context(), kind, observation(minute(1), "", num("n", 1)),
		where)
	if err != nil || wrong != nil || len(tx.Puts) != 1 || tx.Latest == nil || tx.Check != nil {
		t.Fatalf("%+v, %v, %v", tx, wrong, err)
	}
	e, l := tx.Puts[0], tx.Latest
	if !l.OrCreate || l.Series != series(kind) || l.First != e.Order || l.Last != e.Order || l.Hash != e.Hash ||
		l.Now != clock() || len(l.Condition) != 1 || len(l.Set) != 1 {
		t.Errorf("latest item %+v of event %+v", l, e)
	}
	if *tx.PurgeLock != e.Series.Subject || e.At != minute(1) {
		t.Errorf("purge lock of %v, event at %s", tx.PurgeLock, e.At)
	}
	if _, wrong, err := serviceOn(nil, 1).Compose(t.Context(), kind, observation(minute(1), "", num("", 1)),
		nil); err != nil || len(wrong) != 1 {
		t.Errorf("a field without a name: %v, %v; want one field error", wrong, err)
	}
}
