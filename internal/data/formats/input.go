// Package formats reads observations from files: JSON, CSV and other text of rows, Parquet, line protocol,
// logs of web servers, and exports of other programs.
package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/senders/points"
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
	Problem  string     // why it cannot be sent; "" if it can. Only if Input.Lenient
	Seq      int64      // its number in the input, from 0

	Stray    []string // fields of cells that are not of the type of their column
	Doubts   []Doubt  // numbers that are stored, and may be wrong
	Repeated bool     // was in a request that may have been processed before
}

// Doubt says why the number of a field may be wrong.
type Doubt struct{ Field, Why string }

// Input reads files of observations: NDJSON, JSON, or CSV with any common separator, in
// UTF-8 or UTF-16. Files may be compressed.
type Input struct {
	Stdin   io.Reader
	Kind    *catalog.Kind
	Columns ColumnMap      // of CSV files; if empty, formats and columns are guessed
	Clock   timetext.Clock // of times in a form that the API does not accept
	// Types are the types of columns of CSV files, by the names of the columns; others are decided from
	// their cells.
	Types    map[string]columns.Type
	Shape    Shape             // of CSV files
	Mark     columns.Mark      // of decimals, where the cells of a column do not say; 0 if unknown
	Encoding encoding.Encoding // of texts that are not Unicode; nil if all are
	// Notice is called with how the columns of a file are read, if they were guessed; may be nil.
	Notice func(text string)
	// Points is what points of line protocol become; nil refuses them.
	Points *points.Mapping
	// Source is the row of sources, or the preset, by which objects and rows are mapped; "" if they are
	// observations.
	Source string
	// Web is set for logs of web servers and exports of other programs for web analytics.
	Web *Web
	// Lenient returns a row that cannot be read as an observation with a Problem. Without it
	// such a row is an error, which ends the input.
	Lenient bool
	// Open opens a file; nil opens files of this machine.
	Open func(name string) (files.File, error)
}

// StdinName is the file name that means standard input.
const StdinName = "-"

// IsCSV reports whether a file is CSV by its name.
func IsCSV(name string) bool {
	switch filepath.Ext(withoutCompression(strings.ToLower(name))) {
	case ".csv", ".tsv", ".tab":
		return true
	}
	return false
}

// Each calls visit for every observation of the files, in order. It returns the first
// error; one about the files themselves is a usererr.Error.
func (in Input) Each(names []string, visit func(Observation) error) error {
	var seq int64
	for _, name := range names {
		err := in.eachObservation(name, func(o Observation) error {
			o.Seq, seq = seq, seq+1
			return visit(o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (in Input) eachObservation(name string, visit func(Observation) error) error {
	if in.Web != nil && isArchive(name) {
		return in.eachInArchive(name, visit)
	}
	r, closer, err := in.open(name)
	if err != nil {
		return err
	}
	defer closer.Close()
	return each(name, r, visit)
}

// each calls visit for every observation of a reader.
func each(name string, r reader, visit func(Observation) error) error {
	for {
		o, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return readError(name, err)
		}
		if err := visit(o); err != nil {
			return err
		}
	}
}

// note calls Notice, if there is one.
func (in Input) note(format string, args ...any) {
	if in.Notice != nil {
		in.Notice(fmt.Sprintf(format, args...))
	}
}

// readError returns an error of a file; one that names its line is returned as it is.
func readError(name string, err error) error {
	switch {
	case usererr.Is(err):
		return err
	case errors.Is(err, errNotWhole):
		return usererr.Errorf("read %s: %w", name, err)
	}
	return fmt.Errorf("read %s: %w", name, err)
}

// reader returns one observation after the other, then io.EOF.
type reader interface {
	next() (Observation, error)
}

func (in Input) open(name string) (reader, io.Closer, error) {
	source, closer := in.Stdin, io.NopCloser(nil)
	if name != StdinName {
		file, err := in.file(name)
		if err != nil {
			return nil, nil, usererr.Errorf("read the input: %w", err)
		}
		if isParquet(file) {
			r, err := in.openParquet(name, file)
			if err != nil {
				file.Close()
			}
			return r, file, err
		}
		source, closer = file, file
	}
	text, err := decodeText(source, in.Encoding)
	if err != nil {
		closer.Close()
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	r, err := in.newReader(name, text)
	if err != nil {
		closer.Close()
		return nil, nil, err
	}
	return r, closer, nil
}

func (in Input) file(name string) (files.File, error) {
	if in.Open != nil {
		return in.Open(name)
	}
	return files.OpenLocal(name)
}

// newReader returns the reader for the format of a file.
func (in Input) newReader(name string, text *bufio.Reader) (reader, error) {
	if in.Web != nil {
		return in.openWeb(name, text)
	}
	start := firstLines(text)
	if bytes.HasPrefix(start, []byte{recordSeparator}) {
		text = bufio.NewReaderSize(withoutSeparators{text}, bufferSize)
		start = firstLines(text)
	}
	isMapped := len(in.Columns) > 0 && (IsCSV(name) || !objects.Match(start)) || in.Shape.describes()
	found, err := detectFormat(name, start, isMapped, in.Points != nil)
	if err != nil {
		return nil, err
	}
	if found != table {
		r, err := in.openObjects(name, found, start, text)
		return in.sampled(name, r, err)
	}
	if name != StdinName { // a pipe is read as it comes
		start, _ = text.Peek(bufferSize)
	}
	if nem12.Match(start) && !in.Shape.describes() {
		return in.openNEM12(name, text)
	}
	in.Shape = tableShape(in.Shape, start, in.Kind)
	if in.Shape.Skip > 0 {
		if err := skipLines(text, in.Shape.Skip); err != nil {
			return nil, readError(name, err)
		}
		start = firstLines(text)
		if name != StdinName {
			start, _ = text.Peek(bufferSize)
		}
	}
	l, err := newLayout(name, text, start)
	l.skipped += in.Shape.Skip
	if err != nil {
		return nil, err
	}
	return in.openTable(name, l, text)
}
