// Package replay reads observations from NDJSON and CSV files and sends them to the HTTP
// API of a deployment. Requests run in parallel, but the order of the file is kept within
// each series, because an event that overtakes an older one makes the older one late.
package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Observation is one observation of the input.
type Observation struct {
	Body     []byte     // a JSON object on one line; an NDJSON line that is no object is kept as it is
	Series   string     // observations of the same series have the same text; "" if it could not be read
	At       model.Time // event time, if Timed
	Timed    bool       // the event time could be read
	Location string     // file and line, for error messages
}

// Input reads files of observations. Files may be gzip.
type Input struct {
	Stdin   io.Reader
	Kind    *catalog.Kind
	Columns ColumnMap // of CSV files; empty if the files are NDJSON
}

// StdinName is the file name that means standard input.
const StdinName = "-"

// IsCSV reports whether a file is CSV by its name.
func IsCSV(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") }

// Each calls visit for every observation of the files, in order. It returns the first
// error; one about the files themselves is a usage.Error.
func (in Input) Each(files []string, visit func(Observation) error) error {
	for _, name := range files {
		if err := in.eachOf(name, visit); err != nil {
			return err
		}
	}
	return nil
}

func (in Input) eachOf(name string, visit func(Observation) error) error {
	r, closer, err := in.open(name)
	if err != nil {
		return err
	}
	defer closer.Close()
	for {
		o, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if err := visit(o); err != nil {
			return err
		}
	}
}

// reader returns one observation after the other, then io.EOF.
type reader interface {
	next() (Observation, error)
}

func (in Input) open(name string) (reader, io.Closer, error) {
	source, closer := in.Stdin, io.NopCloser(nil)
	if name != StdinName {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, usage.Errorf("read the input: %w", err)
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
	if len(in.Columns) == 0 {
		return &ndjsonReader{name: name, kind: in.Kind, lines: buffered}, closer, nil
	}
	r, err := newCSVReader(name, buffered, in.Kind, in.Columns)
	return r, closer, err
}
