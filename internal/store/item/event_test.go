package item_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func anyValue() *rapid.Generator[model.Value] {
	return rapid.OneOf(
		rapid.Just(model.Value{}),
		rapid.Map(rapid.Bool(), model.BoolValue),
		rapid.Map(rapid.String(), model.TextValue),
		rapid.Map(rapid.StringMatching(`-?[0-9]{1,19}(\.[0-9]{1,19})?(e-?[0-9]{1,2})?`),
			func(s string) model.Value {
				return model.NumberValue(model.MustDecimal(s))
			}),
	)
}

func anyAttrs() *rapid.Generator[model.Attrs] {
	names := rapid.String().Filter(func(name string) bool { return name != "" && !keys.Reserved(name) })
	return rapid.Map(rapid.MapOfN(names, anyValue(), 0, 8), func(m map[string]model.Value) (out model.Attrs) {
		for name, v := range m {
			out = append(out, model.Attr{Name: name, Value: v})
		}
		out.Sort()
		return out
	})
}

func anyTime() *rapid.Generator[model.Time] {
	return rapid.Map(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)), func(ms int64) model.Time {
		return model.Time(ms)
	})
}

func anyEvent() *rapid.Generator[model.Event] {
	return rapid.Custom(func(t *rapid.T) model.Event {
		some := rapid.StringN(1, 8, -1)
		e := model.Event{
			Series: model.Series{
				Subject: model.Subject{Type: some.Draw(t, "type"), ID: some.Draw(t, "subject")},
				Kind:    some.Draw(t, "kind"), Stream: rapid.String().Draw(t, "stream"), Shard: rapid.IntRange(0, 9).Draw(t, "shard"),
			},
			Order:     model.Order{At: anyTime().Draw(t, "at"), ID: rapid.String().Draw(t, "id")},
			Attrs:     anyAttrs().Draw(t, "attrs"),
			ArrivedAt: anyTime().Draw(t, "arrived"),
			ExpiresAt: rapid.Int64Range(0, 1<<40).Draw(t, "expiresAt"),
			Late:      rapid.Bool().Draw(t, "late"),

			CorrectedAt: rapid.OneOf(rapid.Just(model.Time(0)), anyTime()).Draw(t, "corrected"),
		}
		e.Hash = model.HashAttrs(e.Attrs)
		return e
	})
}

func TestEvent_IsTheInverseOfFromEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		got, err := item.Event(item.FromEvent(&e))
		if diff := cmp.Diff(e, got, sameEntity); err != nil || diff != "" {
			t.Fatalf("%v, decoded item differs (-want +got):\n%s", err, diff)
		}
	})
}

// wrongValues are values that another program may have written to an attribute.
var wrongValues = map[string]item.Value{
	"of another type": {},
	"an empty string": {Type: item.S},
	"a word":          {Type: item.S, S: "soon"},
	"a fraction":      {Type: item.N, S: "1.5"},
	"a huge number":   {Type: item.N, S: strings.Repeat("9", 39)},
	"negative":        {Type: item.N, S: "-1"},
	"short bytes":     {Type: item.B, B: []byte{1, 2, 3}},
	"null":            {Type: item.Null},
}

// with returns a copy of it with one attribute changed.
func with(it item.Item, name string, v item.Value) item.Item {
	it = maps.Clone(it)
	it[name] = v
	return it
}

func without(it item.Item, name string) item.Item {
	it = maps.Clone(it)
	delete(it, name)
	return it
}

func TestEvent_WithDamagedAttributesIsUnreadable(t *testing.T) {
	e := event()
	stored := item.FromEvent(&e)
	want := model.Event{Series: e.Series, Order: e.Order, ExpiresAt: e.ExpiresAt, Unreadable: true}
	check := func(name string, it item.Item) {
		t.Helper()
		got, err := item.Event(it)
		if diff := cmp.Diff(want, got, sameEntity); err != nil || diff != "" {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
	for _, attr := range []string{keys.AttrVersion, tablekeys.AttrHash, tablekeys.AttrArrivedAt} {
		check("without "+attr, without(stored, attr))
		for name, v := range wrongValues {
			check(attr+" made "+name, with(stored, attr, v))
		}
	}
	check("version zero", with(stored, keys.AttrVersion, item.Value{Type: item.N, S: "0"}))
	check("newer version", with(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"}))
	check("measure of 39 digits", with(stored, "temperature", wrongValues["a huge number"]))
	check("measure that is not a number", with(stored, "temperature", item.Value{Type: item.N, S: "x"}))
	check("measure made a map", with(stored, "temperature", item.Value{}))
	check("field made binary", with(stored, "location", item.Value{Type: item.B, B: []byte{1}}))
}

func TestEvent_WithDamagedExpiryIsUnreadableWithoutExpiry(t *testing.T) {
	e := event()
	for _, name := range []string{"of another type", "a word", "a fraction", "a huge number", "null"} {
		got, err := item.Event(with(item.FromEvent(&e), keys.AttrExpiresAt, wrongValues[name]))
		want := model.Event{Series: e.Series, Order: e.Order, Unreadable: true}
		if diff := cmp.Diff(want, got, sameEntity); err != nil || diff != "" {
			t.Errorf("expiry with %s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestEvent_IgnoresUnknownReservedAttributes(t *testing.T) {
	e := event()
	it := with(item.FromEvent(&e), "_later", item.Value{})
	it[keys.AttrGSI1PK] = item.Value{Type: item.S, S: "x"}
	got, err := item.Event(it)
	if diff := cmp.Diff(e, got, sameEntity); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestEvent_WithoutItsKeyIsAnError(t *testing.T) {
	e, c := event(), latest()
	stored := item.FromEvent(&e)
	for name, it := range map[string]item.Item{
		"nothing at all":       nil,
		"no partition key":     without(stored, keys.AttrPK),
		"no sort key":          without(stored, keys.AttrSK),
		"sort key of a number": with(stored, keys.AttrSK, item.Value{Type: item.N, S: "1"}),
		"key of a latest item": item.FromLatest(&c),
		"key with a bad time":  with(stored, keys.AttrSK, item.Value{Type: item.S, S: "EVENT#READING##yesterday#"}),
	} {
		if got, err := item.Event(it); !errors.Is(err, keys.ErrKeyForm) {
			t.Errorf("%s: %v, %v; want ErrKeyForm", name, got, err)
		}
	}
}

func TestFromEvent_FieldsNeverOverwriteOurAttributes(t *testing.T) {
	e := event()
	for _, name := range []string{"_hash", "_x", "expiresAt", "gsi1pk", "pk", "v"} {
		e.Attrs = append(e.Attrs, model.Attr{Name: name, Value: model.TextValue("forged")})
	}
	e.Attrs.Sort()
	clean := event()
	if diff := cmp.Diff(item.FromEvent(&clean), item.FromEvent(&e)); diff != "" {
		t.Errorf("the item has reserved names (-want +got):\n%s", diff)
	}
}

func TestFromEvent_SharesNoMemoryWithTheEvent(t *testing.T) {
	e := event()
	it := item.FromEvent(&e)
	e.Hash[0]++
	if it[tablekeys.AttrHash].B[0] == e.Hash[0] {
		t.Error("a change of the event changed the item")
	}
}

// Any item may be in the table: no decoder panics, and each decoded entity is the same after it
// is encoded and decoded again.
func FuzzItemEvent(f *testing.F) {
	testenv.AddCorpus(f)
	files, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var doc map[string]attribute
		if json.Unmarshal(text, &doc) != nil {
			return
		}
		it := goldenItem(doc)
		if e, err := item.Event(it); err == nil && !e.Unreadable {
			again, err := item.Event(item.FromEvent(&e))
			if diff := cmp.Diff(e, again, sameEntity); err != nil || diff != "" {
				t.Fatalf("%v, differs after encoding and decoding:\n%s", err, diff)
			}
		} else if _, keyErr := keys.ParseEvent(it.Key()); (err != nil) != (keyErr != nil) {
			t.Fatalf("key: %v, event: %v", keyErr, err)
		}
		if c, err := item.Latest(it); err == nil {
			again, err := item.Latest(item.FromLatest(&c))
			if diff := cmp.Diff(c, again, sameEntity); err != nil || diff != "" {
				t.Fatalf("%v, differs after encoding and decoding:\n%s", err, diff)
			}
		}
		if r, err := item.Row(it); err == nil {
			stored, err := item.FromRow(&r)
			if errors.Is(err, item.ErrRowTooLarge) {
				return
			}
			again, err2 := item.Row(stored)
			if diff := cmp.Diff(r, again, sameEntity); err != nil || err2 != nil || diff != "" {
				t.Fatalf("%v, %v, differs after encoding and decoding:\n%s", err, err2, diff)
			}
		}
		if q, err := item.Quarantined(it); err == nil && q.ID != "" {
			if _, err := item.Quarantined(item.FromQuarantined(&q)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
