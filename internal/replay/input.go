// Package replay reads observations from JSON and CSV files and sends them to the HTTP
// API of a deployment. Requests run in parallel, but the order of the file is kept within
// each series, because an event that overtakes an older one makes the older one late.
package replay

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tidemark-db/tidemark/internal/files"
	"github.com/tidemark-db/tidemark/internal/source"
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
	Problem  string     // why it cannot be sent; "" if it can. Only if Input.Lenient
	Seq      int64      // its number in the input, from 0

	repeated bool // was in a request that may have been processed before
}

// Input reads files of observations: NDJSON, JSON, or CSV with any common separator, in
// UTF-8 or UTF-16. Files may be gzip.
type Input struct {
	Stdin   io.Reader
	Kind    *catalog.Kind
	Columns ColumnMap // of CSV files; if empty, formats and columns are guessed
	Clock   Clock     // of CSV files
	// Notice is called with how the columns of a file are read, if they were guessed; may be nil.
	Notice func(text string)
	// Points is what points of line protocol become; nil refuses them.
	Points *source.Mapping
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
	switch filepath.Ext(strings.ToLower(strings.TrimSuffix(name, ".gz"))) {
	case ".csv", ".tsv", ".tab":
		return true
	}
	return false
}

// Each calls visit for every observation of the files, in order. It returns the first
// error; one about the files themselves is a usage.Error.
func (in Input) Each(names []string, visit func(Observation) error) error {
	var seq int64
	for _, name := range names {
		err := in.eachOf(name, func(o Observation) error {
			o.Seq, seq = seq, seq+1
			return visit(o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (in Input) eachOf(name string, visit func(Observation) error) error {
	if in.Web != nil && strings.HasSuffix(name, ".zip") {
		return in.eachInArchive(name, visit)
	}
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
			return readError(name, err)
		}
		if err := visit(o); err != nil {
			return err
		}
	}
}

// eachInArchive reads the files of a zip archive, each in memory.
func (in Input) eachInArchive(name string, visit func(Observation) error) error {
	file, err := in.file(name)
	if err != nil {
		return usage.Errorf("read the input: %w", err)
	}
	defer file.Close()
	archive, err := zip.NewReader(file, file.Size())
	if err != nil {
		return usage.Errorf("read %s: %w", name, err)
	}
	for _, part := range archive.File {
		if part.FileInfo().IsDir() {
			continue
		}
		text, err := fs.ReadFile(archive, part.Name)
		if err != nil {
			return usage.Errorf("read %s/%s: %w", name, part.Name, err)
		}
		in.Open = func(string) (files.File, error) { return unpacked{bytes.NewReader(text)}, nil }
		if err := in.eachOf(name+"/"+part.Name, visit); err != nil {
			return err
		}
	}
	return nil
}

type unpacked struct{ *bytes.Reader }

func (unpacked) Close() error { return nil }

// readError returns an error of a file; one that names its line is returned as it is.
func readError(name string, err error) error {
	if usage.Is(err) {
		return err
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
			return nil, nil, usage.Errorf("read the input: %w", err)
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
	text, err := textOf(source)
	if err != nil {
		closer.Close()
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	r, err := in.readerOf(name, text)
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

// readerOf returns the reader for the format of a file.
func (in Input) readerOf(name string, text *bufio.Reader) (reader, error) {
	if in.Web != nil {
		return in.openWeb(name, text)
	}
	start := firstLines(text)
	found, err := formatOf(name, start, len(in.Columns) > 0, in.Points != nil)
	if err != nil {
		return nil, err
	}
	asLines := ndjsonReader{name: name, kind: in.Kind, lines: text}
	switch found {
	case lines:
		return &asLines, nil
	case points:
		return &pointsReader{asLines, in.Points, in.Lenient}, nil
	case values:
		return newValuesReader(asLines, bytes.TrimLeft(start, " \t\r\n")[0] == '['), nil
	}
	l, err := layoutOf(name, text, start)
	if err != nil {
		return nil, err
	}
	r, err := in.openCSV(name, l, text)
	if err == nil && len(in.Columns) == 0 && in.Notice != nil {
		in.Notice(r.describe(l.String()))
	}
	return r, err
}
