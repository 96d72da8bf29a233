// Package source turns the points of senders with a data model of their own into observations:
// measurements with tags and fields, as in InfluxDB line protocol, and metrics with attributes,
// as in OTLP. A decoder for each protocol is in a package below it, and yields points; the
// mapping of tidemark.yaml says what a point becomes.
package points

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Point is one measurement as its sender describes it.
type Point struct {
	Line   int    // from 1: the line of the body, or the number of the data point
	Name   string // of the measurement or metric
	Tags   []Tag  // in any order
	Fields []ingest.Field
	At     time.Time
	// Dropped are parts that could not be decoded, or are not stored, and why. The rest is.
	Dropped []model.FieldError
	// Err is why the point could not be decoded; then only Line is set as well.
	Err *model.FieldError
}

// value returns the text of a tag or field, "" if the point has none.
func (p *Point) value(name string) string {
	for _, t := range p.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	for _, f := range p.Fields {
		if f.Name == name && f.Form != ingest.NullForm {
			return f.Text
		}
	}
	return ""
}

// Tag is a named text that identifies the series of a point, or describes it.
type Tag struct {
	Name, Value string
	// Resource marks an attribute of the sender as a whole. It becomes part of an observation
	// only if the mapping names it.
	Resource bool
}

// Codes of the errors of points, in addition to package ingest's.
const (
	CodeSyntax    = "syntax"     // the text is not in the protocol's syntax
	CodeForeign   = "foreign"    // the write key does not allow the subject or the kind
	CodeNoMapping = "no-mapping" // no row of the mapping matches
	CodeNothing   = "nothing"    // the mapping keeps nothing of the point
)

// Invalid returns a point that could not be decoded. The message is shortened to a readable
// length, because it may repeat the input.
func Invalid(line int, code, message string) Point {
	const most = 300
	if len(message) > most {
		message = message[:most] + "…"
	}
	return Point{Line: line, Err: &model.FieldError{Code: code, Message: message}}
}
