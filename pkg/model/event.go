package model

import (
	"slices"
	"strconv"
	"strings"
)

// ValueKind is the type of a Value.
type ValueKind uint8

// The types of a Value. A declared measure that is not a Number is counted as invalid.
const (
	Null ValueKind = iota
	Number
	Text
	Bool
	Nested // a list or a map; only in profiles
)

// Value is the value of a field: an exact number, a string, a boolean or null; in profiles also a list
// or a map. The zero Value is null. Values are comparable with ==, lists and maps as they are stored.
type Value struct {
	Kind   ValueKind
	Number Decimal // if Kind is Number
	Text   string  // if Kind is Text; if Kind is Nested, the list or map as JSON
	Bool   bool    // if Kind is Bool
}

// NumberValue returns a number Value.
func NumberValue(d Decimal) Value { return Value{Kind: Number, Number: d} }

// TextValue returns a string Value.
func TextValue(s string) Value { return Value{Kind: Text, Text: s} }

// BoolValue returns a boolean Value.
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
	case Nested:
		return v.Text
	}
	return "null"
}

// Plain returns v as it is written in a key or a table cell: a text without quotes, a number
// with all digits, true or false, a list or map as JSON. ok is false for null.
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

// Attrs are the fields of an event, sorted by name as bytes, without duplicate names.
type Attrs []Attr

// Get returns the value of a field. ok is false if there is none of that name.
func (a Attrs) Get(name string) (_ Value, ok bool) {
	i, ok := slices.BinarySearchFunc(a, name, func(x Attr, n string) int { return strings.Compare(x.Name, n) })
	if !ok {
		return Value{}, false
	}
	return a[i].Value, true
}

// Sort sorts a by name.
func (a Attrs) Sort() {
	slices.SortFunc(a, func(x, y Attr) int { return strings.Compare(x.Name, y.Name) })
}

// Union returns the fields of a and b, with b's value for names that both have. It modifies neither.
func (a Attrs) Union(b Attrs) Attrs {
	out := make(Attrs, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0].Name, b[0].Name); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, b[0])
			a = a[1:]
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Event is an immutable observation with an event time and an id.
type Event struct {
	Series Series
	Order
	Attrs     Attrs
	Hash      Hash // of Attrs, see HashAttrs
	ArrivedAt Time // when it was received; not part of its identity
	// CorrectedAt is when its fields were replaced last; 0 if they never were. Not part of its identity.
	CorrectedAt Time
	// Late is true if the event was older than the latest item when it was stored, and did
	// not change it. It is false for applied events and for kinds without latest item.
	Late      bool
	ExpiresAt int64 // epoch seconds, the TTL attribute; 0 means never
	// IndexBy is the name of the text field that is the event's key in the second index. The
	// event is not indexed if it is "" or if the event does not have the field.
	IndexBy string
	// Attempt identifies the call that stored an event without its latest item: a repeated request finds out
	// by it that an earlier one was stored. It is random, and 0 in other events and in events that are read.
	Attempt uint64
	// Unreadable is set by a store that cannot decode the item. Only Series, Order and
	// ExpiresAt (if it can be decoded) are then set.
	Unreadable bool
}

// Key returns the identity of e.
func (e *Event) Key() EventKey { return EventKey{Series: e.Series, Order: e.Order} }

// Latest is the latest item of a series: the fields of its newest event, merged over the fields of
// earlier events, and the enrichment that other writers added.
type Latest struct {
	Series  Series
	Ordered bool // false if only enrichment wrote the item: there is no event yet
	Order        // of the newest event, if Ordered
	Hash    Hash // of the newest event
	Attrs   Attrs
	// CreatedAt is the time of the first append.
	CreatedAt   Time
	PurgeLocked bool // the subject is being purged
	// Partial is true for what an append has just written: fields of earlier events and the
	// enrichment are missing. A latest item that was read is never partial.
	Partial bool
}

// Empty reports whether there is no event and no enrichment: nothing was stored, or all was deleted.
func (l *Latest) Empty() bool { return l == nil || !l.Ordered && len(l.Attrs) == 0 }
