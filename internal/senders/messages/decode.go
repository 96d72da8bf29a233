// Package messages decodes messages in JSON of programs that choose their form themselves: gateways of
// Zigbee and LoRaWAN, firmware of switches and sensors. A row of sources says what becomes of their members.
package messages

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// Options are the settings of Decode.
type Options struct {
	Source string            // the name of the points
	Row    *config.SourceRow // of the source
	Now    time.Time         // of messages without a time
	Points int               // limit of a body
	Lines  bool              // one message on each line
	Form   bool              // the body is application/x-www-form-urlencoded, unless it is JSON
}

// mostDepth is the greatest depth of objects whose members become fields.
const mostDepth = 8

// Decode returns a point for each object of a body: one object, a list, or one a line. A form is an object. A
// text that is no JSON object or list, such as 21.5 or ON, is the field value. An object that cannot be
// decoded is a point with Err. The error is for the whole body, as of ingest.DecodeBody.
func Decode(body []byte, o Options) (all []points.Point, err error) {
	if err := ingest.CheckForeign(body); err != nil {
		return nil, err
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))
	var objects []ingest.Observation
	switch {
	case o.Lines:
		objects, err = ingest.DecodeLines(body, o.Points)
	case o.Form && isForm(body):
		objects = []ingest.Observation{form(string(body))}
	case len(body) > 0 && body[0] != '{' && body[0] != '[':
		objects = []ingest.Observation{{Fields: []ingest.Field{bare(body)}}}
	default:
		objects, _, err = ingest.DecodeBody(body, o.Points)
	}
	if err != nil {
		return nil, err
	}
	if o.Row != nil && o.Row.Form == config.FormSenML {
		return records(objects, o), nil
	}
	for i, object := range objects {
		if object.DecodeError != nil {
			all = append(all, points.Invalid(i+1, object.DecodeError.Code, object.DecodeError.Message))
			continue
		}
		if o.Row != nil && o.Row.Wrapper != "" {
			object = unwrapped(object, o.Row.Wrapper)
		}
		p := points.Point{Line: i + 1, Name: o.Source, At: o.Now, Dropped: object.Dropped}
		for _, f := range object.Fields {
			flatten(&p, f, o.Row, 0)
		}
		all = append(all, p)
	}
	return all, nil
}

// unwrapped returns the object that is the only member of another one, by the name of the member.
func unwrapped(o ingest.Observation, wrapper string) ingest.Observation {
	if len(o.Fields) != 1 || o.Fields[0].Name != wrapper || !strings.HasPrefix(o.Fields[0].Text, "{") ||
		o.Fields[0].Form != ingest.NestedForm {
		return o
	}
	inner := ingest.DecodeObject([]byte(o.Fields[0].Text))
	if inner.DecodeError != nil {
		return o
	}
	return inner
}

// bare returns the field of a message that is one value.
func bare(text []byte) ingest.Field {
	object := ingest.DecodeObject(fmt.Appendf(nil, `{"value":%s}`, text))
	if object.DecodeError != nil {
		return ingest.Field{Name: "value", Form: ingest.TextForm, Text: string(text)}
	}
	return object.Fields[0]
}

// flatten adds a field, or the members of an object under the path of their names. Fields that the row makes
// the subject or a part of the stream are tags.
func flatten(p *points.Point, f ingest.Field, row *config.SourceRow, depth int) {
	if f.Form == ingest.NestedForm && f.Text[0] == '{' && depth < mostDepth {
		members := ingest.DecodeObject([]byte(f.Text))
		p.Dropped = append(p.Dropped, ingest.Below(f.Name, members.Dropped)...)
		for _, m := range members.Fields {
			m.Name = f.Name + "." + m.Name
			flatten(p, m, row, depth+1)
		}
		return
	}
	isTag := func(t config.SourceTag) bool {
		return t.Name == f.Name && (t.Role == config.RoleSubject || t.Role == config.RoleStream)
	}
	if row != nil && f.Form != ingest.NullForm && slices.ContainsFunc(row.Tags, isTag) {
		p.Tags = append(p.Tags, points.Tag{Name: f.Name, Value: f.Text})
		return
	}
	p.Fields = append(p.Fields, f)
}
