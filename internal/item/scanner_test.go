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

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// readItem is the slow way to an item: encoding/json and maps. false is for what is
// not in DynamoDB's JSON.
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

// doubtful reports what encoding/json repairs in silence and a Scanner need not: names
// that come twice, and text that is no UTF-8.
func doubtful(b []byte) bool {
	if !utf8.Valid(b) || strings.Contains(strings.ToLower(string(b)), `\ud`) {
		return true
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	return names(d)
}

// names reads one value and reports whether an object in it has a name twice.
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

// fatal is what tests, fuzzers and properties have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkItem holds what a Scanner makes of b, whatever it read before, against the slow
// way to it.
func checkItem(t fatal, s *item.Scanner, b []byte) {
	t.Helper()
	var got model.Event
	next, err := s.Event(b, 0, &got)
	if next == jsonscan.Broken {
		if end := jsonscan.Skip(b, 0); end != jsonscan.Broken {
			t.Fatalf("%s is said to be no JSON", b)
		}
		return
	}
	if next > len(b) || jsonscan.Skip(b, 0) != next {
		t.Fatalf("%s is read up to %d, it ends at %d", b, next, jsonscan.Skip(b, 0))
	}
	if b = b[:next]; doubtful(b) {
		return
	}
	it, ok := readItem(b)
	if !ok {
		if !errors.Is(err, item.ErrForm) {
			t.Fatalf("%s: %v, want it not to be an item", b, err)
		}
		return
	}
	want, wantErr := item.Event(it)
	if wantErr != nil {
		if !errors.Is(err, keys.ErrForeign) {
			t.Fatalf("%s: %v, want %v", b, err, wantErr)
		}
		return
	}
	if err != nil || !cmp.Equal(got, want, equalDecimals) {
		t.Fatalf("%s is\n%+v, %v, want\n%+v", b, got, err, want)
	}
}

var equalDecimals = cmp.Comparer(func(a, b model.Decimal) bool { return a == b })

// written is it in DynamoDB's JSON, its attributes in any order, with or without white
// space and escapes.
func written(t *rapid.T, it item.Item) []byte {
	space := func() string { return rapid.SampledFrom([]string{"", "", "", "", " ", "\n\t"}).Draw(t, "space") }
	if rapid.IntRange(0, 3).Draw(t, "spaced") > 0 {
		space = func() string { return "" }
	}
	list := make([]string, 0, len(it))
	for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(it))).Draw(t, "order") {
		list = append(list, space()+quoted(t, name)+space()+":"+space()+"{"+space()+valueJSON(t, it[name])+space()+"}"+space())
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
	return rapid.SampledFrom([]string{`"L":[{"S":"a"}]`, `"M":{"a":{"N":"1"}}`, `"SS":["a"]`, `"S":null`, ``, `"S":"a","N":"1"`, `"X":1`}).Draw(t, "other")
}

// quoted is a JSON string, slashes escaped as some writers do.
func quoted(t *rapid.T, text string) string {
	b, _ := json.Marshal(text)
	if rapid.IntRange(0, 9).Draw(t, "escaped") > 0 {
		return string(b)
	}
	return strings.ReplaceAll(string(b), "/", `\/`)
}

// storedItem is what a table of ours may hold: events, most of them whole.
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
	e.Hash = model.HashOf(e.Attrs)
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
		return model.TextValue(rapid.SampledFrom([]string{"", "warehouse-a", "a/b", "ä", `"`, "\\", "\x00", "🌊"}).Draw(t, "text"))
	}
	return model.NumberValue(model.MustDecimal(rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,15})?`).Draw(t, "number")))
}

// One Scanner reads many items, so that what it remembers of one meets the next.
func TestScanner_ComesToWhatEventComesTo(t *testing.T) {
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

// A value in place of another, in an item of a shape that was learned.
func TestScanner_DoubtsEveryValueOfAShapeItKnows(t *testing.T) {
	const whole = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"},"expiresAt":{"N":"1779285601"},"temperature":{"N":"22.4"},"location":{"S":"hall"},"ok":{"BOOL":true},"gone":{"NULL":true}}`
	values := []string{`DEVICE#d`, `EVENT#READING##2026-04-20T14:00:00.000Z#`, `"N":"1"`, `nrcnk1N2IKA2YjYhJgjMHg==`, `2026-04-20T14:00:01.250Z`,
		`1779285601`, `22.4`, `hall`, `:true},"g`, `"NULL":true`, `"ok"`}
	others := []string{``, `x`, `"N":"2"`, `"N":"01"`, `DEVICE#e`, `DEVICE`, `EVENT#READING##2026-04-20T14:00:00.000Z#7`, `AGG#x`, `a"`, `"`, `\`, `\u00e4`, "\xff", "\x01",
		`22.40`, `1e5`, `-1`, `.5`, `nrcnk1N2IKA2YjYhJgjM=g==`, `nrcnk1N2IKA2YjYhJgjMHg`, `nrcnk1N2IKA2YjYhJgjM\/g==`, `:null},"g`, `:"true"},"g`, `:false},"g`, `"NULL":false`,
		`"temperature"`, `"_hash"`, `1779285601.5`, `01779285601`, `2026-02-30T14:00:01.250Z`, `nrcnk1N2IKA2YjYhJgjM\u0048g==`}
	for _, value := range values {
		for _, other := range others {
			var s item.Scanner
			for range 5 {
				checkItem(t, &s, []byte(whole))
			}
			checkItem(t, &s, []byte(strings.Replace(whole, value, other, 1)))
			checkItem(t, &s, []byte(whole))
		}
	}
}

// A part of the key that has the text of the last one's, and another type, is no part of
// a key, whatever its lead was met with before.
func TestScanner_TakesNoNumberForTheKeyBefore(t *testing.T) {
	const rest = `"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.123Z#"},"v":{"N":"1"},"_arrived":{"S":"2026-04-20T14:00:01.000Z"},"_hash":{"B":"WhhgpgMmpu6ByYgWsPJj1g=="}}`
	var s item.Scanner
	for _, b := range []string{
		`{"pk":{"S":"7#1"},` + rest, // a subject of type 7
		`{"pk":{"N":"7#1"},` + rest,
		`{"pk":{"S":"7#1"},` + rest,
		`{"pk":{"N":"7#1"},` + rest,
		`{"v":{"N":"1"},"pk":{"N":"7#1"},` + strings.Replace(rest, `,"v":{"N":"1"}`, "", 1),
		`{"v":{"N":"1"},"pk":{"S":"7#1"},` + strings.Replace(rest, `,"v":{"N":"1"}`, "", 1),
	} {
		checkItem(t, &s, []byte(b))
	}
}

func TestScanner_RefusesAnItemWithTwoValuesOfOneName(t *testing.T) {
	const whole = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"},"temperature":{"N":"22.4"}%s}`
	for _, again := range []string{`,"temperature":{"N":"22.4"}`, `,"pk":{"S":"DEVICE#e"}`, `,"v":{"N":"1"}`, `,"\u0074emperature":{"N":"1"}`, `,"x":{"S":"\ud800"}`, `,"\ud800":{"N":"1"}`} {
		var s item.Scanner
		var e model.Event
		for range 3 {
			if _, err := s.Event([]byte(fmt.Sprintf(whole, "")), 0, &e); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Event([]byte(fmt.Sprintf(whole, again)), 0, &e); !errors.Is(err, item.ErrForm) {
			t.Errorf("an item that ends %s: %v, want ErrForm", again, err)
		}
	}
}

func TestScanner_AllocatesNothingForItemsOfKnownShape(t *testing.T) {
	var items [][]byte
	for i := range 100 {
		e := model.Event{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d"}, Kind: "READING"},
			Order: model.Order{At: model.Time(1776693600000 + i)}, ArrivedAt: 1776693600350, Attrs: model.Attrs{
				{Name: "humidity", Value: model.NumberValue(model.DecimalOf(int64(i)))},
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
	}); got > 1 { // room for texts, once in several hundred items
		t.Errorf("%v allocations for %d items, want 1 at most", got, len(items))
	}
}

func FuzzScanner(f *testing.F) {
	const whole = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"},"expiresAt":{"N":"1779285601"},"temperature":{"N":"22.4"},"location":{"S":"hall"},"ok":{"BOOL":true},"gone":{"NULL":true}}`
	f.Add([]byte(whole), []byte(`{}`))
	f.Add([]byte(whole), []byte(strings.ReplaceAll(whole, ",", " ,\n")))
	f.Add([]byte(whole), []byte(strings.ReplaceAll(whole, "hall", `a\/\"\n`)))
	f.Add([]byte(whole), []byte(strings.ReplaceAll(whole, `{"N":"22.4"}`, `{"M":{"a":[1,{"b":null}]}}`)))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var s item.Scanner
		for _, one := range [][]byte{a, b, a, a, b} {
			checkItem(t, &s, one)
		}
	})
}
