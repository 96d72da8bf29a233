package configfile

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// newSource returns the values with which a row begins: the preset of its name, or the row "*".
func newSource(c *config.Config, name string) config.SourceRow {
	if len(c.Kinds) > 0 {
		if row, ok := config.Preset(name, c.Kinds[0].Name); ok {
			return row
		}
	}
	row := config.SourceRow{Measurement: config.RoleStream, OtherTags: config.RoleStream}
	if any := slices.IndexFunc(c.Sources, func(s config.SourceRow) bool { return s.Match == "*" }); any >= 0 {
		row = c.Sources[any]
	}
	row.Match = name
	return row
}

// readSources reads rows by name.
func readSources(c *config.Config) func(*reader, value) {
	return func(r *reader, v value) {
		c.Sources = slices.Clone(c.Sources)
		r.each(v, func(name string, _ *yaml.Node, child value) {
			i := slices.IndexFunc(c.Sources, func(s config.SourceRow) bool { return s.Match == name })
			if i < 0 {
				row := newSource(c, name)
				i, c.Sources = len(c.Sources), append(c.Sources, row)
			}
			r.object(child, sourceMembers(&c.Sources[i]))
		})
	}
}

func sourceMembers(s *config.SourceRow) members {
	return members{
		{"kind", text(&s.Kind)},
		{"measurement", text(&s.Measurement)},
		{"tags", named(&s.Tags, func(r *reader, name string, v value) config.SourceTag {
			t := config.SourceTag{Name: name}
			text(&t.Role)(r, v)
			return t
		})},
		{"otherTags", text(&s.OtherTags)},
		{"fields", named(&s.Fields, func(r *reader, name string, v value) config.Rename {
			f := config.Rename{From: name}
			text(&f.To)(r, v)
			return f
		})},
		{"otherFields", text(&s.OtherFields)},
		{"missing", list(&s.Missing, "!!int", "!!float")},
		{"subject", text(&s.Subject)},
		{"stream", text(&s.Stream)},
		{"time", section(&s.Time)},
		{"form", text(&s.Form)},
	}
}
