// Package source turns the points of senders with a data model of their own into observations:
// measurements with tags and fields, as in InfluxDB line protocol, and metrics with attributes,
// as in OTLP. A decoder for each protocol is in a package below it, and yields points; the
// mapping of tidemark.yaml says what a point becomes.
package source

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Point is one measurement as its sender describes it.
type Point struct {
	Line   int    // from 1: the line of the body, or the number of the data point
	Name   string // of the measurement or metric
	Tags   []Tag  // in any order
	Fields []ingest.Field
	At     time.Time
	// Err is why the point could not be decoded; then only Line is set as well.
	Err *model.FieldError
}

// Tag is a named text that identifies the series of a point, or describes it.
type Tag struct {
	Name, Value string
	// Resource marks an attribute of the sender as a whole. It becomes part of an observation
	// only if the mapping names it.
	Resource bool
}

// Codes of the errors of points, in addition to those of package ingest.
const (
	CodeSyntax    = "syntax"     // the text is not in the protocol's syntax
	CodeForeign   = "foreign"    // the write key does not allow the subject or the kind
	CodeNoMapping = "no-mapping" // no row of the mapping matches
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
