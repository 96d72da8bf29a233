package model

import (
	"slices"
	"strconv"
	"strings"
)

// ValueKind tells the forms a Value takes.
type ValueKind uint8

// The forms of a Value. A declared measure that is not a Number is counted invalid.
const (
	Null ValueKind = iota
	Number
	Text
	Bool
)

// Value is one admitted field: an exact number, a string, a boolean or null.
// The zero Value is null. Values are comparable with ==.
type Value struct {
	Kind   ValueKind
	Number Decimal // where Kind is Number
	Text   string  // where Kind is Text
	Bool   bool    // where Kind is Bool
}

// NumberValue, TextValue and BoolValue build a Value.
func NumberValue(d Decimal) Value { return Value{Kind: Number, Number: d} }

// TextValue is a string Value.
func TextValue(s string) Value { return Value{Kind: Text, Text: s} }

// BoolValue is a boolean Value.
func BoolValue(b bool) Value { return Value{Kind: Bool, Bool: b} }

// String is for people and logs: text is quoted.
func (v Value) String() string {
	switch v.Kind {
	case Number:
		return v.Number.String()
	case Text:
		return strconv.Quote(v.Text)
	case Bool:
		return strconv.FormatBool(v.Bool)
	}
	return "null"
}

// Plain is v as it stands in a key or a cell: text as it is, a number with every digit, a
// boolean as it prints. ok is false for null, which says nothing.
func (v Value) Plain() (_ string, ok bool) {
	switch v.Kind {
	case Null:
		return "", false
	case Text:
		return v.Text, true
	}
	return v.String(), true
}

// Attr is a named Value.
type Attr struct {
	Name  string
	Value Value
}

// Attrs are the admitted fields of an event, sorted by name as bytes, no name twice.
type Attrs []Attr

// Get finds a field by name.
func (a Attrs) Get(name string) (Value, bool) {
	i, ok := slices.BinarySearchFunc(a, name, func(x Attr, n string) int { return strings.Compare(x.Name, n) })
	if !ok {
		return Value{}, false
	}
	return a[i].Value, true
}

// Sort puts a in its canonical order.
func (a Attrs) Sort() {
	slices.SortFunc(a, func(x, y Attr) int { return strings.Compare(x.Name, y.Name) })
}

// Union is a and b together, b winning where both have a name. Neither is changed.
func (a Attrs) Union(b Attrs) Attrs {
	out := make(Attrs, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0].Name, b[0].Name); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, b[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Event is an immutable fact with its own event time and id.
type Event struct {
	Series Series
	Order
	Attrs     Attrs
	Hash      Hash // payload identity of the admitted fields, see HashOf
	ArrivedAt Time // the door's clock when it came in; not part of its identity
	// Late is the verdict it was stored with: older than current then, which it left as
	// it was. An event without it was applied, or its kind keeps no current.
	Late      bool
	ExpiresAt int64 // epoch seconds, the TTL attribute; 0 means never
	// IndexBy names the text field by whose value the event is found in the second
	// index; "" keeps it out, and so does an event without the field.
	IndexBy string
	// Unreadable is set by a store that found the item but could not decode it;
	// then only Series, Order and ExpiresAt (where it could be read) mean anything.
	Unreadable bool
}

// Key is the identity of e.
func (e *Event) Key() EventKey { return EventKey{Series: e.Series, Order: e.Order} }

// Current is the latest state of a series: the fields of the newest event that
// changed it, beside whatever enrichment other writers added.
type Current struct {
	Series  Series
	Ordered bool // false where only enrichment made the item: no event yet
	Order        // of the newest event, where Ordered
	Hash    Hash // of the newest event
	Attrs   Attrs
	// CreatedAt is the door's clock at the first append.
	CreatedAt Time
	Fenced    bool // the subject is being purged
}
