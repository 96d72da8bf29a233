package item_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// readItem decodes an item with encoding/json and maps: the oracle. It returns false for text
// that is not DynamoDB's JSON.
func readItem(b []byte) (item.Item, bool) {
	var attributes map[string]map[string]json.RawMessage
	if err := json.Unmarshal(b, &attributes); err != nil || attributes == nil {
		return nil, false
	}
	it := item.Item{}
	for name, members := range attributes {
		v, ok := readValue(members)
		if !ok {
			return nil, false
		}
		it[name] = v
	}
	return it, true
}

func readValue(members map[string]json.RawMessage) (v item.Value, ok bool) {
	ok = true
	for name, raw := range members {
		if string(raw) == "null" {
			continue
		}
		var to any
		switch name {
		case "S":
			v.Type, to = item.S, &v.S
		case "N":
			v.Type, to = item.N, &v.S
		case "B":
			var text string
			ok = ok && json.Unmarshal(raw, &text) == nil
			v.Type = item.B
			if b, err := base64.StdEncoding.DecodeString(text); err == nil {
				v.B = b
			}
			continue
		case "BOOL":
			v.Type, to = item.Bool, &v.Bool
		case "NULL":
			v.Type, to = item.Null, new(bool)
		default:
			continue
		}
		ok = ok && json.Unmarshal(raw, to) == nil
	}
	if len(members) != 1 {
		v = item.Value{}
	}
	return v, ok
}

// ambiguous reports whether b has duplicate names or invalid UTF-8, which encoding/json accepts
// and a Scanner may reject.
func ambiguous(b []byte) bool {
	if !utf8.Valid(b) || strings.Contains(strings.ToLower(string(b)), `\ud`) {
		return true
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	return names(d)
}

// names decodes one value and reports whether an object in it has a duplicate name.
func names(d *json.Decoder) (twice bool) {
	t, err := d.Token()
	delim, is := t.(json.Delim)
	if err != nil || !is {
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		if delim == '{' {
			t, _ := d.Token()
			name, _ := t.(string)
			twice, seen[name] = twice || seen[name], true
		}
		twice = names(d) || twice
	}
	_, _ = d.Token()
	return twice
}

// fatal is implemented by tests, fuzz tests and rapid properties.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkItem compares the result of a Scanner, in any state, with the oracle's.
func checkItem(t fatal, s *item.Scanner, b []byte) {
	t.Helper()
	var got model.Event
	next, err := s.Event(b, 0, &got)
	if next == jsonscan.Invalid {
		if end := jsonscan.Skip(b, 0); end != jsonscan.Invalid {
			t.Fatalf("%s is reported as invalid JSON", b)
		}
		return
	}
	if next > len(b) || jsonscan.Skip(b, 0) != next {
		t.Fatalf("%s: next is %d, want %d", b, next, jsonscan.Skip(b, 0))
	}
	if b = b[:next]; ambiguous(b) {
		return
	}
	it, ok := readItem(b)
	if !ok {
		if !errors.Is(err, item.ErrForm) {
			t.Fatalf("%s: %v, want an error", b, err)
		}
		return
	}
	want, wantErr := item.Event(it)
	if wantErr != nil {
		if !errors.Is(err, keys.ErrKeyForm) {
			t.Fatalf("%s: %v, want %v", b, err, wantErr)
		}
		return
	}
	if err != nil || !cmp.Equal(got, want, equalDecimals) {
		t.Fatalf("%s is\n%+v, %v, want\n%+v", b, got, err, want)
	}
}

var equalDecimals = cmp.Comparer(func(a, b model.Decimal) bool { return a == b })

// written returns an item in DynamoDB's JSON, its attributes in any order, with or without white
// space and escapes.
func written(t *rapid.T, it item.Item) []byte {
	space := func() string { return rapid.SampledFrom([]string{"", "", "", "", " ", "\n\t"}).Draw(t, "space") }
	if rapid.IntRange(0, 3).Draw(t, "spaced") > 0 {
		space = func() string { return "" }
	}
	list := make([]string, 0, len(it))
	for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(it))).Draw(t, "order") {
		list = append(list, space()+quoted(t, name)+space()+":"+space()+"{"+space()+valueJSON(t, it[name])+space()+
			"}"+space())
	}
	return []byte("{" + strings.Join(list, ",") + "}")
}

func valueJSON(t *rapid.T, v item.Value) string {
	switch v.Type {
	case item.S:
		return `"S":` + quoted(t, v.S)
	case item.N:
		return `"N":` + quoted(t, v.S)
	case item.B:
		return `"B":` + quoted(t, base64.StdEncoding.EncodeToString(v.B))
	case item.Bool:
		return fmt.Sprintf(`"BOOL":%v`, v.Bool)
	case item.Null:
		return `"NULL":true`
	}
	return rapid.SampledFrom([]string{`"L":[{"S":"a"}]`, `"M":{"a":{"N":"1"}}`, `"SS":["a"]`, `"S":null`, ``,
		`"S":"a","N":"1"`, `"X":1`}).Draw(t, "other")
}

// quoted returns a JSON string. Slashes may be escaped, as some writers do.
func quoted(t *rapid.T, text string) string {
	b, _ := json.Marshal(text)
	if rapid.IntRange(0, 9).Draw(t, "escaped") > 0 {
		return string(b)
	}
	return strings.ReplaceAll(string(b), "/", `\/`)
}

// storedItem generates items of a table: events, most of them complete.
func storedItem(t *rapid.T) item.Item {
	series := model.Series{
		Subject: model.Subject{Type: "DEVICE", ID: rapid.SampledFrom([]string{"d1", "d2", `a"b`, "ä/b", "a#b"}).Draw(t, "subject")},
		Kind:    rapid.SampledFrom([]string{"READING", "ALERT"}).Draw(t, "kind"),
		Shard:   rapid.IntRange(0, 2).Draw(t, "shard"),
	}
	e := model.Event{Series: series, Order: model.Order{
		At: model.Time(1776693600000 + rapid.Int64Range(0, 5e12).Draw(t, "at")), ID: rapid.SampledFrom([]string{"", "01", "a b"}).Draw(t, "id"),
	}, ArrivedAt: 1776693600350, ExpiresAt: rapid.SampledFrom([]int64{0, 1779285600, -5}).Draw(t, "expiry")}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"battery", "humidity", "temperature", "temperature_2", "location", "ok", "ä", "", `q"`}), 0, 5, rapid.ID).Draw(t, "fields") {
		e.Attrs = append(e.Attrs, model.Attr{Name: name, Value: scannedValue(t)})
	}
	e.Attrs.Sort()
	e.Hash = model.HashAttrs(e.Attrs)
	if v, ok := e.Attrs.Get("location"); ok && v.Kind == model.Text && rapid.Bool().Draw(t, "indexed") {
		e.IndexBy = "location"
	}
	it := item.FromEvent(&e)
	if rapid.IntRange(0, 4).Draw(t, "damage") == 0 {
		names := slices.Sorted(maps.Keys(it))
		name := rapid.SampledFrom(append(names, "stray", keys.AttrGSI1PK, keys.AttrGSI2PK)).Draw(t, "damaged")
		it[name] = rapid.SampledFrom([]item.Value{
			{}, {Type: item.Null}, {Type: item.Bool}, {Type: item.S, S: "x"}, {Type: item.N, S: "2"}, {Type: item.N, S: "NaN"}, {Type: item.B, B: []byte{1}},
			{Type: item.S, S: "BY#READING#location#x"}, {Type: item.N, S: "1234567890123456789012.5"},
		}).Draw(t, "by")
		if rapid.Bool().Draw(t, "missing") {
			delete(it, name)
		}
	}
	return it
}

func scannedValue(t *rapid.T) model.Value {
	switch rapid.IntRange(0, 5).Draw(t, "value") {
	case 0:
		return model.Value{}
	case 1:
		return model.BoolValue(rapid.Bool().Draw(t, "bool"))
	case 2:
		return model.TextValue(
			rapid.SampledFrom([]string{"", "warehouse-a", "a/b", "ä", `"`, "\\", "\x00", "🌊"}).Draw(t, "text"))
	}
	return model.NumberValue(
		model.MustDecimal(rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,15})?`).Draw(t, "number")))
}

// One Scanner scans many items, so that its caches are used.
func TestScanner_EventEqualsThatOfTheItemDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s item.Scanner
		few := make([][]byte, 6)
		for i := range few {
			few[i] = written(t, storedItem(t))
		}
		for range 40 {
			checkItem(t, &s, rapid.SampledFrom(few).Draw(t, "item"))
		}
	})
}

// Each value of an item with a known shape is replaced by other text.
func TestScanner_ValidatesEachValueOfAKnownShape(t *testing.T) {
	const complete = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"},"expiresAt":{"N":"1779285601"},"temperature":{"N":"22.4"},"location":{"S":"hall"},"ok":{"BOOL":true},"gone":{"NULL":true}}`
	values := []string{`DEVICE#d`, `EVENT#READING##2026-04-20T14:00:00.000Z#`, `"N":"1"`,
		`nrcnk1N2IKA2YjYhJgjMHg==`, `2026-04-20T14:00:01.250Z`,
		`1779285601`, `22.4`, `hall`, `:true},"g`, `"NULL":true`, `"ok"`}
	others := []string{``, `x`, `"N":"2"`, `"N":"01"`, `DEVICE#e`, `DEVICE`,
		`EVENT#READING##2026-04-20T14:00:00.000Z#7`, `AGG#x`, `a"`, `"`, `\`, `\u00e4`, "\xff", "\x01",
		`22.40`, `1e5`, `-1`, `.5`, `nrcnk1N2IKA2YjYhJgjM=g==`, `nrcnk1N2IKA2YjYhJgjMHg`, `nrcnk1N2IKA2YjYhJgjM\/g==`, `:null},"g`, `:"true"},"g`, `:false},"g`, `"NULL":false`,
		`"temperature"`, `"_hash"`, `1779285601.5`, `01779285601`, `2026-02-30T14:00:01.250Z`, `nrcnk1N2IKA2YjYhJgjM\u0048g==`}
	for _, value := range values {
		for _, other := range others {
			var s item.Scanner
			for range 5 {
				checkItem(t, &s, []byte(complete))
			}
			checkItem(t, &s, []byte(strings.Replace(complete, value, other, 1)))
			checkItem(t, &s, []byte(complete))
		}
	}
}

// An attribute with the text of the last key and another type is not a key, also if its
// beginning is cached.
func TestScanner_DoesNotTakeANumberForTheLastKey(t *testing.T) {
	const tail = `"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.123Z#"},"v":{"N":"1"},"_arrived":{"S":"2026-04-20T14:00:01.000Z"},"_hash":{"B":"WhhgpgMmpu6ByYgWsPJj1g=="}}`
	var s item.Scanner
	for _, b := range []string{
		`{"pk":{"S":"7#1"},` + tail, // a subject of type 7
		`{"pk":{"N":"7#1"},` + tail,
		`{"pk":{"S":"7#1"},` + tail,
		`{"pk":{"N":"7#1"},` + tail,
		`{"v":{"N":"1"},"pk":{"N":"7#1"},` + strings.Replace(tail, `,"v":{"N":"1"}`, "", 1),
		`{"v":{"N":"1"},"pk":{"S":"7#1"},` + strings.Replace(tail, `,"v":{"N":"1"}`, "", 1),
	} {
		checkItem(t, &s, []byte(b))
	}
}

func TestScanner_RejectsDuplicateNames(t *testing.T) {
	const complete = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"},"temperature":{"N":"22.4"}%s}`
	for _, again := range []string{`,"temperature":{"N":"22.4"}`, `,"pk":{"S":"DEVICE#e"}`, `,"v":{"N":"1"}`,
		`,"\u0074emperature":{"N":"1"}`, `,"x":{"S":"\ud800"}`, `,"\ud800":{"N":"1"}`} {
		var s item.Scanner
		var e model.Event
		for range 3 {
			if _, err := s.Event([]byte(fmt.Sprintf(complete, "")), 0, &e); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Event([]byte(fmt.Sprintf(complete, again)), 0, &e); !errors.Is(err, item.ErrForm) {
			t.Errorf("an item that ends with %s: %v, want ErrForm", again, err)
		}
	}
}

func TestScanner_DoesNotAllocateForKnownShapes(t *testing.T) {
	var items [][]byte
	for i := range 100 {
		e := model.Event{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d"}, Kind: "READING"},
			Order: model.Order{At: model.Time(1776693600000 + i)}, ArrivedAt: 1776693600350, Attrs: model.Attrs{
				{Name: "humidity", Value: model.NumberValue(model.NewDecimal(int64(i)))},
				{Name: "temperature", Value: model.NumberValue(model.MustDecimal("22.4"))}}}
		b := []byte("{")
		for n, name := range []string{"temperature", "sk", "_hash", "pk", "humidity", "v", "_arrived"} {
			if n > 0 {
				b = append(b, ',')
			}
			v := item.FromEvent(&e)[name]
			types := map[item.Type]string{item.S: "S", item.N: "N", item.B: "B"}
			text := v.S
			if v.Type == item.B {
				text = base64.StdEncoding.EncodeToString(v.B)
			}
			b = fmt.Appendf(b, `%q:{%q:%q}`, name, types[v.Type], text)
		}
		items = append(items, append(b, '}'))
	}
	var s item.Scanner
	var e model.Event
	if got := testing.AllocsPerRun(20, func() {
		s.Reset()
		for _, b := range items {
			if _, err := s.Event(b, 0, &e); err != nil || e.Unreadable {
				t.Fatal(err, e.Unreadable)
			}
		}
	}); got > 1 { // a block for texts, once in several hundred items
		t.Errorf("%v allocations for %d items, want at most 1", got, len(items))
	}
}

func FuzzScanner(f *testing.F) {
	testenv.AddCorpus(f)
	const complete = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"},"expiresAt":{"N":"1779285601"},"temperature":{"N":"22.4"},"location":{"S":"hall"},"ok":{"BOOL":true},"gone":{"NULL":true}}`
	f.Add([]byte(complete), []byte(`{}`))
	f.Add([]byte(complete), []byte(strings.ReplaceAll(complete, ",", " ,\n")))
	f.Add([]byte(complete), []byte(strings.ReplaceAll(complete, "hall", `a\/\"\n`)))
	f.Add([]byte(complete), []byte(strings.ReplaceAll(complete, `{"N":"22.4"}`, `{"M":{"a":[1,{"b":null}]}}`)))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var s item.Scanner
		for _, one := range [][]byte{a, b, a, a, b} {
			checkItem(t, &s, one)
		}
	})
}
