package points

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
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
	row := m.Row(p.Name)
	if row == nil {
		return nil, ingest.Observation{DecodeError: &model.FieldError{Code: CodeNoMapping,
			Message: fmt.Sprintf("no row of sources in tidemark.yaml matches %.64q: add a row, or a row \"*\"",
				p.Name)}}
	}
	kind, ok := m.Catalog.Kind(row.Kind)
	if !ok { // of a preset; package config has checked the rows
		return nil, ingest.Observation{DecodeError: &model.FieldError{Code: CodeNoMapping,
			Message: fmt.Sprintf("no kind is named %s: name a kind for %s in sources", row.Kind, row.Match)}}
	}
	b := builder{kind: kind, row: row, used: map[string]bool{}}
	b.identity(p, otherwise)
	b.Dropped = p.Dropped
	if b.Subject == "" {
		return kind, ingest.Observation{DecodeError: &model.FieldError{
			Field: kind.Subject.Field, Code: ingest.CodeMissing,
			Message: "is not in it: pass ?subject=ID, or --set subject=ID to import, or set subject in the row " +
				row.Match + " of sources",
		}}
	}
	at, wrong := b.time(p)
	if wrong != nil {
		return nil, ingest.Observation{Subject: b.Subject, DecodeError: wrong}
	}
	if i := slices.IndexFunc(b.Dropped, b.identifies); i >= 0 {
		return kind, ingest.Observation{Subject: b.Subject, DecodeError: &b.Dropped[i]}
	}
	for _, f := range p.Fields {
		if row.IsMissing(f.Text) {
			f = ingest.Field{Name: f.Name, Form: ingest.NullForm}
		}
		name, ok := b.name(f.Name)
		if !ok || f.Form == ingest.NullForm && !kind.Declared(name) {
			continue
		}
		if b.has(name) { // two fields have one name after renaming: the second keeps its own
			name = f.Name
		}
		b.elements(name, f)
	}
	given := len(b.Fields)
	if b.DropRepeated(); len(b.Fields) == 0 && given > 0 {
		return kind, ingest.Observation{Subject: b.Subject, DecodeError: &b.Dropped[len(b.Dropped)-1]}
	}
	if len(b.Fields) == 0 {
		return kind, ingest.Observation{Subject: b.Subject, DecodeError: &model.FieldError{Code: CodeNothing,
			Message: fmt.Sprintf("the row %s of sources keeps nothing of it", row.Match)}}
	}
	b.add(catalog.TimeField, ingest.TextForm, at.UTC().Format(time.RFC3339Nano))
	b.add(catalog.StreamField, ingest.TextForm, strings.Join(b.stream, ","))
	return kind, b.Observation
}

// Row returns the row with the longest match, or the preset of the name if no row matches but "*", or nil.
func (m *Mapping) Row(name string) (best *config.SourceRow) {
	for i := range m.Rows {
		r := &m.Rows[i]
		begin, open := strings.CutSuffix(r.Match, "*")
		if (r.Match == name || open && strings.HasPrefix(name, begin)) &&
			(best == nil || len(r.Match) > len(best.Match)) {
			best = r
		}
	}
	if len(m.Catalog.Kinds) == 0 || best != nil && best.Match != "*" {
		return best
	}
	if preset, ok := config.Preset(name, m.Catalog.Kinds[0].Name); ok {
		return &preset
	}
	return best
}

// builder makes the observation of one point.
type builder struct {
	ingest.Observation
	kind   *catalog.Kind
	row    *config.SourceRow
	stream []string        // parts of the stream
	used   map[string]bool // fields that are in the subject, stream or time
}

// identity sets the subject and the stream.
func (b *builder) identity(p *Point, otherwise string) {
	subject, isGiven := b.template(b.row.Subject, p)
	stream, inStream := b.template(b.row.Stream, p)
	b.tags(p, otherwise)
	if isGiven {
		b.Subject = subject
	}
	if inStream {
		b.stream = []string{stream}
	}
}

// placeholder is a name of a tag or field in a template.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// template returns a text with the values of a point in place of names in braces. ok is false if the template
// is empty, or if the point lacks a value.
func (b *builder) template(template string, p *Point) (text string, ok bool) {
	ok = template != ""
	var names []string
	text = placeholder.ReplaceAllStringFunc(template, func(name string) string {
		name = name[1 : len(name)-1]
		names = append(names, name)
		value := p.value(name)
		ok = ok && value != ""
		return value
	})
	for _, name := range names {
		b.used[name] = true
	}
	return text, ok
}

// time returns the time of a point: from the fields of the row, else its own. A text such as N/A is no time,
// and of a message with the time now it is the arrival.
func (b *builder) time(p *Point) (time.Time, *model.FieldError) {
	var texts []string
	for _, name := range b.row.Time.From {
		b.used[name] = true
		if text := p.value(name); !columns.Missing(text) && text != "now" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 || len(texts) < len(b.row.Time.From) {
		return p.At, nil
	}
	clock, _ := b.row.Time.Clock() // package config has checked it
	at, _, err := clock.Read(strings.Join(texts, " "))
	if errors.Is(err, timetext.ErrNoZone) { // arrival is nearer than a guess of the zone
		return p.At, nil
	}
	if err != nil {
		field := strings.Join(b.row.Time.From, "+")
		return p.At, &model.FieldError{Field: field, Code: ingest.CodeTimeForm,
			Message: timetext.Message(err, timeSettings(b.row))}
	}
	return at.Time(), nil
}

// identifies reports whether a part that is not known is a part of the subject, stream or time.
func (b *builder) identifies(part model.FieldError) bool {
	return b.used[part.Field] || slices.ContainsFunc(b.row.Tags, func(t config.SourceTag) bool {
		return t.Name == part.Field && (t.Role == config.RoleSubject || t.Role == config.RoleStream)
	})
}

// name returns the name under which a field is stored; ok is false if it is not.
func (b *builder) name(field string) (name string, ok bool) {
	if b.used[field] {
		return "", false
	}
	for _, t := range b.row.Tags {
		if _, matches := match(t.Name, field); matches && t.Role == config.RoleDrop {
			return "", false
		}
	}
	for _, r := range b.row.Fields {
		if middle, matches := match(r.From, field); matches {
			return strings.Replace(r.To, "*", middle, 1), true
		}
	}
	return field, b.row.OtherFields != config.RoleDrop
}

// match reports whether a name matches a pattern, in which one * stands for any text, which is returned.
func match(pattern, name string) (middle string, ok bool) {
	before, after, several := strings.Cut(pattern, "*")
	if !several {
		return "", pattern == name
	}
	rest, begins := strings.CutPrefix(name, before)
	middle, ends := strings.CutSuffix(rest, after)
	return middle, begins && ends
}

// tags gives the name and the tags of a point their roles. The stream does not depend on the order of tags.
func (b *builder) tags(p *Point, otherwise string) {
	subject := b.subjectTag(p.Tags)
	b.Subject = cmp.Or(subject.Value, otherwise)
	if b.row.Measurement == config.RoleSubject {
		b.Subject, subject = p.Name, Tag{}
	}
	b.put(b.row.Measurement, "measurement", p.Name, streamPart.Replace(p.Name))
	for _, t := range slices.SortedFunc(slices.Values(p.Tags), func(a, b Tag) int {
		return cmp.Compare(a.Name, b.Name)
	}) {
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
		if i := slices.IndexFunc(tags, func(t Tag) bool {
			return t.Name == of.Name && t.Value != ""
		}); i >= 0 && of.Role == config.RoleSubject {
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

// field adds a field. A name that the kind uses for the identity of events gets an underscore
// at its end: a sender that has a field "id" does not mean the id of the event.
func (b *builder) field(name string, form ingest.Form, text string) {
	if slices.Contains([]string{b.kind.Subject.Field, catalog.TimeField, catalog.StreamField, catalog.IDField},
		name) {
		name += "_"
	}
	b.add(name, form, text)
}

func (b *builder) has(name string) bool {
	return slices.ContainsFunc(b.Fields, func(f ingest.Field) bool { return f.Name == name })
}

func (b *builder) add(name string, form ingest.Form, text string) {
	b.Fields = append(b.Fields, ingest.Field{Name: name, Form: form, Text: text})
}

// timeSettings are how a user sets the form and the zone of times of a row of sources.
func timeSettings(row *config.SourceRow) timetext.Settings {
	set := func(name string) func(string) string {
		return func(value string) string {
			return "set " + name + " in the row " + row.Match + " of sources to " + value
		}
	}
	return timetext.Settings{Format: set("time.format"), Zone: set("time.zone")}
}
