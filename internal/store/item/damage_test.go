package item_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// damages are what is done to one attribute of an item.
var damages = []struct {
	name string
	do   func(item.Item, string)
}{
	{"removed", func(it item.Item, attr string) { delete(it, attr) }},
	{"null", func(it item.Item, attr string) { it[attr] = item.Value{Type: item.Null} }},
	{"text", func(it item.Item, attr string) { it[attr] = item.Value{Type: item.S, S: "{x"} }},
	{"other text", func(it item.Item, attr string) { it[attr] = item.Value{Type: item.S, S: `{"id":"other"}`} }},
	{"number", func(it item.Item, attr string) { it[attr] = item.Value{Type: item.N, S: "1.5"} }},
	{"bytes", func(it item.Item, attr string) { it[attr] = item.Value{Type: item.B, B: []byte{1, 2, 3}} }},
}

// decodedAs says in a few words what a decoder made of an item.
func decodedAs(f form, it item.Item) string {
	got, err := f.decode(it)
	for class, want := range map[string]error{"not this class": keys.ErrKeyForm, "newer": item.ErrNewer,
		"damaged": item.ErrDamaged} {
		if errors.Is(err, want) {
			return class
		}
	}
	switch {
	case err != nil:
		return "another error"
	case cmp.Equal(f.entity, got, sameEntity):
		return "same"
	}
	return "other " + strings.Join(differingFields(f.entity, got), ", ")
}

// differingFields returns the names of the fields in which two entities differ.
func differingFields(a, b any) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Kind() != reflect.Struct {
		return []string{"value"}
	}
	for _, f := range reflect.VisibleFields(x.Type()) {
		if !f.Anonymous && !cmp.Equal(x.FieldByIndex(f.Index).Interface(), y.FieldByIndex(f.Index).Interface(),
			sameEntity) {
			names = append(names, f.Name)
		}
	}
	return names
}

// The file says what each decoder makes of an item with one damaged attribute: which attributes are
// required, and that a damaged one is never taken for another value in silence.
func TestDecoders_OfItemsWithOneDamagedAttribute(t *testing.T) {
	var lines strings.Builder
	all := forms()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		whole, err := all[name].encode()
		if err != nil {
			t.Fatal(err)
		}
		for _, attr := range slices.Sorted(maps.Keys(whole)) {
			fmt.Fprintf(&lines, "%s %s", name, attr)
			for _, d := range damages {
				it := maps.Clone(whole)
				d.do(it, attr)
				fmt.Fprintf(&lines, " | %s: %s", d.name, decodedAs(all[name], it))
			}
			lines.WriteByte('\n')
		}
	}
	path := filepath.Join("testdata", "damaged.txt")
	if *update {
		if err := os.WriteFile(path, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(lines.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
