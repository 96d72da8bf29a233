package configfile

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// readKinds overrides the given kinds by name and appends new ones. Each key of the file
// replaces the value of the kind; lists and mappings are replaced whole.
func readKinds(c *config.Config) func(*reader, value) {
	return func(r *reader, v value) {
		c.Kinds = slices.Clone(c.Kinds)
		shipped := len(c.Kinds)
		r.each(v, func(name string, at *yaml.Node, child value) {
			i := slices.IndexFunc(c.Kinds, func(k catalog.Kind) bool { return k.Name == name })
			if i >= 0 {
				r.object(child, kindMembers(&c.Kinds[i]))
				return
			}
			k := catalog.Kind{Name: name}
			r.object(child, kindMembers(&k))
			if k.Subject == (catalog.SubjectType{}) {
				r.wrong(value{at, child.path}, "no built-in kind has this name%s; a new kind needs a subject",
					names.DidYouMean(name, config.KindNames(c.Kinds[:shipped])))
				return
			}
			c.Kinds = append(c.Kinds, k)
		})
	}
}

func kindMembers(k *catalog.Kind) members {
	return members{
		{"path", text(&k.Path)},
		{"subject", func(r *reader, v value) { r.object(v, subjectMembers(&k.Subject)) }},
		{"measures", named(&k.Measures, readMeasure)},
		{"dimensions", named(&k.Dimensions, readDimension)},
		{"distinct", list(&k.Distinct)},
		{"enrichment", list(&k.Enrichment)},
		{"undeclared", text(&k.Undeclared)},
		{"otherFields", list(&k.OtherFields)},
		{"orderBy", func(r *reader, v value) {
			r.object(v, members{{"field", text(&k.OrderBy)}, {"type", text(&k.OrderType)}})
		}},
		{"indexBy", text(&k.IndexBy)},
		{"latestBy", named(&k.LatestBy, readLatestIndex)},
		{"late", text(&k.Late)},
		{"ids", text(&k.IDs)},
		{"onCollision", text(&k.OnCollision)},
		{"finerTime",
			choice(&k.FinerTime, "policy for times finer than a millisecond", config.FinerPolicies)},
		{"latest", latestPolicy(&k.Latest)},
		{"shards", integer(&k.Shards)},
		{"maxMeasures", integer(&k.MaxMeasures)},
		{"tiers", retentionPolicy(&k.Retention)},
		{"sessionsOf", readSessions(&k.Sessions)},
		{"goals", named(&k.Goals, readGoal)},
		{"groups", list(&k.Groups)},
	}
}

// readSessions replaces a whole declaration of sessions.
func readSessions(to **catalog.Sessions) func(*reader, value) {
	return func(r *reader, v value) {
		s := catalog.Sessions{Follow: tier.Day24}
		r.object(v, members{
			{"kind", text(&s.Of)}, {"by", text(&s.By)},
			{"gap", span(&s.Gap)}, {"follow", span(&s.Follow)},
			{"first", named(&s.First, readSessionField)}, {"last", named(&s.Last, readSessionField)},
		})
		*to = &s
	}
}

func readSessionField(r *reader, name string, v value) catalog.SessionField {
	f := catalog.SessionField{Name: name}
	text(&f.Of)(r, v)
	return f
}

func subjectMembers(s *catalog.SubjectType) members {
	return members{
		{"name", text(&s.Name)},
		{"path", text(&s.Path)},
		{"field", text(&s.Field)},
		{"profile", func(r *reader, v value) { readProfile(r, v, &s.Profile) }},
	}
}

func readSubject(r *reader, name string, v value) catalog.SubjectType {
	s := catalog.SubjectType{Name: name}
	r.object(v, members{{"path", text(&s.Path)}, {"profile", func(r *reader, v value) {
		readProfile(r, v, &s.Profile)
	}}})
	return s
}

// named reads a mapping into a list of named values, in the order of the file.
func named[T any](to *[]T, read func(r *reader, name string, v value) T) func(*reader, value) {
	return func(r *reader, v value) {
		*to = nil
		r.each(v, func(name string, _ *yaml.Node, child value) {
			*to = append(*to, read(r, name, child))
		})
	}
}

func readMeasure(r *reader, name string, v value) rollup.MeasureSpec {
	m := rollup.MeasureSpec{Name: name, Scale: rollup.DefaultScale}
	r.object(v, members{
		{"scale", integer(&m.Scale)},
		{"percentiles", boolean(&m.Percentiles)},
		{"type", choice(&m.Counter, "type of a measure", config.MeasureTypes)},
		{"wrap", integer(&m.Wrap)},
		{"mean", choice(&m.TimeMean, "mean of a measure", config.Means)},
		{"unit", text(&m.Unit)},
	})
	return m
}

func readDimension(r *reader, name string, v value) rollup.DimensionSpec {
	d := rollup.DimensionSpec{Name: name, Top: rollup.DefaultTop}
	var of []string
	r.object(v, members{{"top", integer(&d.Top)}, {"detail", integer(&d.Detail)}, {"of", list(&of)}})
	copy(d.Of[:], of)
	if len(of) != 0 && len(of) != len(d.Of) {
		r.wrong(v, "of has %d fields: want the two whose pairs of values are counted", len(of))
	}
	return d
}

func readLatestIndex(r *reader, name string, v value) catalog.LatestIndex {
	x := catalog.LatestIndex{Index: name, Half: catalog.HalfSparse}
	r.object(v, members{{"by", list(&x.By)}, {"sort", list(&x.Sort)}, {"half", text(&x.Half)}})
	return x
}

// latestPolicy reads how latest items are kept. The key was true or false before.
func latestPolicy(to *catalog.LatestPolicy) func(*reader, value) {
	return func(r *reader, v value) {
		if v.node.ShortTag() == "!!bool" {
			r.wrong(v, "%s is not a policy for latest items any more: write transaction in place of "+
				"true, and none in place of false", config.Clip(v.node.Value))
			return
		}
		text(to)(r, v)
	}
}

// choice reads one of the texts that values have. what names the choice in the sentence of a mistake.
func choice[T any](to *T, what string, values map[string]T) func(*reader, value) {
	want := strings.Join(slices.Sorted(maps.Keys(values)), " or ")
	return func(r *reader, v value) {
		s, ok := r.scalar(v, want, "!!str")
		if !ok {
			return
		}
		if *to, ok = values[s]; !ok {
			r.wrong(v, "%s is not a %s: want %s", config.Clip(s), what, want)
		}
	}
}

// readProfile reads the profile declaration of a subject type over the built-in kind's, key by key;
// lists and mappings are replaced whole. The built-in kind is not changed.
func readProfile(r *reader, v value, to **catalog.Profile) {
	p := catalog.Profile{}
	if *to != nil {
		p = **to
	}
	*to = &p
	r.object(v, members{
		{"fields", named(&p.Declared, readProfileField)},
		{"indexes", named(&p.Indexes, readIndex)},
		{"unique", named(&p.Unique, readUnique)},
		{"release", text(&p.Release)},
		{"versions", func(r *reader, v value) {
			r.object(v, members{
				{"keep", boolean(&p.Versions.Keep)},
				{"for", limit(&p.Versions.For)},
			})
		}},
		{"deletedFor", limit(&p.DeletedFor)},
	})
}

func readProfileField(r *reader, name string, v value) catalog.ProfileField {
	f := catalog.ProfileField{Name: name}
	r.object(v, members{
		{"values", list(&f.Values)}, {"default", text(&f.Default)}, {"required", boolean(&f.Required)},
		{"immutable", boolean(&f.Immutable)},
	})
	return f
}

func readIndex(r *reader, name string, v value) catalog.ProfileIndex {
	x := catalog.ProfileIndex{Field: name, Index: catalog.FirstIndex, Shards: 1}
	r.object(v, members{
		{"index", text(&x.Index)}, {"shards", integer(&x.Shards)}, {"and", list(&x.And)}, {"sort", list(&x.Sort)},
		{"types", func(r *reader, v value) {
			x.Types = map[string]catalog.OrderType{}
			r.each(v, func(name string, _ *yaml.Node, child value) {
				var t catalog.OrderType
				text(&t)(r, child)
				x.Types[name] = t
			})
		}},
	})
	return x
}

func readUnique(r *reader, name string, v value) catalog.Unique {
	u := catalog.Unique{Name: name, Case: catalog.CaseExact}
	r.object(v, members{{"fields", list(&u.Fields)}, {"case", text(&u.Case)}, {"perOwner",
		boolean(&u.PerOwner)}})
	return u
}
