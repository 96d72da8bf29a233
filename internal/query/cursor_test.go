package query_test

import (
	"context"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// cursor is that of the first of several pages.
func (w *world) cursor() (query.History, string) {
	w.t.Helper()
	for i := range 3 {
		w.put(w.reading(now-hour, string(rune('a'+i)), 1, 0))
	}
	q := w.all()
	q.Limit = 1
	page, err := w.query.History(context.Background(), q)
	if err != nil || page.Next == "" {
		w.t.Fatalf("first page: next %q, %v", page.Next, err)
	}
	return q, page.Next
}

func TestCursor_ForgedIsNamed(t *testing.T) {
	w := newWorld(t, nil)
	q, cursor := w.cursor()
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	requireNoError(t, err)
	forged := []string{"x", "!!", cursor + "AA", cursor[:len(cursor)-2], "AQ"}
	for i := range raw {
		changed := append([]byte{}, raw...)
		changed[i] ^= 1
		forged = append(forged, base64.RawURLEncoding.EncodeToString(changed))
	}
	for _, q.Cursor = range forged {
		if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrCursor) {
			t.Errorf("%q: %v, want %v", q.Cursor, err, query.ErrCursor)
		}
	}
	q.Cursor = cursor
	w.query.CursorKey = []byte("another key, as after a change")
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrCursor) {
		t.Errorf("after the key changed: %v, want %v", err, query.ErrCursor)
	}
}

func TestCursor_OfAnotherRequestIsNamed(t *testing.T) {
	w := newWorld(t, nil)
	q, cursor := w.cursor()
	for name, change := range map[string]func(*query.History){
		"subject":   func(q *query.History) { q.Subject = "sensor_02" },
		"stream":    func(q *query.History) { q.Stream = "status" },
		"from":      func(q *query.History) { q.From++ },
		"to":        func(q *query.History) { q.To-- },
		"direction": func(q *query.History) { q.Newest = true },
	} {
		other := q
		other.Cursor = cursor
		change(&other)
		if _, err := w.query.History(context.Background(), other); !errors.Is(err, query.ErrForeignCursor) {
			t.Errorf("another %s: %v, want %v", name, err, query.ErrForeignCursor)
		}
	}
	rollups := query.Rollups{Series: q.Series, Unit: tier.Hour, From: q.From, To: q.To, Cursor: cursor}
	if _, err := w.query.Rollups(context.Background(), rollups); !errors.Is(err, query.ErrForeignCursor) {
		t.Errorf("of a history, given to rollups: %v, want %v", err, query.ErrForeignCursor)
	}
}

func TestCursor_LimitAndConsistencyMayChange(t *testing.T) {
	w := newWorld(t, nil)
	q, cursor := w.cursor()
	q.Cursor, q.Limit, q.Consistent = cursor, 10, true
	page, err := w.query.History(context.Background(), q)
	requireNoError(t, err)
	if len(page.Events) != 2 || page.Next != "" {
		t.Errorf("got %d events, next %q; want the two that are left", len(page.Events), page.Next)
	}
}

func TestCursor_WithoutAKeyThereAreNone(t *testing.T) {
	w := newWorld(t, nil)
	q, cursor := w.cursor()
	w.query.CursorKey = nil
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrNoCursorKey) {
		t.Errorf("a page that has a next one: %v, want %v", err, query.ErrNoCursorKey)
	}
	q.Cursor = cursor
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrNoCursorKey) {
		t.Errorf("a page after a cursor: %v, want %v", err, query.ErrNoCursorKey)
	}
	q.Cursor = ""
	if got := w.orders(q); len(got) != 1 {
		t.Errorf("an iteration needs no key: got %v", got)
	}
}

func FuzzCursor_OpensForNobodyWhoMadeItUp(f *testing.F) {
	f.Add("")
	f.Add("AQ")
	f.Add(base64.RawURLEncoding.EncodeToString(make([]byte, 64)))
	f.Fuzz(func(t *testing.T, made string) {
		w := newWorld(t, nil)
		q := w.all()
		q.Cursor = made
		_, err := w.query.History(context.Background(), q)
		if made != "" && !errors.Is(err, query.ErrCursor) {
			t.Errorf("%q: %v, want %v", made, err, query.ErrCursor)
		}
	})
}

func TestCursor_OpensAfterItsKeyWasReplaced(t *testing.T) {
	w := newWorld(t, nil)
	before, err := w.query.Seal([]byte("place"), "subjects", "DEVICE")
	if err != nil {
		t.Fatal(err)
	}
	w.query.CursorKey, w.query.OlderKeys = []byte("the fresh key, which signs"), [][]byte{w.query.CursorKey}
	if place, err := w.query.Open(before, "subjects", "DEVICE"); err != nil || string(place) != "place" {
		t.Errorf("signed by the older key: %q, %v", place, err)
	}
	after, err := w.query.Seal([]byte("place"), "subjects", "DEVICE")
	if err != nil || after == before {
		t.Errorf("the older key signs still: %q, %v", after, err)
	}
	if _, err := w.query.Open(after, "subjects", "SITE"); !errors.Is(err, query.ErrForeignCursor) {
		t.Errorf("of another request: %v, want %v", err, query.ErrForeignCursor)
	}
	w.query.OlderKeys = nil
	if _, err := w.query.Open(before, "subjects", "DEVICE"); !errors.Is(err, query.ErrCursor) {
		t.Errorf("signed by a key that is gone: %v, want %v", err, query.ErrCursor)
	}
}
