package catalog

import (
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Field is a name a kind declares, and where it does so.
type Field struct {
	Name string
	Path string // as in a Mistake: measures.temperature
	role string
}

// The roles of declared fields, as mistakes name them.
const (
	roleSubject    = "the subject's field"
	roleMeasure    = "a measure"
	roleDimension  = "a dimension"
	roleDistinct   = "a distinct count"
	roleEnrichment = "enrichment"
	roleIndex      = "the index's field"
)

// Fields are all names the kind declares: its subject's field, measures, dimensions,
// distinct counts, enrichment and the field it is indexed by, in that order and in
// order of declaration.
func (k *Kind) Fields() []Field {
	var all []Field
	if k.Subject.Field != "" {
		all = append(all, Field{k.Subject.Field, "subject.field", roleSubject})
	}
	for _, m := range k.Measures {
		all = append(all, Field{m.Name, "measures." + m.Name, roleMeasure})
	}
	for _, d := range k.Dimensions {
		all = append(all, Field{d.Name, "dimensions." + d.Name, roleDimension})
	}
	for _, name := range k.Distinct {
		all = append(all, Field{name, "distinct." + name, roleDistinct})
	}
	for _, name := range k.Enrichment {
		all = append(all, Field{name, "enrichment." + name, roleEnrichment})
	}
	if k.IndexBy != "" {
		all = append(all, Field{k.IndexBy, "indexBy", roleIndex})
	}
	return all
}

// mayBoth are the pairs of roles that one field may have: what is counted by value may
// be counted by distinct values too, and either may be what the kind is indexed by.
var mayBoth = map[[2]string]bool{
	{roleDimension, roleDistinct}: true,
	{roleDimension, roleIndex}:    true,
	{roleDistinct, roleIndex}:     true,
}

// fields checks the declared names: each well formed and in one role, or in two that
// go together.
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
			c.wrong(f.Path, "declared as "+role+" already: a field is one or the other")
		}
	}
}

// sizes checks the numbers of a kind.
func (c checker) sizes() {
	for _, m := range c.k.Measures {
		c.within("measures."+m.Name+".scale", m.Scale, 0, rollup.MaxScale, "digits after the decimal point, so that sums of squares stay exact")
	}
	for _, d := range c.k.Dimensions {
		c.within("dimensions."+d.Name+".top", d.Top, 1, MaxTop, "values a row holds, so that it stays small")
	}
	c.within("shards", c.k.Shards, 1, MaxShards, "partitions a subject is spread over; each costs every read a request")
	c.within("maxMeasures", c.k.MaxMeasures, 1, MaxMeasures, "measure names a row holds, so that it stays small")
	if n := len(c.k.Measures); n > c.k.MaxMeasures && c.k.MaxMeasures > 0 {
		c.wrong("measures", strconv.Itoa(n)+" are declared, but a row holds maxMeasures = "+strconv.Itoa(c.k.MaxMeasures)+": declare fewer or raise it")
	}
}
