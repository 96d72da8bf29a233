// Package customprop writes the properties of custom events as texts. A text
// has the name of the event too, because properties are read for one event: the plans of all
// sign-ups. It is "Sign up?plan=pro".
package customprop

import "strings"

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
