package query_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// cursor returns a request with several pages, and the cursor of its first page.
func (w *fixture) cursor() (query.History, string) {
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

func TestCursor_ForgedIsRejected(t *testing.T) {
	w := newFixture(t, nil)
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
		t.Errorf("after the key was replaced: %v, want %v", err, query.ErrCursor)
	}
}

func TestCursor_OfAnotherRequestIsRejected(t *testing.T) {
	w := newFixture(t, nil)
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
		if _, err := w.query.History(context.Background(), other); !errors.Is(err, query.ErrCursorMismatch) {
			t.Errorf("another %s: %v, want %v", name, err, query.ErrCursorMismatch)
		}
	}
	rollups := query.Rollups{Series: q.Series, Unit: tier.Hour, From: q.From, To: q.To, Cursor: cursor}
	if _, err := w.query.Rollups(context.Background(), rollups); !errors.Is(err, query.ErrCursorMismatch) {
		t.Errorf("cursor of a history, passed to rollups: %v, want %v", err, query.ErrCursorMismatch)
	}
}

func TestCursor_LimitAndConsistencyMayChange(t *testing.T) {
	w := newFixture(t, nil)
	q, cursor := w.cursor()
	q.Cursor = cursor
	q.Limit = 10
	q.Consistent = true
	page, err := w.query.History(context.Background(), q)
	requireNoError(t, err)
	if len(page.Events) != 2 || page.Next != "" {
		t.Errorf("got %d events, next %q; want the remaining two", len(page.Events), page.Next)
	}
}

func TestCursor_WithoutAKeyIsAnError(t *testing.T) {
	w := newFixture(t, nil)
	q, cursor := w.cursor()
	w.query.CursorKey = nil
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrNoCursorKey) {
		t.Errorf("a page with a next page: %v, want %v", err, query.ErrNoCursorKey)
	}
	q.Cursor = cursor
	if _, err := w.query.History(context.Background(), q); !errors.Is(err, query.ErrNoCursorKey) {
		t.Errorf("a page after a cursor: %v, want %v", err, query.ErrNoCursorKey)
	}
	q.Cursor = ""
	if got := w.orders(q); len(got) != 1 {
		t.Errorf("an iteration without a key: got %v, want one event", got)
	}
}

func FuzzCursor_AForgedCursorIsRejected(f *testing.F) {
	testenv.AddCorpus(f)
	f.Add("")
	f.Add("AQ")
	f.Add(base64.RawURLEncoding.EncodeToString(make([]byte, 64)))
	f.Fuzz(func(t *testing.T, cursor string) {
		w := newFixture(t, nil)
		q := w.all()
		q.Cursor = cursor
		_, err := w.query.History(context.Background(), q)
		if cursor != "" && !errors.Is(err, query.ErrCursor) {
			t.Errorf("%q: %v, want %v", cursor, err, query.ErrCursor)
		}
	})
}

func TestCursor_IsAcceptedAfterItsKeyWasReplaced(t *testing.T) {
	w := newFixture(t, nil)
	before, err := w.query.SealCursor([]byte("position"), "subjects", "DEVICE")
	if err != nil {
		t.Fatal(err)
	}
	w.query.CursorKey, w.query.OlderKeys = []byte("the new key, which signs"), [][]byte{w.query.CursorKey}
	if position, err := w.query.OpenCursor(before, "subjects", "DEVICE"); err != nil ||
		string(position) != "position" {
		t.Errorf("signed by the previous key: %q, %v", position, err)
	}
	after, err := w.query.SealCursor([]byte("position"), "subjects", "DEVICE")
	if err != nil || after == before {
		t.Errorf("still signed by the previous key: %q, %v", after, err)
	}
	if _, err := w.query.OpenCursor(after, "subjects", "SITE"); !errors.Is(err, query.ErrCursorMismatch) {
		t.Errorf("of another request: %v, want %v", err, query.ErrCursorMismatch)
	}
	w.query.OlderKeys = nil
	if _, err := w.query.OpenCursor(before, "subjects", "DEVICE"); !errors.Is(err, query.ErrCursor) {
		t.Errorf("signed by a removed key: %v, want %v", err, query.ErrCursor)
	}
}

// A page may end at an item that its caller may not see: the cursor does not show the position. The same
// page has the same cursor, on which the entity tags of HTTP responses depend.
func TestCursor_IsEncryptedAndTheSameForTheSamePage(t *testing.T) {
	w := newFixture(t, nil)
	position := []byte("other:sensor_01")
	cursor, err := w.query.SealCursor(position, "subjects", "DEVICE")
	requireNoError(t, err)
	again, err := w.query.SealCursor(position, "subjects", "DEVICE")
	requireNoError(t, err)
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	requireNoError(t, err)
	if again != cursor || bytes.Contains(raw, position) {
		t.Errorf("cursors %q and %q: want the same one, without the position", cursor, again)
	}
}
