package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

const bufferSize = 1 << 16

// decodeText returns the content of a file as UTF-8 without a byte order mark. The file may be
// compressed, UTF-8 or UTF-16, or in another encoding, nil for none. Bytes of any other encoding are
// returned unchanged.
func decodeText(source io.Reader, other encoding.Encoding) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(source, bufferSize)
	raw, err := unpacked(raw)
	if err != nil {
		return nil, err
	}
	unmarked := withoutMark(raw)
	if other != nil {
		unmarked = other.NewDecoder()
	}
	decoder := unicode.BOMOverride(unmarked)
	return bufio.NewReaderSize(&shortLines{Reader: transform.NewReader(raw, decoder)}, bufferSize), nil
}

// withoutMark returns the decoder of text that has no byte order mark. In UTF-16, one byte
// of an ASCII character is zero, and such files begin with an ASCII character.
func withoutMark(raw *bufio.Reader) transform.Transformer {
	start, _ := raw.Peek(2)
	if len(start) == 2 && (start[0] == 0) != (start[1] == 0) {
		order := unicode.LittleEndian
		if start[0] == 0 {
			order = unicode.BigEndian
		}
		return unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	}
	return encoding.Nop.NewDecoder()
}

// firstLines returns what is buffered of a file, at least its first line that is not blank
// if that fits the buffer. It does not wait for more, so that a pipe is read as it comes.
func firstLines(r *bufio.Reader) []byte {
	for n := 1; ; n = r.Buffered() + 1 {
		_, err := r.Peek(n) // waits until n bytes are buffered
		if text, _ := r.Peek(r.Buffered()); err != nil ||
			bytes.ContainsRune(bytes.TrimLeft(text, " \t\r\n"), '\n') {
			return text
		}
	}
}

// recordSeparator begins each value of a JSON text sequence, RFC 7464.
const recordSeparator = 0x1e

// withoutSeparators reads a JSON text sequence as its values, with a space in place of each separator. Inside
// a string of JSON the character is always escaped.
type withoutSeparators struct{ io.Reader }

func (r withoutSeparators) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i := range p[:n] {
		if p[i] == recordSeparator {
			p[i] = ' '
		}
	}
	return n, err
}

// quoteLimit bounds a quotation of a file, in bytes.
const quoteLimit = 60

// Quote returns text of a file for an error message: in quotes, shortened, and with control
// characters escaped.
func Quote(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > quoteLimit {
		return strconv.Quote(strings.ToValidUTF8(text[:quoteLimit], "")) + "…"
	}
	return strconv.Quote(text)
}

// quoteText returns the quotation of a line behind a colon, and nothing of a line that no user can read.
func quoteText(line []byte) string {
	if !utf8.Valid(line) || bytes.ContainsAny(line, "\x00\x01\x04") {
		return ""
	}
	return ": " + Quote(string(line))
}

func quoteAll(texts []string) string { return strings.Join(lists.Map(texts, Quote), ", ") }

// place returns the place of a line for messages.
func place(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }

var errNotUTF8 = errors.New("the text is not UTF-8: pass its encoding, such as --encoding windows-1252, " +
	"in which Excel saves CSV in Western Europe, windows-1250 in Central Europe, or shift_jis in Japan")

// ParseEncoding returns the encoding of a name, such as windows-1252. Its errors are usage errors.
func ParseEncoding(name string) (encoding.Encoding, error) {
	found, err := htmlindex.Get(name)
	if err != nil {
		return nil, usererr.Errorf("%q is not known: want a name of the IANA, such as windows-1252 or "+
			"shift_jis", name)
	}
	return found, nil
}
