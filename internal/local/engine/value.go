package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// EqualValues reports whether two values have the same type and value.
func EqualValues(a, b item.Value) bool {
	return a.Type == b.Type && a.S == b.S && a.Bool == b.Bool && bytes.Equal(a.B, b.B) && a.Opaque == b.Opaque
}

// EqualItems reports whether two items have equal values; nil is no item.
func EqualItems(a, b item.Item) bool {
	return (a == nil) == (b == nil) && maps.EqualFunc(a, b, EqualValues)
}

// compare compares two values of a type that has an order. ok is false for values of different types, and for
// types without an order.
func compare(a, b item.Value) (c int, ok bool) {
	if a.Type != b.Type {
		return 0, false
	}
	switch a.Type {
	case item.S:
		return strings.Compare(a.S, b.S), true
	case item.B:
		return bytes.Compare(a.B, b.B), true
	case item.N:
		x, errA := model.ParseDecimal(a.S)
		y, errB := model.ParseDecimal(b.S)
		return x.Cmp(y), errA == nil && errB == nil
	default:
		return 0, false
	}
}

// hasOrder reports whether values of a type can be compared by order.
func hasOrder(t item.Type) bool { return t == item.S || t == item.N || t == item.B }

// Normalize returns a copy of it, which shares no memory with it, with numbers in the form in which DynamoDB
// stores them. The error names an attribute that cannot be stored.
func Normalize(it item.Item) (item.Item, error) {
	out := make(item.Item, len(it))
	for name, v := range it {
		switch v.Type {
		case item.N:
			d, err := model.ParseDecimal(v.S)
			if err != nil {
				return nil, fmt.Errorf("attribute %q: %w", name, err)
			}
			v.S = d.String()
		case item.Other:
			if _, ok := v.Opaque.(Typed); !ok {
				return nil, fmt.Errorf("attribute %q has a type that Tidemark does not store", name)
			}
		}
		v.B = slices.Clone(v.B)
		out[name] = v
	}
	return out, nil
}
