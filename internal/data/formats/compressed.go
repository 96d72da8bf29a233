package formats

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// compressions are the forms of files that are unpacked while they are read.
var compressions = []struct {
	begin  string // of the bytes of a file
	ending string // of its name
	open   func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", ".gz", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\x28\xb5\x2f\xfd", ".zst", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // without goroutines that outlive it
	}},
	{"BZh91AY&SY", ".bz2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
}

// unpacked returns the content of a file that may be compressed.
func unpacked(file *bufio.Reader) (*bufio.Reader, error) {
	for _, c := range compressions {
		if begin, _ := file.Peek(len(c.begin)); string(begin) == c.begin {
			content, err := c.open(file)
			return bufio.NewReaderSize(wholeReader{content}, bufferSize), err
		}
	}
	return file, nil
}

// withoutCompression returns the name that a file has unpacked.
func withoutCompression(name string) string {
	for _, c := range compressions {
		if before, ok := strings.CutSuffix(name, c.ending); ok {
			return before
		}
	}
	return name
}

var errNotWhole = errors.New("the compressed data is damaged, or its end is missing: copy the file again")

// wholeReader says of the error of a compression that the file is not whole.
type wholeReader struct{ io.Reader }

func (r wholeReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", errNotWhole, err)
	}
	return n, err
}
