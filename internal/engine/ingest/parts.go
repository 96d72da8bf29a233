package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// part reports a part of an observation that is not stored as it was sent. A strict observation, and one of a
// Go program, is rejected for it; of any other the rest is stored, and its result names the part.
func (v *validation) part(field, code, format string, args ...any) {
	switch {
	case !v.lenient:
		v.add(field, code, format, args...)
	case len(v.parts.errors) < mostParts:
		v.parts.add(field, code, format, args...)
	}
}

// altered reports a part that is stored in another form. A rejected observation has none.
func (v *validation) altered(field, code, format string, args ...any) {
	switch {
	case !v.lenient:
		v.add(field, code, format, args...)
	case len(v.alterations.errors) < mostParts:
		v.alterations.add(field, code, format, args...)
	}
}

// notAsSent returns the parts of a stored observation that are not stored as they were sent.
func (v *validation) notAsSent() []model.FieldError {
	return append(v.parts.errors, v.alterations.errors...)
}

// mostParts is how many parts of one observation are named.
const mostParts = 100

func fitsMeasure(d model.Decimal) bool {
	_, _, ok := d.Scaled(0)
	return ok
}

// strictly reports a measure that rollups count as invalid. It is stored unless the observation is strict.
func (v *validation) strictly(field, code, format string, args ...any) {
	if !v.lenient {
		v.add(field, code, format, args...)
	}
}

// refused reports a value that is not stored, and returns a value that attrs leaves out.
func (v *validation) refused(field, code, message string) model.Value {
	v.part(field, code, "%s", message)
	return model.Value{Kind: model.Nested}
}

// partName validates the name of a field.
func (v *validation) partName(name string) bool {
	check := validation{limits: v.limits}
	if check.name(name, name, v.limits.Name) {
		return true
	}
	wrong := check.errors[0]
	v.part(wrong.Field, wrong.Code, "%s", wrong.Message)
	return false
}

// stores reports whether the kind stores a field of that name.
func (v *validation) stores(name string) bool {
	if v.kind.Stores(name) {
		return true
	}
	const message = "is not declared by %s, which takes declared fields alone: leave it out, or declare it " +
		"(otherFields)"
	if v.kind.Undeclared == catalog.RejectUndeclared {
		v.add(name, CodeUndeclared, message, v.kind.Name)
	} else {
		v.part(name, CodeUndeclared, message, v.kind.Name)
	}
	return false
}

// properties returns the fields with each property of the event in a place, see catalog.Kind.Properties.
func (v *validation) properties(given model.Attrs) model.Attrs {
	stored, beyond := webfield.StoredProperties(given, v.kind.Properties)
	for _, a := range beyond {
		v.part(a.Name, CodeTooManyFields, "is beyond the limit of %d properties: the first names are stored",
			len(v.kind.Properties))
	}
	return stored
}

// fewerFields returns the fields up to their limit: declared ones first, then by name, so that repeated
// observations keep the same. ok is false if the observation is rejected.
func (v *validation) fewerFields(given model.Attrs) (fields model.Attrs, ok bool) {
	n := len(given)
	if n <= v.limits.Fields {
		return given, true
	}
	v.part("", CodeTooManyFields, "%d fields: at most %d in one observation; send fewer, or as several streams",
		n, v.limits.Fields)
	if !v.lenient {
		return nil, false
	}
	return v.first(given, v.limits.Fields, func(model.Attr) bool { return true }), true
}

// fewerMeasures returns attrs with the measures up to their limit, as fewerFields does.
func (v *validation) fewerMeasures(attrs model.Attrs, n int) model.Attrs {
	v.part("", CodeTooManyMeasures, "%d measures: at most %d in one observation; send them as several streams",
		n, v.limits.Measures)
	if !v.lenient {
		return attrs
	}
	return v.first(attrs, v.limits.Measures, func(a model.Attr) bool {
		return a.Value.Kind == model.Number || v.kind.Declared(a.Name)
	})
}

// first returns attrs with at most n of those that are counted. Each other is named as not stored.
func (v *validation) first(attrs model.Attrs, n int, counted func(model.Attr) bool) (kept model.Attrs) {
	sorted := slices.SortedFunc(slices.Values(attrs), func(a, b model.Attr) int {
		x, y := v.kind.Knows(a.Name), v.kind.Knows(b.Name)
		if x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return cmp.Compare(a.Name, b.Name)
	})
	for _, a := range sorted {
		switch {
		case !counted(a):
		case n > 0:
			n--
		default:
			v.part(a.Name, CodeTooManyFields, "is beyond the limit of one observation: declared fields and the "+
				"first names are stored")
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

// mostDepth is the greatest depth of objects whose members become fields.
const mostDepth = 8

// flat returns a field, or the fields of the members of an object: a member b of an object a is the field
// a.b. A list, and an object that is too deep, is kept as its text. A name that the table uses itself gets an
// underscore behind it, unless the observation has that field too.
func (d *fieldDecoder) flat(f Field, depth int) {
	members, isObject := objectMembers(f)
	if depth == mostDepth || !isObject && f.Form == NestedForm {
		d.v.altered(f.Name, CodeNested,
			"is a list or a deep object: it is stored as text; send its parts as separate fields")
		f.Form, f.Text = TextForm, compact(f.Text)
	}
	if f.Form != NestedForm {
		f.Name = d.free(f.Name)
		d.value(f)
		return
	}
	d.dropped(Below(f.Name, members.Dropped))
	for _, m := range members.Fields {
		m.Name = f.Name + "." + m.Name
		d.flat(m, depth+1)
	}
}

// Leaves returns fields with the members of objects as fields of their own, as they are stored.
func Leaves(fields []Field) (leaves []Field) { return leavesBelow(fields, 0) }

func leavesBelow(fields []Field, depth int) (leaves []Field) {
	for _, f := range fields {
		members, isObject := objectMembers(f)
		if !isObject || depth == mostDepth {
			leaves = append(leaves, f)
			continue
		}
		for i := range members.Fields {
			members.Fields[i].Name = f.Name + "." + members.Fields[i].Name
		}
		leaves = append(leaves, leavesBelow(members.Fields, depth+1)...)
	}
	return leaves
}

// Below returns parts of an object, named as its fields are.
func Below(object string, parts []model.FieldError) (named []model.FieldError) {
	for _, p := range parts {
		p.Field = object + "." + p.Field
		named = append(named, p)
	}
	return named
}

// objectMembers returns the members of an object; ok is false of any other value.
func objectMembers(f Field) (members Observation, ok bool) {
	if f.Form != NestedForm || !strings.HasPrefix(f.Text, "{") {
		return members, false
	}
	members = DecodeObject([]byte(f.Text))
	return members, members.DecodeError == nil
}

func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// free returns the name under which a field is stored.
func (d *fieldDecoder) free(name string) string {
	stored := reserved.Renamed(name)
	if stored == name || d.names[stored] {
		return name
	}
	d.names[stored] = true
	d.v.altered(name, CodeNameReserved, "is reserved for the table: it is stored as %s; choose another name",
		stored)
	return stored
}
