package item_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestParseNested_HasOneTextForEachValue(t *testing.T) {
	for given, want := range map[string]string{
		` [ "b" , "a" ] `:                 `["b","a"]`,
		`{"b":1.50,"a":[1e2,-0]}`:         `{"a":[100,0],"b":1.5}`,
		`{"text":"\u00fc<&>","no":null}`:  `{"no":null,"text":"ü<&>"}`,
		`[12345678901234567890.12345678]`: `[12345678901234567890.12345678]`,
		`[]`:                              `[]`,
		`{"a":{}}`:                        `{"a":{}}`,
	} {
		tree, err := item.ParseNested(given)
		if got := item.NestedText(tree); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", given, got, err, want)
		}
		if again, err := item.ParseNested(want); err != nil || item.NestedText(again) != want {
			t.Errorf("%s is not stable: %v", want, err)
		}
	}
}

func TestParseNested_RejectsWhatCannotBeStored(t *testing.T) {
	for given, reason := range map[string]string{
		`"text"`: "", `7`: "", `null`: "", ``: "end of JSON", `[1`: "end of JSON", `{"a":}`: "invalid", `[1] 2`: "after top-level",
		`{"a":1,"a":2}`: "twice",
		`[{"":1}]`:      "empty",
		`[1e200]`:       "number",
		strings.Repeat("[", 32) + strings.Repeat("]", 32): "31",
	} {
		if _, err := item.ParseNested(given); !errors.Is(err, item.ErrNotNested) ||
			!strings.Contains(err.Error(), reason) {
			t.Errorf("%.40s: %v, want %v with %q", given, err, item.ErrNotNested, reason)
		}
	}
}

func TestProfile_HasListsAndMaps(t *testing.T) {
	p := site
	p.Attrs = model.Attrs{{Name: "domains",
		Value: model.Value{Kind: model.Nested, Text: `["a.example","b.example"]`}}}
	stored := item.FromProfile(&p)
	back, err := item.Profile(stored)
	if diff := cmp.Diff(p, back, cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); err != nil ||
		diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if small := item.FromProfile(&site).Size(); stored.Size() <= small {
		t.Errorf("%d bytes with a list, %d without", stored.Size(), small)
	}
}
