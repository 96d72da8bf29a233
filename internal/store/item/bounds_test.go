package item_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A payload is stored up to the limit of its size, and cut behind it.
func TestQuarantined_KeepsAPayloadUpToTheLimit(t *testing.T) {
	for n, want := range map[int]int{item.MaxPayload - 1: item.MaxPayload - 1, item.MaxPayload: item.MaxPayload,
		item.MaxPayload + 1: item.MaxPayload} {
		q := quarantined()
		q.Payload = bytes.Repeat([]byte("x"), n)
		back, err := item.Quarantined(item.FromQuarantined(&q))
		if cut := strings.Contains(back.Reason, "cut to"); err != nil || len(back.Payload) != want ||
			cut != (n > want) {
			t.Errorf("%d bytes: %d are stored, reason %q, %v; want %d", n, len(back.Payload), back.Reason, err, want)
		}
	}
}

// The error of a damaged item names the attribute, and says what it is not.
func TestDecoders_TheErrorNamesTheAttribute(t *testing.T) {
	for name, want := range map[string]string{"write-key": tablekeys.AttrWriteKey + " is not a write key",
		"alert-open": tablekeys.AttrAlert + " is not an alert"} {
		f := forms()[name]
		it, err := f.encode()
		if err != nil {
			t.Fatal(err)
		}
		attr, _, _ := strings.Cut(want, " ")
		it[attr] = item.Value{Type: item.S, S: "{x"}
		if _, err := f.decode(it); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// The keys of consecutive records share parts, and some are not an event's.
func TestScanner_EventKeyIsThatOfTheKey(t *testing.T) {
	key := func(id string, at model.Time) keys.Key {
		e := event()
		e.Series.Subject.ID, e.At = id, at
		return keys.Event(e.Key())
	}
	var s item.Scanner
	damaged := key("a", 1)
	damaged.SK = "METADATA"
	for _, k := range []keys.Key{key("a", 1), key("a", 1), key("a", 2), key("b", 2), damaged, damaged,
		key("b", 2), key("a#b", 2), key("b", 2)} {
		var got model.EventKey
		err := s.EventKey(k, &got)
		want, wantErr := keys.ParseEvent(k)
		if (err == nil) != (wantErr == nil) || err == nil && got != want {
			t.Errorf("%q: %+v, %v; want %+v, %v", k, got, err, want, wantErr)
		}
	}
	position := []byte(`{"pk":{"S":"DEVICE#a"},"sk":{"S":"EVENT#x"}}`)
	for range 2 {
		if k, next, err := s.Key(position, 0); err != nil || next != len(position) ||
			k != (keys.Key{PK: "DEVICE#a", SK: "EVENT#x"}) {
			t.Errorf("position %q, next %d, %v", k, next, err)
		}
	}
	if _, _, err := s.Key([]byte(`{"pk":7}`), 0); err == nil {
		t.Error("a number is taken for a position")
	}
}
