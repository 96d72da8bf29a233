package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Dimension is a dimension of rollups as readers have it. Each property of events is a dimension, props.plan,
// although rows count it in the places in which events are stored: see catalog.Kind.Properties.
type Dimension struct {
	Name   string
	Field  string    // in rows: of a property, the first of its places
	Values []Counted // highest count first, then by bytes
	// Other is how often all other values occurred; of a property, values of other properties are among them.
	Other int64
	Exact bool // as of a rollup.Dimension
}

// Counted is how often a value occurred.
type Counted struct {
	Value string
	Event string // the name of the events that have the property; "" of a value that is no property
	Count int64
}

// String returns the value with the name of its event, for tables.
func (c Counted) String() string {
	if c.Event == "" {
		return c.Value
	}
	return c.Value + " (" + c.Event + ")"
}

// Dimensions returns the dimensions of a rollup, sorted by name.
func (r *Rollup) Dimensions() []Dimension { return namedDimensions(r.Summary, r.Properties) }

// Dimensions returns the dimensions of a total, sorted by name.
func (t *Total) Dimensions() []Dimension { return namedDimensions(t.Summary, t.Properties) }

// namedDimensions returns the dimensions of a summary, with a dimension for each property in place of the
// places. Other values of a place stay in a dimension of their own.
func namedDimensions(s *rollup.Summary, places []string) (all []Dimension) {
	found := propertyCounts{}
	for _, field := range s.DimensionNames() {
		d := storedDimension(s, field)
		if slices.Contains(places, field) {
			d.Values = found.take(d)
		}
		if len(d.Values) > 0 || !slices.Contains(places, field) {
			all = append(all, d)
		}
	}
	all = append(all, found.dimensions(otherIn(s, places))...)
	slices.SortFunc(all, func(a, b Dimension) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// storedDimension returns a dimension as rows have it; one without values if they have none of the field.
func storedDimension(s *rollup.Summary, field string) Dimension {
	d, ok := s.Dimension(field)
	counted := func(v rollup.ValueCount) Counted { return Counted{Value: v.Value, Count: v.Count} }
	return Dimension{Name: field, Field: field, Other: d.Other, Exact: d.Exact || !ok,
		Values: lists.Map(d.Values, counted)}
}

// otherIn returns how often places had values that rows do not store one by one: of any property.
func otherIn(s *rollup.Summary, places []string) (other int64) {
	for _, place := range places {
		other += storedDimension(s, place).Other
	}
	return other
}

// propertyCounts has the count of each property, which several places may have, and its first place.
type propertyCounts map[string]*propertyCount

type propertyCount struct {
	place  string
	counts map[webfield.Prop]int64
}

// take adds the properties of a place, and returns the values that are none.
func (all propertyCounts) take(place Dimension) (rest []Counted) {
	for _, v := range place.Values {
		p, ok := webfield.ParseProp(v.Value)
		if !ok {
			rest = append(rest, v)
			continue
		}
		if all[p.Name] == nil {
			all[p.Name] = &propertyCount{place: place.Name, counts: map[webfield.Prop]int64{}}
		}
		all[p.Name].counts[p] += v.Count
	}
	return rest
}

// dimensions returns the dimension of each property.
func (all propertyCounts) dimensions(other int64) (found []Dimension) {
	for name, property := range all {
		d := Dimension{Name: webfield.PropertyPrefix + name, Field: property.place, Other: other, Exact: other == 0}
		for p, count := range property.counts {
			d.Values = append(d.Values, Counted{Value: p.Value, Event: p.Event, Count: count})
		}
		slices.SortFunc(d.Values, func(a, b Counted) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value),
				strings.Compare(a.Event, b.Event))
		})
		found = append(found, d)
	}
	return found
}

// dimension returns a property, or a field of rows as it is. A property that the total does not have is not
// exact if a place has values that are not stored.
func (t *Total) dimension(name string) Dimension {
	d := storedDimension(t.Summary, name)
	if !isProperty(name) || len(t.Properties) == 0 {
		return d
	}
	all := t.Dimensions()
	if i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	d.Other = otherIn(t.Summary, t.Properties)
	d.Exact = d.Other == 0
	return d
}

// isProperty reports whether a dimension is of a property.
func isProperty(name string) bool { return strings.HasPrefix(name, webfield.PropertyPrefix) }

// properties returns the fields of the kinds that hold properties of events.
func (q Rollups) properties() (places []string) {
	for _, k := range q.kinds() {
		places = append(places, k.Properties...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}
