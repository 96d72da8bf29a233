package item_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestFromQuarantined_CutsALongPayloadAndSaysSo(t *testing.T) {
	q := quarantined()
	q.Payload = bytes.Repeat([]byte("x"), item.MaxPayload+1)
	stored := item.FromQuarantined(&q)
	if size := stored.Size(); size > 400<<10 {
		t.Errorf("an item of %d bytes, the table accepts 409,600", size)
	}
	got, err := item.Quarantined(stored)
	if err != nil || len(got.Payload) != item.MaxPayload ||
		!strings.Contains(got.Reason, "307201 bytes cut to 307200") {
		t.Errorf("%v, %d bytes, reason %q", err, len(got.Payload), got.Reason)
	}
}

func TestFromQuarantined_ReplacesInvalidUTF8(t *testing.T) {
	q := quarantined()
	q.Reason = "bad \xff"
	q.Errors[0].Message = "field \xfe"
	q.Subject.ID = "\xfd"
	stored := item.FromQuarantined(&q)
	for name, v := range stored {
		if !utf8.ValidString(name) || !utf8.ValidString(v.S) {
			t.Errorf("%s is %q, which the table rejects", name, v.S)
		}
	}
	if got, err := item.Quarantined(stored); err != nil || got.Reason != "bad \uFFFD" ||
		got.Subject != (model.Subject{}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFromQuarantined_SharesNoMemoryWithThePayload(t *testing.T) {
	q := quarantined()
	stored := item.FromQuarantined(&q)
	got, err := item.Quarantined(stored)
	if err != nil {
		t.Fatal(err)
	}
	q.Payload[0], got.Payload[1] = 'X', 'Y'
	if diff := cmp.Diff(quarantined().Payload, stored[tablekeys.AttrPayload].B); diff != "" {
		t.Errorf("the item changed with its payload:\n%s", diff)
	}
}

func TestQuarantined_RejectsDamagedAndNewerItems(t *testing.T) {
	q := quarantined()
	stored := item.FromQuarantined(&q)
	for name, c := range map[string]struct {
		it   item.Item
		want error
	}{
		"no reason":         {without(stored, tablekeys.AttrReason), item.ErrDamaged},
		"no source":         {without(stored, tablekeys.AttrSource), item.ErrDamaged},
		"no arrival":        {without(stored, tablekeys.AttrArrivedAt), item.ErrDamaged},
		"no version":        {without(stored, keys.AttrVersion), item.ErrDamaged},
		"errors not a list": {with(stored, tablekeys.AttrErrors, wrongValues["a word"]), item.ErrDamaged},
		"payload a string":  {with(stored, tablekeys.AttrPayload, wrongValues["a word"]), item.ErrDamaged},
		"expiry a word":     {with(stored, keys.AttrExpiresAt, wrongValues["a word"]), item.ErrDamaged},
		"newer":             {with(stored, keys.AttrVersion, item.Value{Type: item.N, S: "7"}), item.ErrNewer},
		"another class":     {with(stored, keys.AttrPK, item.Value{Type: item.S, S: "DEVICE#d"}), keys.ErrKeyForm},
	} {
		if _, err := item.Quarantined(c.it); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestSize_CountsNamesAndValues(t *testing.T) {
	it := item.Item{
		"s": {Type: item.S, S: "äb"}, "n": {Type: item.N, S: "1234"}, "b": {Type: item.B, B: make([]byte, 5)},
		"yes": {Type: item.Bool, Bool: true}, "nil": {Type: item.Null},
	}
	if got, want := it.Size(), (1+3)+(1+3)+(1+5)+(3+1)+(3+1); got != want {
		t.Errorf("size %d, want %d", got, want)
	}
}
