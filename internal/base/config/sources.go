package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// SourceRow says what the points of senders with a data model of their own become: InfluxDB line protocol,
// OTLP, and messages in JSON from a named source. The members of a message are its fields, with the path in
// nested objects as their name: update.state. A name with one * in it stands for any text there.
type SourceRow struct {
	// Match is the name of a measurement, metric or source; with a final *, the beginning of names. Of
	// several rows that match, the longest applies.
	Match string
	// Subject and Stream are texts with names of tags and fields in braces, "{model}-{id}", or constants. If
	// one of the names has no value, or the text is "", Tags and Measurement decide.
	Subject, Stream string
	Time            SourceTime
	Form            SourceForm // of messages in JSON
	OtherFields     Role       // field, or drop, of fields that Tags and Fields do not name
	Kind            string
	Measurement     Role        // of the name of the measurement or metric
	Tags            []SourceTag // by name
	OtherTags       Role        // of tags that Tags does not have
	Fields          []Rename
	// Missing are the texts and numbers that say that a field has no value, such as -9999.
	Missing []string
	// Wrapper is the member in which some programs put the whole message, of a preset: {"result": {…}}.
	Wrapper string
}

// IsMissing reports whether the text of a field is one of Missing; -9999.0 is -9999.
func (s *SourceRow) IsMissing(text string) bool {
	number := func(text string) string {
		if d, err := model.ParseDecimal(text); err == nil {
			return d.String()
		}
		return text
	}
	return slices.ContainsFunc(s.Missing, func(m string) bool { return number(m) == number(text) })
}

// SourceTime says where the time of a point is, if its protocol has no place for it. The zero value, and a
// point without one of the fields, is the time of arrival.
type SourceTime struct {
	From   []string // names of fields, whose texts are joined with a space
	Format string   // by the directives of strptime, or s, ms, us, ns; "" reads each form that Means one time
	Zone   string   // of times without an offset; "" takes the time of arrival instead of them
}

// SourceForm is the form of messages in JSON.
type SourceForm string

// The forms.
const (
	FormObjects SourceForm = ""      // an object, or a list of objects, each with the fields of one time
	FormSenML   SourceForm = "senml" // RFC 8428: a list of records, each with one value
)

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
	if !slices.Contains(KindNames(kinds), shippedKind) {
		return nil
	}
	return []SourceRow{{
		Match: "*", Kind: shippedKind, Measurement: RoleStream, OtherTags: RoleStream,
		Tags: []SourceTag{
			{Name: "host", Role: RoleSubject}, {Name: "host.name", Role: RoleSubject},
			{Name: "service.name", Role: RoleSubject}, {Name: "instance", Role: RoleSubject},
			{Name: "service.instance.id", Role: RoleStream},
		},
	}}
}

// sourceMistakes returns a mistake for each unknown kind and role.
func (c *Config) sourceMistakes() (found Mistakes) {
	for _, s := range c.Sources {
		path := Join("sources", s.Match)
		if known := KindNames(c.Kinds); !slices.Contains(known, s.Kind) {
			why := fmt.Sprintf("no kind is named %s: want one of %s%s", Clip(s.Kind), strings.Join(known, ", "),
				names.DidYouMean(s.Kind, known))
			found = append(found, Mistake{Path: path + ".kind", Message: why})
		}
		found = append(found, s.mistakes(path)...)
		for _, role := range append([]SourceTag{{"measurement", s.Measurement}, {"otherTags", s.OtherTags}},
			s.Tags...) {
			if known := []Role{RoleStream, RoleField, RoleDrop, RoleSubject}; !slices.Contains(known, role.Role) {
				found = append(found, Mistake{Path: Join(path, role.Name),
					Message: fmt.Sprintf("%s is not a role: want subject, stream, field or drop", Clip(string(role.Role)))})
			}
		}
	}
	return found
}

// mistakes returns what is wrong with the settings of a row for messages.
func (s *SourceRow) mistakes(path string) (found Mistakes) {
	wrong := func(member, message string, args ...any) {
		found = append(found, Mistake{Path: Join(path, member), Message: fmt.Sprintf(message, args...)})
	}
	if !slices.Contains([]Role{"", RoleField, RoleDrop}, s.OtherFields) {
		wrong("otherFields", "%s is not a role of a field: want field or drop", Clip(string(s.OtherFields)))
	}
	if s.Form != FormObjects && s.Form != FormSenML {
		wrong("form", "%s is not a form: leave it out for JSON objects, or want senml", Clip(string(s.Form)))
	}
	if _, err := s.Time.Clock(); err != nil {
		wrong("time", "%v", err)
	}
	return found
}

// Clock returns how the texts of the fields are read. The error names a wrong format or zone.
func (t SourceTime) Clock() (clock timetext.Clock, err error) {
	if t.Format != "" {
		if err := clock.SetFormat(t.Format); err != nil {
			return clock, err
		}
	}
	if t.Zone != "" {
		clock.Zone, err = times.Zone(t.Zone)
	}
	return clock, err
}

// KindNames returns the names of kinds.
func KindNames(kinds []catalog.Kind) []string {
	return lists.Map(kinds, func(k catalog.Kind) string { return k.Name })
}
