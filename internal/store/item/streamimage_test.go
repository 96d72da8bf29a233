package item_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
)

func TestParseImage_ReadsEachType(t *testing.T) {
	got, err := item.ParseImage(
		[]byte(`{"s":{"S":""},"n":{"N":"-1.50E+3"},"b":{"B":"AAE="},"t":{"BOOL":true},"f":{"BOOL":false},` +
			`"z":{"NULL":true},"l":{"L":[{"S":"x"},{"N":"1"},{"M":{"k":{"NULL":true}}}]},"m":{"M":{}},"set":{"SS":["x"]},` +
			`"deep":{"M":{"k":{"B":"AA=="}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := item.Item{
		"s": {Type: item.S}, "n": {Type: item.N, S: "-1.50E+3"}, "b": {Type: item.B, B: []byte{0, 1}},
		"t": {Type: item.Bool, Bool: true}, "f": {Type: item.Bool}, "z": {Type: item.Null},
		"l": {Type: item.Nested, S: `["x",1,{"k":null}]`}, "m": {Type: item.Nested, S: `{}`},
		"set": {}, "deep": {},
	}
	for name, v := range want {
		if !reflect.DeepEqual(got[name], v) {
			t.Errorf("%s: %+v, want %+v", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d attributes, want %d", len(got), len(want))
	}
}

func TestParseImage_RefusesWhatIsNoImage(t *testing.T) {
	for _, text := range []string{`[]`, `{"a":1}`, `{"a":{"S":1}}`, `{"a":{"B":"?"}}`} {
		if it, err := item.ParseImage([]byte(text)); !errors.Is(err, item.ErrDamaged) {
			t.Errorf("%s: %v, %v; want ErrDamaged", text, it, err)
		}
	}
}
