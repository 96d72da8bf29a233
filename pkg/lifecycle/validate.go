package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The codes of field errors. They are stable, so that callers can branch on them, and
// have the same meaning as the codes of observations.
const (
	codeMissing          = "missing"
	codeInvalidUTF8      = "invalid-utf8"
	codeControlCharacter = "control-character"
	codeTooLong          = "too-long"
	codeKeyTooLong       = "key-too-long"
	codeTooLarge         = "too-large"
	codeTooManyFields    = "too-many-fields"
	codeDuplicateName    = "duplicate-name"
	codeNameEmpty        = "name-empty"
	codeNameReserved     = "name-reserved"
	codeWrongType        = "wrong-type"
	codeNotAllowed       = "not-allowed"
	codeNested           = "nested"
	codeImmutable        = "immutable"
)

// maxProfileBytes limits the stored size of a profile. DynamoDB limits an item to 400 KB,
// and a tombstone is larger than its profile.
const maxProfileBytes = 256 << 10

// validation collects the errors of a profile, at most one for each field.
type validation struct {
	*Service
	errors []model.FieldError
}

func (a *validation) addError(field, code, format string, args ...any) {
	if !slices.ContainsFunc(a.errors, func(e model.FieldError) bool { return e.Field == field }) {
		a.errors = append(a.errors,
			model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

func (a *validation) checkSubject(s model.Subject) {
	switch err := tablekeys.Tombstone(s).Check(); {
	case s.Type == "" || s.ID == "":
		a.addError("", codeMissing, "the subject has no type or no id: name one, such as devices/sensor_01")
	case len(s.ID) > a.limits().Subject:
		a.addError("", codeTooLong, "the subject's id is %d bytes long: at most %d; shorten it", len(s.ID),
			a.limits().Subject)
	case plaintext.Has(s.ID):
		a.addError("", codeControlCharacter,
			"the subject's id contains a character that a reader cannot see: remove it")
	case errors.Is(err, keys.ErrKeyText):
		a.addError("", codeInvalidUTF8, "%v", err)
	case err != nil:
		a.addError("", codeKeyTooLong, "%v", err)
	}
}

// checkAttrs checks the given fields one by one and returns them in canonical order.
func (a *validation) checkAttrs(given model.Attrs) model.Attrs {
	attrs := slices.Clone(given)
	attrs.Sort()
	for i, f := range attrs {
		if i > 0 && attrs[i-1].Name == f.Name {
			a.addError(f.Name, codeDuplicateName, "appears twice: send it once")
		}
		attrs[i].Value = a.checkNested(f)
		a.checkField(attrs[i])
	}
	return attrs
}

// checkNested returns the value of a field, a list or a map in its only form.
func (a *validation) checkNested(f model.Attr) model.Value {
	if f.Value.Kind != model.Nested || len(f.Value.Text) > a.limits().Text {
		return f.Value
	}
	tree, err := item.ParseNested(f.Value.Text)
	if err != nil {
		a.addError(f.Name, codeNested, "%v", err)
	}
	f.Value.Text = item.NestedText(tree)
	return f.Value
}

func (a *validation) checkField(f model.Attr) {
	name, text := f.Name, f.Value.Text
	switch {
	case name == "":
		a.addError("", codeNameEmpty, "a field has no name: name it or leave it out")
	case reserved.InProfile(name):
		a.addError(name, codeNameReserved,
			"is a reserved name: choose another (names beginning with _ are reserved too)")
	case len(name) > a.limits().Name:
		a.addError(name[:a.limits().Name], codeTooLong, "this name is %d bytes long: at most %d; shorten it",
			len(name), a.limits().Name)
	case !utf8.ValidString(name) || !utf8.ValidString(text):
		a.addError(strings.ToValidUTF8(name, "\uFFFD"), codeInvalidUTF8,
			"contains bytes that are not UTF-8: encode it as UTF-8")
	case plaintext.Has(name):
		a.addError(name, codeControlCharacter,
			"this name contains a character that a reader cannot see: remove it")
	case name == times.ZoneField && zoneError(f.Value) != nil:
		a.addError(name, codeNotAllowed, "%v", zoneError(f.Value))
	case len(text) > a.limits().Text:
		a.addError(name, codeTooLong,
			"is %d bytes of text: at most %d; shorten it, or store it elsewhere and send a reference", len(text),
			a.limits().Text)
	}
}

// zoneError returns why a value is not the time zone of a subject; nil for a name of one, and for null.
func zoneError(v model.Value) error {
	if v.Kind == model.Null {
		return nil
	}
	_, err := times.Zone(v.Text)
	return err
}

// checkProfile checks the complete profile as it would be stored.
func (a *validation) checkProfile(p *model.Profile, spec *catalog.Profile) {
	if n := len(p.Attrs); n > a.limits().Fields {
		a.addError("", codeTooManyFields, "%d fields: at most %d in a profile; leave some out", n,
			a.limits().Fields)
	}
	if n := item.FromProfile(p).Size(); n > maxProfileBytes {
		a.addError("", codeTooLarge, "the profile would take %d bytes: at most %d; send fewer or shorter fields", n,
			maxProfileBytes)
	}
	for _, f := range spec.Declared {
		v, ok := p.Attrs.Get(f.Name)
		switch {
		case f.Required && (v.Kind == model.Null || v == model.TextValue("")):
			a.addError(f.Name, codeMissing, "is required in profiles of %s: send a string that is not empty",
				p.Subject.Type)
		case !ok || v.Kind == model.Null:
		case v.Kind != model.Text:
			a.addError(f.Name, codeWrongType,
				"is not a string, but declared as a field of profiles, which are strings: send a string")
		case len(f.Values) > 0 && !slices.Contains(f.Values, v.Text):
			a.addError(f.Name, codeNotAllowed, "%.64q is not an allowed value: want %s", v.Text,
				strings.Join(f.Values, ", "))
		}
	}
	for _, x := range spec.Indexes {
		a.checkIndex(p, x)
	}
	for _, u := range spec.Unique {
		for _, name := range u.Fields {
			if v, _ := p.Attrs.Get(name); v.Kind == model.Nested {
				a.addError(name, codeWrongType,
					"is a list or a map, but the unique constraint %s uses this field: send a string, number or boolean",
					u.Name)
			}
		}
	}
	for _, c := range claims(p.Subject, spec, p.Attrs) {
		if tablekeys.UniqueIn(c.partition).Check() != nil {
			a.addError("", codeKeyTooLong,
				"the values of the unique constraint %s are too long for a key: shorten them", c.constraint)
		}
	}
}

// checkIndex checks the fields of an index.
func (a *validation) checkIndex(p *model.Profile, x catalog.ProfileIndex) {
	for _, field := range x.By() {
		if v, _ := p.Attrs.Get(field); v.Kind != model.Text && v.Kind != model.Null {
			a.addError(field, codeWrongType, "is not a string, but an index uses this field: send a string")
		}
	}
	for _, field := range x.Sort {
		v, _ := p.Attrs.Get(field)
		if _, err := sortForm(x.SortType(field), v); err != nil {
			a.addError(field, codeWrongType, "%v", err)
		}
	}
	k, all := indexKey(p, x), append(x.By(), x.Sort...)
	switch err := k.Check(); {
	case k == (keys.Key{}) || err == nil || errors.Is(err, keys.ErrKeyText): // the text is reported itself
	case len(all) == 1:
		a.addError(x.Field, codeKeyTooLong, "is too long for an index key: shorten it")
	default:
		a.addError(x.Field, codeKeyTooLong,
			"is too long for an index key, together with the other fields of the index: shorten one of %s",
			strings.Join(all, ", "))
	}
}

// checkImmutable checks that the changed profile has the immutable fields as before.
func (a *validation) checkImmutable(changed, old *model.Profile, spec *catalog.Profile) {
	for _, f := range spec.Declared {
		was, had := old.Attrs.Get(f.Name)
		is, _ := changed.Attrs.Get(f.Name)
		if f.Immutable && had && was.Kind != model.Null && is != was {
			a.addError(f.Name, codeImmutable, "cannot change: the profile has %.64q; leave the field out",
				was.Text)
		}
	}
}

// withDefaults returns the fields of a new profile, with the defaults of the fields that it leaves out.
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

// err returns the errors; nil if there are none.
func (a *validation) err() error {
	if len(a.errors) == 0 {
		return nil
	}
	return model.FieldErrors(a.errors)
}

// validateSubject checks a subject alone.
func (s *Service) validateSubject(subject model.Subject) error {
	a := validation{Service: s}
	a.checkSubject(subject)
	return a.err()
}
