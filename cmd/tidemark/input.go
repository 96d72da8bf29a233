package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// observed is one observation of the input, on its way to the front.
type observed struct {
	body   []byte     // a JSON object on one line, or a line that should have been one
	series string     // within it the order of arrival is kept; "" where it cannot be read
	at     model.Time // event time, where timed
	timed  bool
	place  string // file and line, for people
}

// reader hands out observations in order of arrival, then io.EOF. The body of one is
// its own.
type reader interface {
	next() (observed, error)
}

// input is where observations come from.
type input struct {
	stdin   io.Reader
	kind    *catalog.Kind
	columns columnMap // of CSV; empty where the input is NDJSON
}

// stdinName is the file argument that means standard input.
const stdinName = "-"

// open reads a file, or standard input, unpacked where it is gzip.
func (in input) open(name string) (reader, io.Closer, error) {
	if len(in.columns) == 0 && strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") {
		return nil, nil, usagef("%s is CSV: say by --map which column is what, as --map subject=device,time=ts,value=value", name)
	}
	var source io.Reader = in.stdin
	var closer io.Closer = io.NopCloser(nil)
	if name != stdinName {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, usagef("read the input: %v", err)
		}
		source, closer = file, file
	}
	buffered := bufio.NewReaderSize(source, 1<<16)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		buffered = bufio.NewReaderSize(unpacked, 1<<16)
	}
	if len(in.columns) == 0 {
		return &lineReader{name: name, kind: in.kind, lines: buffered}, closer, nil
	}
	r, err := newCSVReader(name, buffered, in.kind, in.columns)
	return r, closer, err
}

// each calls do for every observation of the files, in order.
func (in input) each(files []string, do func(observed) error) error {
	for _, name := range files {
		if err := in.eachOf(name, do); err != nil {
			return err
		}
	}
	return nil
}

func (in input) eachOf(name string, do func(observed) error) error {
	r, closer, err := in.open(name)
	if err != nil {
		return err
	}
	defer closer.Close()
	for {
		o, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if err := do(o); err != nil {
			return err
		}
	}
}

// lineReader reads NDJSON. A line that is no object is handed on as it stands: the
// front says what is wrong with it.
type lineReader struct {
	name   string
	kind   *catalog.Kind
	lines  *bufio.Reader
	number int
}

func (r *lineReader) next() (observed, error) {
	for {
		line, err := r.lines.ReadBytes('\n')
		r.number++
		line = bytes.TrimSpace(line)
		if len(line) > 0 {
			return r.observe(line), nil
		}
		if err != nil {
			return observed{}, err
		}
	}
}

func (r *lineReader) observe(line []byte) observed {
	o := observed{body: line, place: fmt.Sprintf("%s:%d", r.name, r.number)}
	var subject, stream string
	for _, f := range ingest.DecodeObject(line).Fields {
		switch f.Name {
		case r.kind.Subject.Field:
			subject = f.Text
		case catalog.StreamField:
			stream = f.Text
		case catalog.TimeField:
			o.at, o.timed = eventTime(f)
		}
	}
	o.series = seriesName(subject, stream)
	return o
}

// eventTime reads a time as the front would, but never refuses one for being fine.
func eventTime(f ingest.Field) (model.Time, bool) {
	parse := model.ParseTime
	if f.Form == ingest.NumberForm {
		parse = model.ParseEpoch
	}
	at, err := parse(f.Text, model.TruncateFiner)
	return at, err == nil
}

// seriesName tells series apart within one kind; no JSON string holds a bare newline
// where it could be taken for another's.
func seriesName(subject, stream string) string { return subject + "\n" + stream }

// withTime is the object with another event time, other members as they stand.
func withTime(body []byte, at model.Time) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	members[catalog.TimeField] = json.RawMessage(`"` + at.String() + `"`)
	return json.Marshal(members)
}
