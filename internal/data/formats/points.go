package formats

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/lineprotocol"
	"github.com/tidemark-db/tidemark/internal/senders/messages"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// mostParts limits the tags, and the fields, of a point.
const mostParts = 1000

// pointsReader reads points from lines of a text, and makes observations by the mapping of the configuration:
// InfluxDB line protocol, and messages in JSON of a source.
type pointsReader struct {
	read     func() (text []byte, location string, err error) // the next line or message
	mapper   pointMapper
	decode   func(text []byte) ([]points.Point, error)
	found    []points.Point // of the present text, still to be returned
	text     []byte
	location string
}

// readLine reads the next line.
func (r *ndjsonReader) readLine() ([]byte, string, error) {
	line, err := r.text()
	return line, place(r.name, r.number), err
}

// readValue reads the next JSON value, which may span lines.
func (r *valuesReader) readValue() ([]byte, string, error) {
	o, err := r.next()
	return o.Body, o.Location, err
}

// decodeLine decodes a line of InfluxDB line protocol. A point without a time would be another one in each
// attempt, so it has none.
func decodeLine(line []byte) ([]points.Point, error) {
	return lineprotocol.Decode(line, lineprotocol.Options{Points: 1, Tags: mostParts, Fields: mostParts})
}

// mostRecords limits the records of one message.
const mostRecords = 10_000

// decodeMessage returns the decoder of messages of a source.
func (in Input) decodeMessage() func([]byte) ([]points.Point, error) {
	row := in.Points.Row(in.Source)
	return func(line []byte) ([]points.Point, error) {
		return messages.Decode(line, messages.Options{Source: in.Source, Row: row, Points: mostRecords})
	}
}

func (r *pointsReader) next() (Observation, error) {
	for len(r.found) == 0 { // a comment has no points
		text, location, err := r.read()
		if err != nil {
			return Observation{}, err
		}
		if r.found, err = r.decode(text); err != nil {
			return r.mapper.problem(location, text, err)
		}
		r.text, r.location = bytes.Clone(text), location
	}
	p := r.found[0]
	r.found = r.found[1:]
	return r.mapper.observation(&p, r.location, r.text)
}

// problem returns an observation that says why a text makes none, or an error that ends the input.
func (m *pointMapper) problem(location string, text []byte, err error) (Observation, error) {
	if !m.in.Lenient {
		return Observation{}, usererr.Errorf("%s: %w: %s", location, err, Quote(string(text)))
	}
	return Observation{Location: location, Problem: err.Error(), Body: bytes.Clone(text)}, nil
}

// body returns the observation of a point as JSON.
func (m *pointMapper) body(p *points.Point) ([]byte, error) {
	kind, o := m.mapping.Observation(p, m.subject)
	switch {
	case o.DecodeError != nil:
		return nil, errors.New(o.DecodeError.Message)
	case kind.Name != m.in.Kind.Name:
		return nil, fmt.Errorf("the sources in tidemark.yaml make it an event of %s: pass --kind %s", kind.Name,
			kind.Path)
	case isTimeless(o):
		return nil, errors.New("the point has no time, and a file has no arrival: " +
			"name the field of the time and its zone in its row of sources (time)")
	}
	return points.Encode(kind, o), nil
}

// isTimeless reports whether an observation has the zero time, which points without a time have here.
func isTimeless(o ingest.Observation) bool {
	zero := time.Time{}.Format(time.RFC3339Nano)
	isZero := func(f ingest.Field) bool { return f.Name == catalog.TimeField && f.Text == zero }
	return slices.ContainsFunc(o.Fields, isZero)
}

// text returns the next line that is not blank, without the space around it.
func (r *ndjsonReader) text() ([]byte, error) {
	for {
		line, err := r.lines.ReadBytes('\n')
		r.number++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
