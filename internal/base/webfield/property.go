package webfield

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// PropertyPrefix begins the name that a property has for senders and readers: props.plan. Events are stored
// with the properties in a few fields, their places: as Prop, in the order of their names.
const PropertyPrefix = "props."

// ViewName is the name of a page view among custom events, which have a field for theirs.
const ViewName = "pageview"

// NamedProperties returns the fields of an event with its properties under their own names. Fields of which
// StoredProperties would not make the same event again are returned as they are.
func NamedProperties(attrs model.Attrs, places []string) model.Attrs {
	event, named := eventName(attrs), make(model.Attrs, 0, len(attrs))
	for _, a := range attrs {
		if p, ok := parsePlace(a, event, places); ok {
			a = textAttr(PropertyPrefix+p.Name, p.Value)
		}
		named = append(named, a)
	}
	named.Sort()
	if again, beyond := StoredProperties(named, places); len(beyond) > 0 || !slices.Equal(again, attrs) {
		return attrs
	}
	return named
}

// AllNames returns the fields of an event as they are stored, and each property under its own name too, also
// of events that NamedProperties returns as they are.
func AllNames(attrs model.Attrs, places []string) model.Attrs {
	var named model.Attrs
	for _, a := range attrs {
		if !slices.Contains(places, a.Name) || a.Value.Kind != model.Text {
			continue
		}
		if p, ok := ParseProp(a.Value.Text); ok {
			named = append(named, textAttr(PropertyPrefix+p.Name, p.Value))
		}
	}
	named.Sort()
	named = slices.CompactFunc(named, func(a, b model.Attr) bool { return a.Name == b.Name })
	return attrs.Union(named)
}

// StoredProperties returns the fields of an event as they are stored, sorted, and the properties for which
// there is no place. A property that a place has already is not replaced.
func StoredProperties(attrs model.Attrs, places []string) (stored, beyond model.Attrs) {
	if len(places) == 0 || !HasProperties(attrs) {
		return attrs, nil
	}
	event, free := eventName(attrs), slices.Clone(places)
	properties := map[string]string{}
	for _, a := range attrs {
		text, hasText := a.Value.Plain()
		if name, ok := strings.CutPrefix(a.Name, PropertyPrefix); ok && hasText {
			properties[name] = text
		}
	}
	for _, a := range attrs {
		p, isProperty := parsePlace(a, event, places)
		switch {
		case isProperty:
			properties[p.Name] = p.Value
		case strings.HasPrefix(a.Name, PropertyPrefix) && a.Value.Kind != model.Nested:
		default:
			stored = append(stored, a)
			free = slices.DeleteFunc(free, func(place string) bool { return place == a.Name })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if len(free) == 0 {
			beyond = append(beyond, textAttr(PropertyPrefix+name, properties[name]))
			continue
		}
		text := Prop{Event: event, Name: name, Value: properties[name]}.String()
		stored = append(stored, textAttr(free[0], text))
		free = free[1:]
	}
	stored.Sort()
	return stored, beyond
}

// HasProperties reports whether some fields are properties under their own names.
func HasProperties(attrs model.Attrs) bool {
	isProperty := func(a model.Attr) bool { return strings.HasPrefix(a.Name, PropertyPrefix) }
	return slices.ContainsFunc(attrs, isProperty)
}

func textAttr(name, text string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(text)}
}

// eventName returns the name with which the properties of an event are stored.
func eventName(attrs model.Attrs) string {
	i := slices.IndexFunc(attrs, func(a model.Attr) bool { return a.Name == Name })
	if i < 0 {
		return ViewName
	}
	name, _ := attrs[i].Value.Plain()
	return name
}

// parsePlace returns the property in a place; false if the field is no place, or has none of the event.
func parsePlace(a model.Attr, event string, places []string) (p Prop, ok bool) {
	if a.Value.Kind != model.Text || !slices.Contains(places, a.Name) {
		return p, false
	}
	p, ok = ParseProp(a.Value.Text)
	return p, ok && p.Event == event
}
