package catalog

import (
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Field is a field name that a kind declares.
type Field struct {
	Name string
	Path string // of the declaration, as in a Mistake: measures.temperature
	role string
}

// The roles of declared fields, for messages.
const (
	roleSubject    = "the subject's field"
	roleMeasure    = "a measure"
	roleDimension  = "a dimension"
	roleDistinct   = "a distinct count"
	roleEnrichment = "enrichment"
	roleIndex      = "the index's field"
	roleOther      = "another field"
	roleOrder      = "the field that orders events"
)

// Fields returns all field names that the kind declares: the subject's field, measures,
// dimensions, distinct counts, enrichment, other fields, the index field and that which orders events, in
// that order and in order of declaration.
func (k *Kind) Fields() []Field {
	var all []Field
	if k.Subject.Field != "" {
		all = append(all, Field{Name: k.Subject.Field, Path: "subject.field", role: roleSubject})
	}
	all = append(all, lists.Map(k.Measures, func(m rollup.MeasureSpec) Field {
		return Field{Name: m.Name, Path: "measures." + m.Name, role: roleMeasure}
	})...)
	all = append(all, lists.Map(k.Dimensions, func(d rollup.DimensionSpec) Field {
		return Field{Name: d.Name, Path: "dimensions." + d.Name, role: roleDimension}
	})...)
	all = append(all, lists.Map(k.Distinct, func(name string) Field {
		return Field{Name: name, Path: "distinct." + name, role: roleDistinct}
	})...)
	all = append(all, lists.Map(k.Enrichment, func(name string) Field {
		return Field{Name: name, Path: "enrichment." + name, role: roleEnrichment}
	})...)
	for _, name := range k.OtherFields {
		all = append(all, Field{Name: name, Path: "otherFields." + name, role: roleOther})
	}
	if k.IndexBy != "" {
		all = append(all, Field{Name: k.IndexBy, Path: "indexBy", role: roleIndex})
	}
	if k.OrderBy != "" {
		all = append(all, Field{Name: k.OrderBy, Path: "orderBy", role: roleOrder})
	}
	return all
}

// mayBoth are the pairs of roles that one field may have: a dimension may have a distinct
// count as well, and either may be the index field.
var mayBoth = map[[2]string]bool{
	{roleDimension, roleDistinct}: true,
	{roleDimension, roleIndex}:    true,
	{roleDistinct, roleIndex}:     true,
}

// fields validates the declared names: each is well formed and has one role, or a pair of mayBoth.
func (c checker) fields() {
	roles := map[string]string{}
	for _, f := range c.k.Fields() {
		c.wrong(f.Path, wrongField(f.Name))
		switch role := roles[f.Name]; {
		case role == "":
			roles[f.Name] = f.role
		case role == f.role:
			c.wrong(f.Path, "declared twice: remove one")
		case !mayBoth[[2]string{role, f.role}]:
			c.wrong(f.Path, "declared as "+role+" already: choose one of them")
		}
	}
}

// sizes validates the numbers of a kind.
func (c checker) sizes() {
	for _, m := range c.k.Measures {
		c.within("measures."+m.Name+".scale", m.Scale, 0, rollup.MaxScale, "so that sums of squares stay exact")
		c.wrong("measures."+m.Name+".wrap", wrongWrap(m))
		c.wrong("measures."+m.Name+".unit", wrongUnit(m.Unit))
		if (m.Counter || m.TimeMean) && c.k.Sessions != nil {
			c.wrong("measures."+m.Name, "sessions are no readings: remove type: counter and mean: time")
		}
	}
	for _, d := range c.k.Dimensions {
		c.within("dimensions."+d.Name+".top", d.Top, 1, maxTop, "so that rows stay small")
		c.within("dimensions."+d.Name+".detail", d.Detail, 0, maxDetail, "so that rows stay small")
		if d.IsPair() {
			c.wrong("dimensions."+d.Name+".of", wrongPair(d))
		}
	}
	c.within("shards", c.k.Shards, 1, MaxShards, "a read sends one request for each")
	c.within("maxMeasures", c.k.MaxMeasures, 1, MaxMeasures, "so that rows stay small")
	if n := len(c.k.Measures); n > c.k.MaxMeasures && c.k.MaxMeasures > 0 {
		c.wrong("measures", strconv.Itoa(n)+" are declared, but a row has at most maxMeasures = "+
			strconv.Itoa(c.k.MaxMeasures)+": declare fewer or raise it")
	}
}

// wrongWrap returns what is wrong with the bits of a counter; "" if nothing is.
func wrongWrap(m rollup.MeasureSpec) string {
	switch {
	case m.Wrap != 0 && m.Wrap != 32 && m.Wrap != 64:
		return strconv.Itoa(m.Wrap) + " is no number of bits at which a counter wraps around: " +
			"want 32 or 64, or 0 for a counter that is reset"
	case m.Wrap != 0 && !m.Counter:
		return "only a counter wraps around: add type: counter, or remove wrap"
	}
	return ""
}

// wrongPair returns what is wrong with the fields of a pair; "" if nothing is.
func wrongPair(d rollup.DimensionSpec) string {
	for _, name := range d.Of {
		if wrong := wrongField(name); wrong != "" {
			return wrong
		}
	}
	if d.Of[0] == d.Of[1] || slices.Contains(d.Of[:], d.Name) {
		return "want two different fields, and another name for the dimension"
	}
	return ""
}

// order validates what orders the events of a kind.
func (c checker) order() {
	if c.k.OrderBy == "" {
		if c.k.OrderType != "" {
			c.wrong("orderBy", "has a type and no field: add the field that orders the events, or remove the type")
		}
		return
	}
	c.wrong("orderBy", wrongField(c.k.OrderBy))
	switch {
	case c.k.OrderType != NumberOrder && c.k.OrderType != TextOrder:
		c.wrong("orderBy", quote(string(c.k.OrderType))+" is not a type that orders events: want number or text")
	case len(c.k.Retention.Tiers) > 0:
		c.wrong("tiers", "events that are ordered by "+quote(c.k.OrderBy)+
			" have no time, so there are no buckets to summarise them in: declare raw alone")
	case c.k.IDs == MintedID:
		c.wrong("ids", "minted ids are derived from the event time, and these events have none: "+
			"want optional or required")
	case c.k.IndexBy != "":
		c.wrong("indexBy", "the index orders events by time, and these events have none: "+
			"remove one of orderBy and indexBy")
	}
}
