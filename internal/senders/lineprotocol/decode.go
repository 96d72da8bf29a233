// Package lineprotocol decodes InfluxDB line protocol, as Telegraf, ESPHome and the client
// libraries of InfluxDB send it, with the official library.
package lineprotocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Options are the settings of Decode.
type Options struct {
	Unit   Unit      // of times
	Now    time.Time // of points without a time
	Points int       // limit of a body
	Tags   int       // limit of the tags of a point, so that a line cannot fill the memory
	Fields int       // limit of the fields of a point, for the same reason
}

// Decode returns the points of a body in their order. A line that cannot be decoded is a point
// with Err; the lines after it are decoded. The error is ingest.ErrTooMany.
func Decode(body []byte, o Options) ([]points.Point, error) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")) // a byte order mark has no meaning
	d := decoder{Options: o, text: func(part []byte) string { return string(part) }}
	if !utf8.Valid(body) {
		body = points.Escape(body)
		d.text = func(part []byte) string { return points.Unescape(string(part)) }
	}
	lines := &lineReader{rest: body}
	d.Decoder = lineprotocol.NewDecoder(lines)
	var all []points.Point
	for d.Next() {
		if len(all) == o.Points {
			return nil, fmt.Errorf("%w: at most %d lines; send them in several requests", ingest.ErrTooMany, o.Points)
		}
		line := lines.begun
		p := d.point(lines.given)
		if p.Err != nil {
			p = d.again(p, line)
		}
		all = append(all, p)
	}
	return all, nil
}

// decoder decodes points. A part that is in the right syntax and cannot be used does not stop
// the decoding of its line, because the library only finds the next line from an error of its own.
type decoder struct {
	*lineprotocol.Decoder
	Options
	text     func(part []byte) string // as sent
	unusable error                    // of the present point
}

// point decodes the point that begins on a line.
func (d *decoder) point(line int) points.Point {
	p := points.Point{Line: line}
	d.unusable = nil
	err := d.parts(&p)
	if at := new(lineprotocol.DecodeError); errors.As(err, &at) {
		err = fmt.Errorf("column %d: %w", at.Column, at.Err)
	}
	if err == nil {
		err = d.unusable
	}
	if err != nil {
		return points.Invalid(line, points.CodeSyntax, err.Error())
	}
	return p
}

func (d *decoder) parts(p *points.Point) error {
	name, err := d.Measurement()
	if err != nil {
		return err
	}
	if p.Name = d.text(name); !utf8.ValidString(p.Name) {
		d.refuse("the measurement %.64q has bytes that are not utf-8", p.Name)
	}
	if err := d.tags(p); err != nil {
		return err
	}
	if err := d.fields(p); err != nil {
		return err
	}
	text, err := d.TimeBytes()
	switch {
	case err != nil:
		return err
	case text == nil:
		p.At = d.Now
	default:
		if p.At, err = d.Unit.time(string(text)); err != nil {
			d.refuse("%w", err)
		}
	}
	return nil
}

// refuse records why a point cannot be used; the first reason counts.
func (d *decoder) refuse(format string, args ...any) {
	if d.unusable == nil {
		d.unusable = fmt.Errorf(format, args...)
	}
}

func (d *decoder) tags(p *points.Point) error {
	for {
		key, value, err := d.NextTag()
		if err != nil || key == nil {
			return err
		}
		t := points.Tag{Name: d.text(key), Value: d.text(value)}
		switch {
		case !utf8.ValidString(t.Name + t.Value):
			d.refuse("the tag %.64q=%.64q has bytes that are not utf-8", t.Name, t.Value)
		case len(p.Tags) == d.Tags:
			d.refuse("more than %d tags: send fewer", d.Tags)
		case slices.ContainsFunc(p.Tags, func(other points.Tag) bool { return other.Name == t.Name }):
			d.refuse("the tag %.64q is there twice: send it once", t.Name)
		default:
			p.Tags = append(p.Tags, t)
		}
	}
}

// fields decodes the fields. A value that is not of its type is one of Dropped. A number beyond the range of
// its type has the digits sent, as numbers of every other source have.
func (d *decoder) fields(p *points.Point) error {
	for {
		key, kind, value, err := d.NextFieldBytes()
		if err != nil {
			return err
		}
		if key == nil {
			break
		}
		name := d.text(key)
		typed, err := lineprotocol.NewValueFromBytes(kind, value)
		switch {
		case len(p.Fields)+len(p.Dropped) == d.Fields:
			d.refuse("more than %d fields: send fewer, or as several points with other tags", d.Fields)
		case err != nil && !errors.Is(err, lineprotocol.ErrValueOutOfRange):
			p.Dropped = append(p.Dropped, model.FieldError{Field: ingest.ShownName(name),
				Code: points.CodeSyntax, Message: fmt.Sprintf("is not a valid value: %.200v", err)})
		case !utf8.ValidString(name):
			p.Dropped = append(p.Dropped, model.FieldError{Field: ingest.ShownName(name),
				Code: ingest.CodeInvalidUTF8, Message: "has bytes in its name that are not UTF-8"})
		default:
			p.Fields = append(p.Fields,
				ingest.Field{Name: name, Form: forms[kind], Text: d.valueText(typed, value)})
		}
	}
	if len(p.Fields) == 0 && len(p.Dropped) > 0 {
		d.refuse("the value of field %.64q %s", p.Dropped[0].Field, p.Dropped[0].Message)
	}
	return nil
}

// forms are the forms of the kinds of values.
var forms = map[lineprotocol.ValueKind]ingest.Form{
	lineprotocol.String: ingest.TextForm,
	lineprotocol.Int:    ingest.NumberForm,
	lineprotocol.Uint:   ingest.NumberForm,
	lineprotocol.Float:  ingest.NumberForm,
	lineprotocol.Bool:   ingest.BoolForm,
}

// valueText returns a value as text: true or false, and numbers with their digits as sent.
func (d *decoder) valueText(typed lineprotocol.Value, sent []byte) string {
	if typed.Kind() == lineprotocol.Bool {
		return typed.String()
	}
	return d.text(sent)
}

// lineReader returns one line of a text, or a part of it, at each Read. The decoder reads on
// only when it has used all that it has, so given is the line on which it begins a point.
type lineReader struct {
	rest  []byte
	begun []byte // the text from the last of them on
	given int    // lines of which a part was returned
	open  bool   // the last of them continues
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	if !r.open {
		r.given++
		r.begun = r.rest
	}
	part := r.rest[:min(len(p), len(r.rest))]
	end := bytes.IndexByte(part, '\n') + 1
	if r.open = end == 0; !r.open {
		part = part[:end]
	}
	r.rest = r.rest[len(part):]
	return copy(p, part), nil
}
