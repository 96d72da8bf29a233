package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The codes of what can be wrong with a profile. They are stable: callers may branch
// on them. They mean what the same codes mean of observations.
const (
	CodeMissing          = "missing"
	CodeInvalidUTF8      = "invalid-utf8"
	CodeControlCharacter = "control-character"
	CodeTooLong          = "too-long"
	CodeKeyTooLong       = "key-too-long"
	CodeTooLarge         = "too-large"
	CodeTooManyFields    = "too-many-fields"
	CodeDuplicateName    = "duplicate-name"
	CodeNameEmpty        = "name-empty"
	CodeNameReserved     = "name-reserved"
	CodeWrongType        = "wrong-type"
	CodeNotAllowed       = "not-allowed"
)

// maxProfileBytes bounds a profile as stored: an item of the table holds 400 KB, and a
// tombstone holds more than the profile it was.
const maxProfileBytes = 256 << 10

// admission gathers what is wrong with a profile, at most once a field.
type admission struct {
	*Service
	errors []model.FieldError
}

func (a *admission) wrong(field, code, format string, args ...any) {
	if !slices.ContainsFunc(a.errors, func(e model.FieldError) bool { return e.Field == field }) {
		a.errors = append(a.errors, model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// subject checks who.
func (a *admission) subject(s model.Subject) {
	switch err := keys.Tombstone(s).Check(); {
	case s.Type == "" || s.ID == "":
		a.wrong("", CodeMissing, "the subject has no type or no id: name one, as devices/sensor_01")
	case len(s.ID) > a.Limits.Subject:
		a.wrong("", CodeTooLong, "the subject's id is %d bytes long: at most %d; shorten it", len(s.ID), a.Limits.Subject)
	case strings.ContainsFunc(s.ID, unicode.IsControl):
		a.wrong("", CodeControlCharacter, "the subject's id holds a control character: remove it")
	case err != nil:
		a.wrong("", CodeKeyTooLong, "%v", err)
	}
}

// attrs checks fields as they were given and answers them in canonical order.
func (a *admission) attrs(given model.Attrs) model.Attrs {
	attrs := slices.Clone(given)
	attrs.Sort()
	for i, f := range attrs {
		if i > 0 && attrs[i-1].Name == f.Name {
			a.wrong(f.Name, CodeDuplicateName, "stands twice: send it once")
		}
		a.field(f)
	}
	return attrs
}

func (a *admission) field(f model.Attr) {
	name, text := f.Name, f.Value.Text
	switch {
	case name == "":
		a.wrong("", CodeNameEmpty, "a field has no name: give it one or leave it out")
	case keys.ReservedInProfile(name):
		a.wrong(name, CodeNameReserved, "is a name of the table's own: choose another (names beginning with _ are reserved too)")
	case len(name) > a.Limits.Name:
		a.wrong(name[:a.Limits.Name], CodeTooLong, "this name is %d bytes long: at most %d; shorten it", len(name), a.Limits.Name)
	case !utf8.ValidString(name) || !utf8.ValidString(text):
		a.wrong(strings.ToValidUTF8(name, "\uFFFD"), CodeInvalidUTF8, "holds bytes that are not UTF-8: encode it as UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		a.wrong(name, CodeControlCharacter, "this name holds a control character: remove it")
	case len(text) > a.Limits.Text:
		a.wrong(name, CodeTooLong, "is %d bytes of text: at most %d; shorten it, or keep it elsewhere and send where", len(text), a.Limits.Text)
	}
}

// whole checks a profile as it would stand.
func (a *admission) whole(p *model.Profile, spec *catalog.Profile) {
	if n := len(p.Attrs); n > a.Limits.Fields {
		a.wrong("", CodeTooManyFields, "%d fields: at most %d in a profile; leave some out", n, a.Limits.Fields)
	}
	if n := item.FromProfile(p).Size(); n > maxProfileBytes {
		a.wrong("", CodeTooLarge, "the profile would take %d bytes: at most %d; keep fewer or shorter fields", n, maxProfileBytes)
	}
	for _, f := range spec.Declared {
		v, ok := p.Attrs.Get(f.Name)
		switch {
		case !ok || v.Kind == model.Null:
		case v.Kind != model.Text:
			a.wrong(f.Name, CodeWrongType, "is no string: send one")
		case len(f.Values) > 0 && !slices.Contains(f.Values, v.Text):
			a.wrong(f.Name, CodeNotAllowed, "%.64q is not among its values: want %s", v.Text, strings.Join(f.Values, ", "))
		}
	}
	for _, x := range spec.Indexes {
		v, ok := p.Attrs.Get(x.Field)
		if ok && v.Kind != model.Text && v.Kind != model.Null {
			a.wrong(x.Field, CodeWrongType, "is no string, but profiles are found by it: send a string")
		} else if k := indexKey(p, x); k != (keys.Key{}) && k.Check() != nil {
			a.wrong(x.Field, CodeKeyTooLong, "is too long to be found by: shorten it")
		}
	}
	for _, c := range claims(p.Subject.Type, spec, p.Attrs) {
		if keys.UniqueIn(c.partition).Check() != nil {
			a.wrong("", CodeKeyTooLong, "the values of %s are too long to be unique: shorten them", c.constraint)
		}
	}
}

// withDefaults are the fields of a new profile, those that it leaves out and that have a
// default included.
func withDefaults(attrs model.Attrs, spec *catalog.Profile) model.Attrs {
	var defaults model.Attrs
	for _, f := range spec.Declared {
		if f.Default != "" {
			defaults = append(defaults, model.Attr{Name: f.Name, Value: model.TextValue(f.Default)})
		}
	}
	defaults.Sort()
	return defaults.Union(attrs)
}

// rejected is the outcome of what is wrong; ok is false where nothing is.
func (a *admission) rejected() (_ Outcome, ok bool) {
	return Outcome{Verdict: Rejected, Errors: a.errors}, len(a.errors) > 0
}
