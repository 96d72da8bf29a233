// Package terminal formats what commands print for people: tables, progress and numbers.
// Formats that programs read (CSV, JSON) are not its subject.
package terminal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
)

// Width returns how many characters a line of w has; ok is false if w is no terminal.
func Width(w io.Writer) (width int, ok bool) {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return width, err == nil && width > 0
}

// Printable returns s with every hidden character replaced by a dot (see package plaintext). Stored text
// comes from devices and browsers, and a control sequence in it would reach the user's terminal.
func Printable(s string) string { return strings.Map(replaceControl, s) }

// PrintableLines is Printable for text of several lines: it keeps newlines and tabs.
func PrintableLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return replaceControl(r)
	}, s)
}

func replaceControl(r rune) rune {
	if plaintext.Replaced(r) || r == utf8.RuneError {
		return '·'
	}
	return r
}

// Grouped returns n with commas between thousands: 1,234,567.
func Grouped(n int) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// PerSecond returns the rate of n things in the time that they took.
func PerSecond(n int, took time.Duration) int { return int(float64(n) / max(took.Seconds(), 0.001)) }

// Bytes returns a size in B, KB or MB.
func Bytes(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// Percentile returns a percentile to three digits, which a sketch with an error of 1 % has, "" for nil.
func Percentile(x *float64) string {
	if x == nil {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(*x, 'g', 3, 64), 64) // it was formatted
	return strconv.FormatFloat(rounded, 'g', 6, 64)
}

// Payload returns stored bytes in readable form: JSON indented, other text as it is, both
// without control characters, and everything else as a hexadecimal dump.
func Payload(b []byte) string {
	var indented bytes.Buffer
	switch {
	case json.Indent(&indented, b, "", "  ") == nil:
		return PrintableLines(indented.String())
	case utf8.Valid(b):
		return PrintableLines(string(b))
	default:
		return hex.Dump(b)
	}
}
