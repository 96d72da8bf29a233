package ingest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fieldDecoder makes a TypedObservation from an Observation of a kind: it finds the subject,
// time, stream and id, and gives each value its type.
type fieldDecoder struct {
	*problems
	kind  *catalog.Kind
	v     *validation
	names map[string]bool // of all fields
	typed TypedObservation
	timed bool
}

// decode returns o as far as it can be decoded, and adds an error for each other field.
func (v *validation) decode(o Observation) TypedObservation {
	d := fieldDecoder{problems: &v.problems, v: v, kind: v.kind, names: map[string]bool{},
		typed: TypedObservation{Subject: o.Subject, Origin: o.Origin, Strict: o.Strict}}
	for _, f := range o.Fields {
		d.names[f.Name] = true
	}
	d.dropped(o.Dropped)
	for _, f := range o.Fields {
		d.field(f)
	}
	switch byTime := d.kind.OrderBy == ""; {
	case d.timed && !byTime:
		d.add(catalog.TimeField, CodeNameReserved,
			"events of %s are ordered by %s and have no time: send the time under another name", d.kind.Name,
			d.kind.OrderBy)
	case !d.timed && byTime:
		d.add(catalog.TimeField, CodeMissing, "missing: it is the time of the event; send RFC 3339 "+
			"(2026-04-20T14:00:00Z) or epoch seconds or milliseconds%s", d.meant(catalog.TimeField))
	}
	if d.typed.Subject == "" {
		v.meant = d.meant(v.kind.Subject.Field)
	}
	return d.typed
}

// dropped reports members that could not be decoded. An event without one that identifies it would be another
// event.
func (d *fieldDecoder) dropped(parts []model.FieldError) {
	for _, p := range parts {
		report := d.v.part
		if slices.Contains(d.v.identityFields(), p.Field) {
			report = d.add
		}
		report(p.Field, p.Code, "%s", p.Message)
	}
}

// meant names the field that may be meant where a field of the identity is missing: its name differs in case
// and punctuation alone, or is the beginning of it.
func (d *fieldDecoder) meant(field string) string {
	plain := func(name string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
	}
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		if p := plain(name); name != field && len(p) > 3 && strings.HasPrefix(plain(field), p) {
			return fmt.Sprintf("; the field %q is not it: name it %s", clip(name), field)
		}
	}
	return ""
}

func (d *fieldDecoder) field(f Field) {
	switch f.Name {
	case d.kind.Subject.Field:
		d.subject(f)
	case catalog.TimeField:
		d.time(f)
	case catalog.StreamField:
		d.typed.Stream = d.text(f)
	case catalog.IDField:
		d.typed.ID = d.text(f)
	default:
		if d.v.lenient {
			d.flat(f, 0)
			return
		}
		d.value(f)
	}
}

// subject decodes the subject id. If the source knows the subject, the field must be equal.
func (d *fieldDecoder) subject(f Field) {
	named := d.text(f)
	switch known := d.typed.Subject; {
	case known == "":
		d.typed.Subject = named
	case named != known && f.Form != NullForm:
		d.add(f.Name, CodeSubjectMismatch,
			"is %q, but the observation was sent for %q: leave the field out, or send it for its own subject",
			clip(named), clip(known))
	}
}

// text decodes a field that must be a string; null is like an absent field, and an integer is its digits.
func (d *fieldDecoder) text(f Field) string {
	isInteger := d.v.lenient && f.Form == NumberForm && strings.Trim(f.Text, "0123456789") == ""
	if f.Form != TextForm && f.Form != NullForm && !isInteger {
		d.add(f.Name, CodeWrongType, "is %s: want a string; put it in quotes", f.Form)
	}
	return f.Text
}

func (d *fieldDecoder) time(f Field) {
	var err error
	switch f.Form {
	case NullForm:
		return
	case TextForm:
		d.typed.At, err = model.ParseTime(f.Text, d.kind.FinerTime)
	case NumberForm:
		d.typed.At, err = model.ParseEpoch(f.Text, d.kind.FinerTime)
	default:
		d.add(f.Name, CodeWrongType,
			"is %s: want a string in RFC 3339 or a number of epoch seconds or milliseconds", f.Form)
	}
	d.timed = true
	if err != nil {
		d.add(f.Name, errorCode(err, timeCodes, CodeTimeForm), "%v", err)
		return
	}
	d.unset(f.Name)
}

// unset rejects the time of a clock that was never set, and of a number in another unit than its reader took.
func (d *fieldDecoder) unset(name string) {
	if isUnset(d.typed.At, d.v.limits.UnsetClock) {
		d.add(name, CodeTimeUnset, "%s is the time of a clock that is not set, or of seconds that were read "+
			"as a smaller unit: set the sender's clock, or send the unit of its times; limits.unsetClock: "+
			"0s stores it", d.typed.At)
	}
}

// leastSeconds is the least time of a 32-bit number of seconds, 1901-12-13T20:45:52Z: a time that overflowed.
const leastSeconds = model.Time(math.MinInt32) * 1000

// isUnset reports whether a time is one that clocks show if they were never set: within limit after 1970, in
// the first day of the year 1, which is the zero value of times in Go and .NET, or leastSeconds. Their zone
// may be any, so that 1970 begins up to a day earlier. Other times before 1970 are history.
func isUnset(at model.Time, limit time.Duration) bool {
	const day = 24 * time.Hour
	atOverflow := at.Sub(leastSeconds)
	return limit > 0 && (at >= model.Time(0).Add(-day) && at < model.Time(0).Add(limit) ||
		at < model.MinTime.Add(day) ||
		atOverflow.Abs() < day && atOverflow%(15*time.Minute) == 0) // offsets are whole quarters of hours
}

func (d *fieldDecoder) value(f Field) {
	switch v, err := f.Value(); {
	case v.Kind == model.Nested:
		d.add(f.Name, CodeNested, nestedMessage)
	case err == nil:
		d.typed.Attrs = append(d.typed.Attrs, model.Attr{Name: f.Name, Value: v})
	case errors.Is(err, model.ErrNumberRange) && d.v.lenient:
		d.v.altered(f.Name, CodeNumberRange, "%v: it is stored as text; round it at the source", err)
		d.typed.Attrs = append(d.typed.Attrs, model.Attr{Name: f.Name, Value: model.TextValue(f.Text)})
	case errors.Is(err, model.ErrNumberRange):
		d.add(f.Name, CodeNumberRange, "%v: round it at the source", err)
	default:
		d.v.part(f.Name, errorCode(err, numberCodes, CodeNumberForm),
			"%v: a value that is no number is not stored; leave it out, or send null", err)
	}
}

type errCode struct {
	err  error
	code string
}

var (
	timeCodes   = []errCode{{model.ErrTimeFiner, CodeTimeFiner}, {model.ErrTimeRange, CodeTimeRange}}
	numberCodes = []errCode{{model.ErrNumberRange, CodeNumberRange}}
)

func errorCode(err error, codes []errCode, otherwise string) string {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return otherwise
}
