package points_test

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// Any bytes are valid in between, and come back: also the characters that stand for wrong bytes.
func TestUnescape_ReturnsWhatWasEscaped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, part := range rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) }), rapid.Just("\U0010FF41"))).Draw(t, "parts") {
			text += part
		}
		escaped := points.Escape([]byte(text))
		if got := points.Unescape(string(escaped)); !utf8.Valid(escaped) || got != text {
			t.Fatalf("%q is %q, valid %t, want %q", escaped, got, utf8.Valid(escaped), text)
		}
	})
}
