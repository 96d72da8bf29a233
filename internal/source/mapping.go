package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Mapping turns points into observations by the rows of tidemark.yaml. It is safe for concurrent use.
type Mapping struct {
	Rows    []config.SourceRow
	Catalog *catalog.Catalog // has the kinds of the rows
}

// Observation returns a point as an observation of a kind. A point without a tag that names its subject has
// the subject otherwise. An observation that cannot be made has a DecodeError and no kind.
func (m *Mapping) Observation(p *Point, otherwise string) (*catalog.Kind, ingest.Observation) {
	if p.Err != nil {
		return nil, ingest.Observation{DecodeError: p.Err}
	}
	row := m.row(p.Name)
	if row == nil {
		return nil, ingest.Observation{DecodeError: &model.FieldError{Code: CodeNoMapping,
			Message: fmt.Sprintf("no row of sources in tidemark.yaml matches %.64q: add a row, or a row \"*\"", p.Name)}}
	}
	kind, _ := m.Catalog.Kind(row.Kind) // package config has checked it
	b := builder{kind: kind, row: row}
	b.tags(p, otherwise)
	for _, f := range p.Fields {
		b.field(b.renamed(f.Name), f.Form, f.Text)
	}
	b.add(catalog.TimeField, ingest.TextForm, p.At.UTC().Format(time.RFC3339Nano))
	b.add(catalog.StreamField, ingest.TextForm, strings.Join(b.stream, ","))
	return kind, b.Observation
}

// row returns the row with the longest match, nil if there is none.
func (m *Mapping) row(name string) (best *config.SourceRow) {
	for i := range m.Rows {
		r := &m.Rows[i]
		begin, open := strings.CutSuffix(r.Match, "*")
		if (r.Match == name || open && strings.HasPrefix(name, begin)) && (best == nil || len(r.Match) > len(best.Match)) {
			best = r
		}
	}
	return best
}

// builder makes the observation of one point.
type builder struct {
	ingest.Observation
	kind   *catalog.Kind
	row    *config.SourceRow
	stream []string // parts of the stream
}

// tags gives the name and the tags of a point their roles. The stream does not depend on the order of tags.
func (b *builder) tags(p *Point, otherwise string) {
	subject := b.subjectTag(p.Tags)
	b.Subject = cmp.Or(subject.Value, otherwise)
	if b.row.Measurement == config.RoleSubject {
		b.Subject, subject = p.Name, Tag{}
	}
	b.put(b.row.Measurement, "measurement", p.Name, streamPart.Replace(p.Name))
	for _, t := range slices.SortedFunc(slices.Values(p.Tags), func(a, b Tag) int { return cmp.Compare(a.Name, b.Name) }) {
		if t != subject {
			b.put(b.role(t), t.Name, t.Value, streamPart.Replace(t.Name)+"="+streamPart.Replace(t.Value))
		}
	}
}

// streamPart escapes the characters that separate the parts of a stream, so that no two series
// have the same stream.
var streamPart = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)

// subjectTag returns the tag that names the subject: the first of the row's that has a value.
func (b *builder) subjectTag(tags []Tag) Tag {
	for _, of := range b.row.Tags {
		if i := slices.IndexFunc(tags, func(t Tag) bool { return t.Name == of.Name && t.Value != "" }); i >= 0 && of.Role == config.RoleSubject {
			return tags[i]
		}
	}
	return Tag{}
}

// role returns the role of a tag that does not name the subject.
func (b *builder) role(t Tag) config.Role {
	i := slices.IndexFunc(b.row.Tags, func(of config.SourceTag) bool { return of.Name == t.Name })
	switch {
	case i >= 0 && b.row.Tags[i].Role != config.RoleSubject:
		return b.row.Tags[i].Role
	case i < 0 && t.Resource:
		return config.RoleDrop
	}
	return b.row.OtherTags
}

func (b *builder) put(role config.Role, name, value, part string) {
	switch role {
	case config.RoleStream:
		b.stream = append(b.stream, part)
	case config.RoleField:
		b.field(name, ingest.TextForm, value)
	}
}

func (b *builder) renamed(name string) string {
	for _, r := range b.row.Fields {
		if r.From == name {
			return r.To
		}
	}
	return name
}

// field adds a field. A name that the kind uses for the identity of events gets an underscore
// at its end: a sender that has a field "id" does not mean the id of the event.
func (b *builder) field(name string, form ingest.Form, text string) {
	if slices.Contains([]string{b.kind.Subject.Field, catalog.TimeField, catalog.StreamField, catalog.IDField}, name) {
		name += "_"
	}
	b.add(name, form, text)
}

func (b *builder) add(name string, form ingest.Form, text string) {
	b.Fields = append(b.Fields, ingest.Field{Name: name, Form: form, Text: text})
}
