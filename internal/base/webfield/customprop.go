package webfield

import (
	"net/url"
	"strings"
)

// RevenuePrefix begins the name of a measure of custom events: the rest is the currency in
// which it is, as three capitals. Amounts of two currencies are never added.
const RevenuePrefix = "revenue_"

// Prop is one property of a custom event.
type Prop struct {
	Event string // the event's name
	Name  string
	Value string
}

// separators are escaped in names, so that each text is of one Prop only.
var separators = strings.NewReplacer("%", "%25", "?", "%3F", "=", "%3D")

// String returns the property as text, from which its parts can be read again.
func (p Prop) String() string {
	return separators.Replace(p.Event) + "?" + separators.Replace(p.Name) + "=" + p.Value
}

// ParseProp reads the text of a property. ok is false if it is none.
func ParseProp(text string) (p Prop, ok bool) {
	names, value, hasValue := strings.Cut(text, "=")
	event, name, hasName := strings.Cut(names, "?")
	if !hasValue || !hasName {
		return p, false
	}
	event, errEvent := url.PathUnescape(event)
	name, errName := url.PathUnescape(name)
	return Prop{Event: event, Name: name, Value: value}, errEvent == nil && errName == nil
}
