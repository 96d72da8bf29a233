package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/source"
	"github.com/tidemark-db/tidemark/internal/source/lineprotocol"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// mostParts limits the tags, and the fields, of a point.
const mostParts = 1000

// pointsReader reads InfluxDB line protocol, and makes observations by the mapping of the configuration.
type pointsReader struct {
	lines   ndjsonReader
	mapping *source.Mapping
	lenient bool
}

func (r *pointsReader) next() (Observation, error) {
	for {
		line, err := r.lines.text()
		if err != nil {
			return Observation{}, err
		}
		now := time.Time{} // a point without a time would be another one in each attempt
		points, err := lineprotocol.Decode(line, lineprotocol.Options{Now: now, Points: 1, Parts: mostParts})
		if err != nil {
			return Observation{}, err
		}
		if len(points) == 0 {
			continue // a comment
		}
		body, err := r.body(&points[0])
		if err == nil {
			return r.lines.observation(body), nil
		}
		location := place(r.lines.name, r.lines.number)
		if !r.lenient {
			return Observation{}, usage.Errorf("%s: %w: %s", location, err, quote(string(line)))
		}
		return Observation{Location: location, Problem: err.Error(), Body: bytes.Clone(line)}, nil
	}
}

// body returns the observation of a point as JSON.
func (r *pointsReader) body(p *source.Point) ([]byte, error) {
	kind, o := r.mapping.Observation(p, "")
	switch {
	case o.DecodeError != nil:
		return nil, errors.New(o.DecodeError.Message)
	case p.At.IsZero():
		return nil, errors.New("the point has no time: history needs one")
	case kind.Name != r.lines.kind.Name:
		return nil, fmt.Errorf("the sources in tidemark.yaml make it an event of %s: pass --kind %s", kind.Name, kind.Path)
	}
	fields := append([]ingest.Field{{Name: kind.Subject.Field, Form: ingest.TextForm, Text: o.Subject}}, o.Fields...)
	body := []byte{'{'}
	for _, f := range fields {
		if f.Text == "" && (f.Name == kind.Subject.Field || f.Name == catalog.StreamField) {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		name, _ := json.Marshal(f.Name) // strings cannot fail
		value := []byte(f.Text)
		if f.Form == ingest.TextForm {
			value, _ = json.Marshal(f.Text)
		}
		body = append(append(append(body, name...), ':'), value...)
	}
	return append(body, '}'), nil
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
