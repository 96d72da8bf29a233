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

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func anyValue() *rapid.Generator[model.Value] {
	return rapid.OneOf(
		rapid.Just(model.Value{}),
		rapid.Map(rapid.Bool(), model.BoolValue),
		rapid.Map(rapid.String(), model.TextValue),
		rapid.Map(rapid.StringMatching(`-?[0-9]{1,19}(\.[0-9]{1,19})?(e-?[0-9]{1,2})?`), func(s string) model.Value {
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
	return rapid.Map(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)), func(ms int64) model.Time { return model.Time(ms) })
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
		}
		e.Hash = model.HashOf(e.Attrs)
		return e
	})
}

func TestEvent_ComesBackAsItWasStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		got, err := item.Event(item.FromEvent(&e))
		if diff := cmp.Diff(e, got, sameNoun); err != nil || diff != "" {
			t.Fatalf("%v, came back otherwise (-want +got):\n%s", err, diff)
		}
	})
}

// wrecks are things that an attribute is made into by a program that is not ours.
var wrecks = map[string]item.Value{
	"of another type": {},
	"an empty string": {Type: item.S},
	"a word":          {Type: item.S, S: "soon"},
	"a fraction":      {Type: item.N, S: "1.5"},
	"a huge number":   {Type: item.N, S: strings.Repeat("9", 39)},
	"negative":        {Type: item.N, S: "-1"},
	"short bytes":     {Type: item.B, B: []byte{1, 2, 3}},
	"null":            {Type: item.Null},
}

// wrecked is it with one attribute changed.
func wrecked(it item.Item, name string, v item.Value) item.Item {
	it = maps.Clone(it)
	it[name] = v
	return it
}

func without(it item.Item, name string) item.Item {
	it = maps.Clone(it)
	delete(it, name)
	return it
}

func TestEvent_WithDamagedAttributesIsUnreadableButKnown(t *testing.T) {
	e := event()
	stored := item.FromEvent(&e)
	want := model.Event{Series: e.Series, Order: e.Order, ExpiresAt: e.ExpiresAt, Unreadable: true}
	check := func(name string, it item.Item) {
		t.Helper()
		got, err := item.Event(it)
		if diff := cmp.Diff(want, got, sameNoun); err != nil || diff != "" {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
	for _, attr := range []string{keys.AttrVersion, keys.AttrHash, keys.AttrArrived} {
		check("without "+attr, without(stored, attr))
		for name, v := range wrecks {
			check(attr+" made "+name, wrecked(stored, attr, v))
		}
	}
	check("version zero", wrecked(stored, keys.AttrVersion, item.Value{Type: item.N, S: "0"}))
	check("newer version", wrecked(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"}))
	check("measure of 39 digits", wrecked(stored, "temperature", wrecks["a huge number"]))
	check("measure that is no number", wrecked(stored, "temperature", item.Value{Type: item.N, S: "x"}))
	check("measure made a map", wrecked(stored, "temperature", item.Value{}))
	check("field made binary", wrecked(stored, "location", item.Value{Type: item.B, B: []byte{1}}))
}

func TestEvent_WithDamagedExpiryIsUnreadableWithoutOne(t *testing.T) {
	e := event()
	for _, name := range []string{"of another type", "a word", "a fraction", "a huge number", "null"} {
		got, err := item.Event(wrecked(item.FromEvent(&e), keys.AttrExpiresAt, wrecks[name]))
		want := model.Event{Series: e.Series, Order: e.Order, Unreadable: true}
		if diff := cmp.Diff(want, got, sameNoun); err != nil || diff != "" {
			t.Errorf("expiry made %s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestEvent_IgnoresAttributesOfOursThatItDoesNotKnow(t *testing.T) {
	e := event()
	it := wrecked(item.FromEvent(&e), "_later", item.Value{})
	it[keys.AttrGSI1PK] = item.Value{Type: item.S, S: "x"}
	got, err := item.Event(it)
	if diff := cmp.Diff(e, got, sameNoun); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestEvent_WithoutItsKeyIsAnError(t *testing.T) {
	e, c := event(), current()
	stored := item.FromEvent(&e)
	for name, it := range map[string]item.Item{
		"nothing at all":       nil,
		"no partition key":     without(stored, keys.AttrPK),
		"no sort key":          without(stored, keys.AttrSK),
		"sort key of a number": wrecked(stored, keys.AttrSK, item.Value{Type: item.N, S: "1"}),
		"key of a current":     item.FromCurrent(&c),
		"key with a bad time":  wrecked(stored, keys.AttrSK, item.Value{Type: item.S, S: "EVENT#READING##yesterday#"}),
	} {
		if got, err := item.Event(it); !errors.Is(err, keys.ErrForeign) {
			t.Errorf("%s: %v, %v; want ErrForeign", name, got, err)
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
		t.Errorf("reserved names reached the item (-want +got):\n%s", diff)
	}
}

func TestFromEvent_SharesNothingWithTheEvent(t *testing.T) {
	e := event()
	it := item.FromEvent(&e)
	e.Hash[0]++
	if it[keys.AttrHash].B[0] == e.Hash[0] {
		t.Error("a change of the event changed the item")
	}
}

// The decoders meet whatever is in the table: none panics, and what one reads is
// stored and read again as the same.
func FuzzItemEvent(f *testing.F) {
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
		it := itemOf(doc)
		if e, err := item.Event(it); err == nil && !e.Unreadable {
			again, err := item.Event(item.FromEvent(&e))
			if diff := cmp.Diff(e, again, sameNoun); err != nil || diff != "" {
				t.Fatalf("%v, read again otherwise:\n%s", err, diff)
			}
		} else if _, keyErr := keys.ParseEvent(it.Key()); (err != nil) != (keyErr != nil) {
			t.Fatalf("key: %v, event: %v", keyErr, err)
		}
		if c, err := item.Current(it); err == nil {
			again, err := item.Current(item.FromCurrent(&c))
			if diff := cmp.Diff(c, again, sameNoun); err != nil || diff != "" {
				t.Fatalf("%v, read again otherwise:\n%s", err, diff)
			}
		}
		if r, err := item.Row(it); err == nil {
			stored, err := item.FromRow(&r)
			if errors.Is(err, item.ErrRowTooLarge) {
				return
			}
			again, err2 := item.Row(stored)
			if diff := cmp.Diff(r, again, sameNoun); err != nil || err2 != nil || diff != "" {
				t.Fatalf("%v, %v, read again otherwise:\n%s", err, err2, diff)
			}
		}
		if q, err := item.Quarantined(it); err == nil && q.ID != "" {
			if _, err := item.Quarantined(item.FromQuarantined(&q)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
