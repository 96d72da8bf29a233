package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// SourceRow says what the points of senders with a data model of their own become: InfluxDB
// line protocol and OTLP.
type SourceRow struct {
	// Match is the name of a measurement or metric; with a final *, the beginning of names. Of
	// several rows that match, the longest applies.
	Match       string
	Kind        string
	Measurement Role        // of the name of the measurement or metric
	Tags        []SourceTag // by name
	OtherTags   Role        // of tags that Tags does not have
	Fields      []Rename
}

// SourceTag is the role of a tag, or of an attribute of a data point or resource.
type SourceTag struct {
	Name string
	Role Role
}

// Rename is the name of a point's field, and the name under which it is stored.
type Rename struct{ From, To string }

// Role is what a name or tag of a point becomes.
type Role string

// The roles.
const (
	RoleSubject Role = "subject" // the subject's id; of several such tags, the first that a point has
	RoleStream  Role = "stream"  // a part of the stream
	RoleField   Role = "field"   // a text field
	RoleDrop    Role = "drop"    // nothing
)

// shippedKind is the kind of the shipped row.
const shippedKind = "METRIC"

// shippedSources are the rows for any sender, if the kind of points is among kinds.
func shippedSources(kinds []catalog.Kind) []SourceRow {
	if !slices.Contains(kindNames(kinds), shippedKind) {
		return nil
	}
	return []SourceRow{{
		Match: "*", Kind: shippedKind, Measurement: RoleStream, OtherTags: RoleStream,
		Tags: []SourceTag{{"host", RoleSubject}, {"host.name", RoleSubject}, {"service.name", RoleSubject}, {"service.instance.id", RoleStream}},
	}}
}

// readSources reads rows by name. A row begins with the values of the shipped row of that
// name, or of the row "*".
func (c *Config) readSources(r *reader, v value) {
	c.Sources = slices.Clone(c.Sources)
	r.each(v, func(name string, _ *yaml.Node, child value) {
		i := slices.IndexFunc(c.Sources, func(s SourceRow) bool { return s.Match == name })
		if i < 0 {
			row := SourceRow{Measurement: RoleStream, OtherTags: RoleStream}
			if any := slices.IndexFunc(c.Sources, func(s SourceRow) bool { return s.Match == "*" }); any >= 0 {
				row = c.Sources[any]
			}
			row.Match = name
			i, c.Sources = len(c.Sources), append(c.Sources, row)
		}
		r.object(child, c.Sources[i].members())
	})
}

func (s *SourceRow) members() members {
	return members{
		{"kind", text(&s.Kind)},
		{"measurement", text(&s.Measurement)},
		{"tags", named(&s.Tags, func(r *reader, name string, v value) SourceTag {
			t := SourceTag{Name: name}
			text(&t.Role)(r, v)
			return t
		})},
		{"otherTags", text(&s.OtherTags)},
		{"fields", named(&s.Fields, func(r *reader, name string, v value) Rename {
			f := Rename{From: name}
			text(&f.To)(r, v)
			return f
		})},
	}
}

// sourceMistakes returns a mistake for each unknown kind and role.
func (c *Config) sourceMistakes() (found Mistakes) {
	for _, s := range c.Sources {
		path := join("sources", s.Match)
		if names := kindNames(c.Kinds); !slices.Contains(names, s.Kind) {
			found = append(found, Mistake{Path: path + ".kind", Message: fmt.Sprintf("no kind is named %s: want one of %s", clip(s.Kind), strings.Join(names, ", "))})
		}
		for _, role := range append([]SourceTag{{"measurement", s.Measurement}, {"otherTags", s.OtherTags}}, s.Tags...) {
			if known := []Role{RoleStream, RoleField, RoleDrop, RoleSubject}; !slices.Contains(known, role.Role) {
				found = append(found, Mistake{Path: join(path, role.Name), Message: fmt.Sprintf("%s is not a role: want subject, stream, field or drop", clip(string(role.Role)))})
			}
		}
	}
	return found
}
