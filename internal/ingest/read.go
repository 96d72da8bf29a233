package ingest

import (
	"errors"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reading turns one observation of a kind into a draft: it finds the fields that say
// who, when and which, and gives every value its type.
type reading struct {
	*report
	kind  *catalog.Kind
	draft Draft
	timed bool
}

// read is the draft of o, as far as it could be read; what could not is reported.
func (a *admission) read(o Observation) Draft {
	r := reading{report: &a.report, kind: a.kind, draft: Draft{Subject: o.Subject, Origin: o.Origin}}
	identity := a.identityFields()
	tooMany := a.tooManyFields(len(o.Fields) - len(identity))
	for _, f := range o.Fields {
		if !tooMany || slices.Contains(identity, f.Name) {
			r.field(f)
		}
	}
	if !r.timed {
		r.wrong(catalog.TimeField, CodeMissing, "missing: it says when the event happened; send RFC 3339 (2026-04-20T14:00:00Z) or epoch seconds or milliseconds")
	}
	return r.draft
}

func (r *reading) field(f Field) {
	switch f.Name {
	case r.kind.Subject.Field:
		r.subject(f)
	case catalog.TimeField:
		r.time(f)
	case catalog.StreamField:
		r.draft.Stream = r.text(f)
	case catalog.IDField:
		r.draft.ID = r.text(f)
	default:
		r.value(f)
	}
}

// subject reads who. A door that knows by itself is believed; a payload that says
// otherwise is not taken in under either name.
func (r *reading) subject(f Field) {
	named := r.text(f)
	switch known := r.draft.Subject; {
	case known == "":
		r.draft.Subject = named
	case named != known && f.Form != NullForm:
		r.wrong(f.Name, CodeSubjectMismatch, "names %q, but it came in for %q: leave the field out, or send it under its own name", clip(named), clip(known))
	}
}

// text reads a field that must be a string; null is absent.
func (r *reading) text(f Field) string {
	if f.Form != TextForm && f.Form != NullForm {
		r.wrong(f.Name, CodeWrongType, "is %s: want a string; put it in quotes", f.Form)
	}
	return f.Text
}

func (r *reading) time(f Field) {
	var err error
	switch f.Form {
	case NullForm:
		return
	case TextForm:
		r.draft.At, err = model.ParseTime(f.Text, r.kind.FinerTime)
	case NumberForm:
		r.draft.At, err = model.ParseEpoch(f.Text, r.kind.FinerTime)
	default:
		r.wrong(f.Name, CodeWrongType, "is %s: want a string in RFC 3339 or a number of epoch seconds or milliseconds", f.Form)
	}
	r.timed = true
	if err != nil {
		r.wrong(f.Name, codeOf(err, timeCodes, CodeTimeForm), "%v", err)
	}
}

func (r *reading) value(f Field) {
	v := model.Value{}
	switch f.Form {
	case TextForm:
		v = model.TextValue(f.Text)
	case BoolForm:
		v = model.BoolValue(f.Text == "true")
	case NumberForm:
		d, err := model.ParseDecimal(f.Text)
		if err != nil {
			r.wrong(f.Name, codeOf(err, numberCodes, CodeNumberForm), "%v: round it at the source", err)
			return
		}
		v = model.NumberValue(d)
	case NestedForm:
		r.wrong(f.Name, CodeNested, "is an object or array, which has no place in a series: send its parts as fields of their own")
		return
	}
	r.draft.Attrs = append(r.draft.Attrs, model.Attr{Name: f.Name, Value: v})
}

type errCode struct {
	err  error
	code string
}

var (
	timeCodes   = []errCode{{model.ErrTimeFiner, CodeTimeFiner}, {model.ErrTimeRange, CodeTimeRange}}
	numberCodes = []errCode{{model.ErrNumberRange, CodeNumberRange}}
)

func codeOf(err error, codes []errCode, otherwise string) string {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return otherwise
}
