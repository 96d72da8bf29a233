package lifecycle_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func nested(name, text string) model.Attrs {
	return model.Attrs{{Name: name, Value: model.Value{Kind: model.Nested, Text: text}}}
}

// Lists and maps are fields as others are: each change keeps them, and so does each version.
func TestProfile_KeepsListsAndMaps(t *testing.T) {
	t.Parallel()
	w := newFixture(t, employee)
	const domains, place = `["b.example","a.example"]`, `{"floor":2,"rooms":[1,2.5]}`
	given := append(nested("domains", ` ["b.example", "a.example"]`),
		nested("place", `{"rooms":[1,2.50],"floor":2}`)...)
	w.wantOutcome(lifecycle.Created,
		w.noError(w.Create(t.Context(), alice, append(given, fields("status", "active")...))), nil)
	w.wantOutcome(lifecycle.Unchanged, w.noError(w.Update(t.Context(), alice, nested("domains", domains), 0)),
		nil)
	w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("status", "away"), 0)), nil)
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	p, err := w.Get(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	versions, _, err := w.Versions(t.Context(), alice, 0, 0)
	if err != nil || len(versions) != 4 {
		t.Fatalf("%d versions, %v; want 4", len(versions), err)
	}
	for _, attrs := range []model.Attrs{p.Attrs, versions[0].Attrs, versions[1].Attrs, versions[2].Attrs,
		versions[3].Attrs} {
		list, _ := attrs.Get("domains")
		if object, _ := attrs.Get("place"); list.Text != domains || object.Text != place {
			t.Errorf("%s, %s; want %s, %s", list, object, domains, place)
		}
	}
	w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, model.Attrs{{Name: "domains"}}, 0)),
		nil)
	if p, _ = w.Get(t.Context(), alice); len(p.Attrs) != 2 {
		t.Errorf("%v, want the list removed", p.Attrs)
	}
}

func TestValidation_ListsAndMapsHaveAPlaceAndALimit(t *testing.T) {
	t.Parallel()
	spec := employee
	spec.Declared = []catalog.ProfileField{{Name: "kind"}}
	for name, c := range map[string]struct {
		attrs model.Attrs
		code  string
	}{
		"a list":              {nested("a", `["x"]`), ""},
		"in a declared":       {nested("kind", `["x"]`), "wrong-type"},
		"in an index":         {nested("status", `["x"]`), "wrong-type"},
		"in a unique field":   {nested("email", `["x"]`), "wrong-type"},
		"no list":             {nested("a", `"x"`), "nested"},
		"a name that repeats": {nested("a", `{"x":1,"x":2}`), "nested"},
		"at the limit":        {nested("a", `["`+strings.Repeat("x", limits.Text-4)+`"]`), ""},
		"above the limit":     {nested("a", `["`+strings.Repeat("x", limits.Text-3)+`"]`), "too-long"},
	} {
		w := newFixture(t, spec)
		_, err := w.Create(t.Context(), alice, c.attrs)
		if got := code(t, err); got != c.code {
			t.Errorf("%s: code %q, want %q", name, got, c.code)
		}
	}
}
