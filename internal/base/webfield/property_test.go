package webfield_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func texts(pairs ...string) (attrs model.Attrs) {
	for i := 0; i < len(pairs); i += 2 {
		attrs = append(attrs, model.Attr{Name: pairs[i], Value: model.TextValue(pairs[i+1])})
	}
	attrs.Sort()
	return attrs
}

// stored returns an event of the collector: its properties in places, in the order of their names.
func stored(t *rapid.T) model.Attrs {
	event := rapid.SampledFrom([]string{"Sign up", "a?b=c", "pageview", ""}).Draw(t, "event")
	var pairs []string
	if named := rapid.Bool().Draw(t, "named"); named {
		pairs = append(pairs, webfield.Name, event)
	} else {
		event = webfield.ViewName
	}
	given := rapid.MapOfN(rapid.String(), rapid.String(), 0, 8).Draw(t, "properties")
	for i, name := range slices.Sorted(maps.Keys(given)) {
		p := webfield.Prop{Event: event, Name: name, Value: given[name]}
		pairs = append(pairs, "prop"+strconv.Itoa(i+1), p.String())
	}
	return texts(append(pairs, "path", "/")...)
}

func TestNamedProperties_AreStoredAsTheSameEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := stored(t)
		named := webfield.NamedProperties(want, webfield.Props())
		for _, a := range named {
			if slices.Contains(webfield.Props(), a.Name) {
				t.Fatalf("%v has %s", named, a.Name)
			}
		}
		got, beyond := webfield.StoredProperties(named, webfield.Props())
		if !slices.Equal(got, want) || len(beyond) > 0 {
			t.Fatalf("%v is stored as %v and %v, want %v", named, got, beyond, want)
		}
	})
}

func TestNamedProperties_NeverLoseAField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom([]string{"name", "prop1", "prop2", "prop8", "props.a", "props.", "props.b"})
		value := rapid.SampledFrom([]string{"", "Buy", "Buy?a=1", "Buy?b=2", "pageview?a=1", "Buy?a", "?="})
		var pairs []string
		for name, text := range rapid.MapOf(field, value).Draw(t, "fields") {
			pairs = append(pairs, name, text)
		}
		attrs := texts(pairs...)
		named := webfield.NamedProperties(attrs, webfield.Props())
		if again, _ := webfield.StoredProperties(named, webfield.Props()); !slices.Equal(named, attrs) &&
			!slices.Equal(again, attrs) {
			t.Fatalf("%v is %v for readers, which is stored as %v", attrs, named, again)
		}
	})
}

func TestStoredProperties(t *testing.T) {
	places := []string{"prop1", "prop2"}
	for name, row := range map[string]struct{ given, want, beyond model.Attrs }{
		"of a view": {texts("props.a", "1"), texts("prop1", "pageview?a=1"), nil},
		"sorted by name": {
			texts("name", "B", "props.b", "2", "props.a", ""),
			texts("name", "B", "prop1", "B?a=", "prop2", "B?b=2"), nil,
		},
		"beside a place": {
			texts("name", "B", "prop1", "B?b=2", "props.a", "1"),
			texts("name", "B", "prop1", "B?a=1", "prop2", "B?b=2"), nil,
		},
		"in a place too": {
			texts("name", "B", "prop1", "B?a=2", "props.a", "1"), texts("name", "B", "prop1", "B?a=2"), nil,
		},
		"a place is taken": {
			texts("name", "B", "prop1", "other", "props.a", "1"),
			texts("name", "B", "prop1", "other", "prop2", "B?a=1"), nil,
		},
		"without a place": {
			texts("props.a", "1", "props.b", "2", "props.c", "3"),
			texts("prop1", "pageview?a=1", "prop2", "pageview?b=2"), texts("props.c", "3"),
		},
		"none": {texts("path", "/"), texts("path", "/"), nil},
	} {
		got, beyond := webfield.StoredProperties(row.given, places)
		if !slices.Equal(got, row.want) || !slices.Equal(beyond, row.beyond) {
			t.Errorf("%s: %v and %v, want %v and %v", name, got, beyond, row.want, row.beyond)
		}
	}
	number := model.Attrs{{Name: "props.n", Value: model.NumberValue(model.NewDecimal(5))}, {Name: "props.no"}}
	if got, _ := webfield.StoredProperties(number, places); !slices.Equal(got, texts("prop1", "pageview?n=5")) {
		t.Errorf("a number and null are stored as %v", got)
	}
}
