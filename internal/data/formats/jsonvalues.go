package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"golang.org/x/text/transform"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// openObjects returns the reader of objects and points.
func (in Input) openObjects(name string, found format, start []byte, text *bufio.Reader) (reader, error) {
	asLines := ndjsonReader{name: name, kind: in.Kind, lines: text, clock: in.Clock, lenient: in.Lenient}
	if in.Source == "" && found != pointsFormat {
		if name != StdinName { // a pipe is read as it comes
			start, _ = text.Peek(bufferSize)
		}
		var err error
		if asLines.members, err = in.mapMembers(name, start); err != nil {
			return nil, err
		}
		asLines.titled = newTimeTitle(asLines.members.titles(catalog.TimeField))
		asLines.clock.Zone = cmp.Or(in.Clock.Zone, asLines.titled.zone)
	}
	isArray := bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("["))
	switch {
	case found == pointsFormat:
		return &pointsReader{read: asLines.readLine, mapper: in.mapper(), decode: decodeLine}, nil
	case found == lines && in.Source != "":
		return &pointsReader{read: asLines.readLine, mapper: in.mapper(), decode: in.decodeMessage()}, nil
	case found == values && in.Source != "":
		all := newValuesReader(asLines, isArray)
		return &pointsReader{read: all.readValue, mapper: in.mapper(), decode: in.decodeMessage()}, nil
	case len(in.Shape.Constants) > 0 && found == pointsFormat:
		return nil, usererr.Errorf("%s: --set is for tables, and for objects with --source", name)
	case found == lines:
		return &asLines, nil
	}
	return newValuesReader(asLines, isArray), nil
}

// valuesReader reads JSON objects that span lines, or the elements of one array.
type valuesReader struct {
	lines   ndjsonReader // makes observations; its number is the line of the value
	text    *lineCounter
	decoder *json.Decoder
	array   bool // the next token is the array's opening bracket
	nested  bool // that bracket was read
}

func newValuesReader(lines ndjsonReader, array bool) *valuesReader {
	source := transform.NewReader(lines.lines, &jsonscan.NotNumbers{})
	text := &lineCounter{source: source, line: 1}
	return &valuesReader{lines: lines, text: text, decoder: json.NewDecoder(text), array: array}
}

func (r *valuesReader) next() (Observation, error) {
	if r.array {
		r.array, r.nested = false, true
		if _, err := r.decoder.Token(); err != nil {
			return Observation{}, r.failure(err)
		}
	}
	if r.nested && !r.decoder.More() {
		return Observation{}, r.end()
	}
	var raw json.RawMessage
	err := r.decoder.Decode(&raw)
	if errors.Is(err, io.EOF) && !r.nested {
		return Observation{}, io.EOF
	}
	if err != nil {
		return Observation{}, r.failure(err)
	}
	r.lines.number = r.text.lineAt(r.decoder.InputOffset() - int64(len(raw)))
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return Observation{}, r.failure(err)
	}
	return r.lines.observation(line.Bytes()), nil
}

// end reads the closing bracket and returns io.EOF if nothing follows.
func (r *valuesReader) end() error {
	if _, err := r.decoder.Token(); err != nil {
		return r.failure(err)
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return usererr.Errorf("%s: there is text after the array: write one array in a file", r.place(0))
	}
	return io.EOF
}

// failure returns an error that names the line of a syntax error.
func (r *valuesReader) failure(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return usererr.Errorf("%s: the file ends within this value or array: is it complete?", r.place(0))
	case errors.As(err, &syntax):
		return usererr.Errorf(
			"%s: not JSON: %v: correct it, or write one object a line, so that only wrong lines are rejected",
			r.place(r.offsetIn(err)), err)
	}
	return err
}

// offsetIn returns where in the rest of the text a syntax error is. The decoder's own
// offset does not count the punctuation between values.
func (r *valuesReader) offsetIn(failure error) int64 {
	rest, _ := io.ReadAll(r.decoder.Buffered()) // from memory
	var syntax *json.SyntaxError
	var value json.RawMessage
	if err := json.Unmarshal(rest, &value); errors.As(err, &syntax) && err.Error() == failure.Error() {
		return syntax.Offset - 1
	}
	return int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")))
}

func (r *valuesReader) place(further int64) string {
	return place(r.lines.name, r.text.lineAt(r.decoder.InputOffset()+further))
}

// lineCounter finds the lines of offsets in a text that is read once.
type lineCounter struct {
	source io.Reader
	read   int64   // bytes
	ends   []int64 // offsets of the newlines after the last offset asked for
	line   int     // of the last offset asked for, from 1
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// lineAt returns the line of an offset, which must not be less than the offset of the last call.
func (c *lineCounter) lineAt(offset int64) int {
	for len(c.ends) > 0 && c.ends[0] < offset {
		c.line, c.ends = c.line+1, c.ends[1:]
	}
	return c.line
}
