package timeseries

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// structuredForms caches structuredForm by type.
var structuredForms sync.Map // reflect.Type to form

var (
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// structuredForm returns the form of a struct, slice, map or array. It is decided by the JSON of its zero
// value: an object or list is stored as such. Else the type is stored as text if it has MarshalText and
// UnmarshalText, as netip.Addr and big.Int do. All others could be stored and not be read.
func structuredForm(t reflect.Type) form {
	if known, ok := structuredForms.Load(t); ok {
		return known.(form)
	}
	found := noForm
	switch {
	case isNested(t):
		found = nestedForm
	case isMarshaled(t):
		found = marshaledForm
	}
	structuredForms.Store(t, found)
	return found
}

// isMarshaled reports whether values of t are written as text by MarshalText and read by UnmarshalText, also
// if t is a named number or string, such as slog.Level. encoding/json writes it as that text, too.
func isMarshaled(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return pointer.Implements(textMarshaler) && pointer.Implements(textUnmarshaler)
}

// isNested reports whether encoding/json writes values of t as objects or lists that have all of them. A
// struct without exported fields, such as a type made of time.Time, would be stored as an empty object.
func isNested(t reflect.Type) bool {
	if t.Kind() == reflect.Array || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return false // JSON has no bytes
	}
	text, err := json.Marshal(reflect.New(t).Interface())
	if err != nil || len(text) == 0 || text[0] != '{' && text[0] != '[' && string(text) != "null" {
		return false
	}
	marshals := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
	return marshals || t.Kind() != reflect.Struct || t.NumField() == 0 || hasExported(t)
}

func hasExported(t reflect.Type) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			return true
		}
	}
	return false
}

// encodeMarshaled returns a value as its MarshalText writes it.
func encodeMarshaled(v reflect.Value) (model.Value, error) {
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	text, err := copied.Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return model.Value{Kind: model.Nested}, fmt.Errorf("cannot be written as text: %w", err)
	}
	return model.TextValue(string(text)), nil
}
