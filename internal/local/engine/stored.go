package engine

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
)

// stored is an item as the table holds it: one text, which never changes, so that the table, its indexes and
// its stream share it. "" is no item. A map of values takes eight times the memory.
//
// It has the number of attributes and then, in the order of their names, the name, the type and the text of
// each. Equal items are equal texts.
type stored string

// store returns an item as the table holds it.
func store(it item.Item) stored {
	if it == nil {
		return ""
	}
	b := binary.AppendUvarint(make([]byte, 0, 512), uint64(len(it)))
	for _, name := range slices.Sorted(maps.Keys(it)) {
		v := it[name]
		b = append(appendText(b, name), byte(v.Type))
		b = appendText(b, valueText(v))
	}
	return stored(b)
}

// item returns a new item, which the caller may change. Its texts are parts of the stored text.
func (s stored) item() item.Item {
	if s == "" {
		return nil
	}
	n, rest := cutNumber(string(s))
	it := make(item.Item, n)
	for range n {
		var name, text string
		name, rest = cutText(rest)
		typ := item.Type(rest[0])
		text, rest = cutText(rest[1:])
		it[name] = newValue(typ, text)
	}
	return it
}

// valueText returns what a value has besides its type.
func valueText(v item.Value) string {
	switch v.Type {
	case item.B:
		return string(v.B)
	case item.Bool:
		if v.Bool {
			return "true"
		}
		return ""
	case item.Other:
		text, _ := v.Opaque.(Typed) // Normalize allows no other
		return string(text)
	default:
		return v.S
	}
}

// newValue is the inverse of valueText.
func newValue(typ item.Type, text string) item.Value {
	switch typ {
	case item.B:
		return item.Value{Type: typ, B: []byte(text)}
	case item.Bool:
		return item.Value{Type: typ, Bool: text != ""}
	case item.Other:
		return item.Value{Type: typ, Opaque: Typed(text)}
	default:
		return item.Value{Type: typ, S: text}
	}
}

// appendText appends a text after its length.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// cutText returns the text that appendText wrote at the start of s, and what follows.
func cutText(s string) (text, rest string) {
	n, rest := cutNumber(s)
	return rest[:n], rest[n:]
}

func cutNumber(s string) (n int, rest string) {
	v, digits := binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen32)]))
	return int(v), s[digits:]
}
