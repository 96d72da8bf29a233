package model_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func anyValue() *rapid.Generator[model.Value] {
	return rapid.OneOf(
		rapid.Just(model.Value{}),
		rapid.Map(rapid.Bool(), model.BoolValue),
		rapid.Map(rapid.StringMatching(`[ab0-9\x00]{0,3}`), model.TextValue),
		rapid.Map(rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9])?`), func(s string) model.Value {
			return model.NumberValue(model.MustDecimal(s))
		}),
	)
}

// anyAttrs generates few fields with few names, so that two draws often have equal ones.
func anyAttrs() *rapid.Generator[model.Attrs] {
	return rapid.Map(rapid.MapOfN(rapid.StringMatching(`[ab\x00]{1,2}`), anyValue(), 0, 4), newAttrs)
}

func newAttrs(m map[string]model.Value) model.Attrs {
	out := make(model.Attrs, 0, len(m))
	for name, v := range m {
		out = append(out, model.Attr{Name: name, Value: v})
	}
	out.Sort()
	return out
}

func attrMap(a model.Attrs) map[string]model.Value {
	m := make(map[string]model.Value)
	for _, x := range a {
		m[x.Name] = x.Value
	}
	return m
}

func TestAttrs_UnionEqualsThatOfMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyAttrs().Draw(t, "a"), anyAttrs().Draw(t, "b")
		aBefore, bBefore := slices.Clone(a), slices.Clone(b)
		want := attrMap(a)
		for name, v := range attrMap(b) {
			want[name] = v
		}
		got := a.Union(b)
		if !slices.Equal(got, newAttrs(want)) {
			t.Fatalf("union of %v and %v is %v", a, b, got)
		}
		if !slices.Equal(a, aBefore) || !slices.Equal(b, bBefore) {
			t.Fatalf("union changed its arguments")
		}
	})
}

func TestAttrs_GetFindsExactlyTheFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyAttrs().Draw(t, "a")
		name := rapid.StringMatching(`[ab\x00]{0,2}`).Draw(t, "name")
		want, exists := attrMap(a)[name]
		if got, ok := a.Get(name); ok != exists || got != want {
			t.Fatalf("Get(%q) of %v is %v, %v", name, a, got, ok)
		}
	})
}

func TestHashOf_IsEqualOnlyForEqualFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyAttrs().Draw(t, "a"), anyAttrs().Draw(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b = slices.Clone(a)
		}
		if got, want := model.HashAttrs(a) == model.HashAttrs(b), slices.Equal(a, b); got != want {
			t.Fatalf("hashes of %v and %v are equal: %v", a, b, got)
		}
	})
}

func TestHashOf_DiffersForSimilarFields(t *testing.T) {
	one := func(name string, v model.Value) model.Attrs { return model.Attrs{{Name: name, Value: v}} }
	alike := map[string]model.Attrs{
		"nothing":       nil,
		"null":          one("a", model.Value{}),
		"empty text":    one("a", model.TextValue("")),
		"false":         one("a", model.BoolValue(false)),
		"true":          one("a", model.BoolValue(true)),
		"zero":          one("a", model.NumberValue(model.Decimal{})),
		"text zero":     one("a", model.TextValue("0")),
		"text true":     one("a", model.TextValue("true")),
		"longer name":   one("ab", model.TextValue("")),
		"name in value": one("a", model.TextValue("b")),
		"two fields":    {{Name: "a", Value: model.TextValue("")}, {Name: "b", Value: model.TextValue("")}},
	}
	seen := make(map[model.Hash]string)
	for name, attrs := range alike {
		h := model.HashAttrs(attrs)
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		seen[h] = name
	}
}

// Stored events keep their hashes, so that the hash of given fields may never change.
func TestHashOf_NeverChanges(t *testing.T) {
	attrs := model.Attrs{
		{Name: "ack", Value: model.BoolValue(true)},
		{Name: "battery", Value: model.Value{}},
		{Name: "location", Value: model.TextValue("warehouse-ä")},
		{Name: "temperature", Value: model.NumberValue(model.MustDecimal("-22.40"))},
	}
	const want = "522456c184fb5e6b42768e10351eafc0"
	if got := model.HashAttrs(attrs).String(); got != want {
		t.Errorf("hash is %s, want %s", got, want)
	}
}

func TestOrder_IsByTimeThenByIDAsBytes(t *testing.T) {
	sorted := []model.Order{
		{At: -1, ID: "z"}, {At: 0}, {At: 0, ID: "\x00"}, {At: 0, ID: "#"}, {At: 0, ID: "10"}, {At: 0, ID: "9"}, {At: 0, ID: "A"},
		{At: 0, ID: "a"}, {At: 0, ID: "aa"}, {At: 0, ID: "\uFFFD"}, {At: 0, ID: "\U00010000"}, {At: 1}, {At: 1, ID: "a"},
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := a.Compare(b), cmp.Compare(i, j); got != want {
				t.Errorf("%v.Compare(%v) = %d, want %d", a, b, got, want)
			}
			if a.Before(b) != (i < j) {
				t.Errorf("%v before %v: %v", a, b, a.Before(b))
			}
		}
	}
}

func TestEvent_KeyIsSeriesTimeAndID(t *testing.T) {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d1"}, Kind: "READING", Stream: "status"}
	order := model.Order{At: 1776693600000, ID: "7"}
	e := model.Event{Series: series, Order: order, ArrivedAt: 5, ExpiresAt: 6}
	if got, want := e.Key(), (model.EventKey{Series: series, Order: order}); got != want {
		t.Errorf("key is %v, want %v", got, want)
	}
}

func TestStrings_AreReadable(t *testing.T) {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d1"}, Kind: "READING"}
	for got, want := range map[string]string{
		series.String():                 "DEVICE/d1 READING",
		model.Hash{0xab, 0x01}.String(): "ab01" + strings.Repeat("0", 28),
		model.FieldError{Field: "at", Message: "no time"}.Error(): "at: no time",
		model.FieldError{Message: "empty body"}.Error():           "empty body",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
