// Package ordervalue makes the positions of events in kinds that are ordered by a number or a
// text instead of a time. A position is a model.Order whose time is NoTime and whose id is the
// encoded value, so that appends, reads and cursors compare positions as for any kind.
//
// The byte order of encoded values is the order of the values: numbers by value, whatever
// their sign, fraction and length, and texts by their bytes. The value itself is a field of
// the event, so it is never decoded.
package ordervalue

import (
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// NoTime is the time of events that are not ordered by one.
var NoTime = model.MinTime

// separator is between the value and the event's id. It is below all characters that a value
// or an id may have, so that a text is before all longer texts that begin with it.
const separator = "\x1f"

// encoders have the form of each type of value.
var encoders = map[model.ValueKind]func(model.Value) string{
	model.Number: func(v model.Value) string { return number(v.Number) },
	model.Text:   func(v model.Value) string { return v.Text },
}

// Order returns the position of an event in its series. by is the field that orders the
// events of its kind; "" means their time.
func Order(by string, at model.Time, id string, attrs model.Attrs) model.Order {
	if by == "" {
		return model.Order{At: at, ID: id}
	}
	value, _ := attrs.Get(by)
	position := Bound(value)
	if id != "" {
		position += separator + id
	}
	return model.Order{At: NoTime, ID: position}
}

// Bound returns the least id of the positions with a value: a bound of a range. It is "" for
// null, which is no bound.
func Bound(v model.Value) string {
	if encode := encoders[v.Kind]; encode != nil {
		return encode(v)
	}
	return ""
}

// Shown returns the time and the id of an event as its sender knows them. at is nil if the event has no time.
func Shown(o model.Order) (at *model.Time, id string) {
	if o.At != NoTime {
		return &o.At, o.ID
	}
	_, id, _ = strings.Cut(o.ID, separator)
	return nil, id
}
