package keyparts_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
)

func TestSplit_ReturnsThePartsThatJoinJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "parts")
		got := make([]string, 4)
		n, err := keyparts.Split(keyparts.Join(parts...), got)
		if err != nil || !slices.Equal(got[:n], parts) {
			t.Fatalf("got %q, %v; want %q", got[:n], err, parts)
		}
	})
}

func TestJoin_KeepsTheByteOrderOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("\x00\n !\"#$%&/09Aaz~é🌊"))), 2, 2)
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if got, want := strings.Compare(keyparts.Join(a...), keyparts.Join(b...)),
			slices.Compare(a, b); got != want {
			t.Fatalf("joined keys of %q and %q compare as %d, want %d", a, b, got, want)
		}
	})
}

func TestSplit_RefusesTooManyParts(t *testing.T) {
	t.Parallel()
	if n, err := keyparts.Split("a#b#c", make([]string, 2)); err == nil {
		t.Errorf("got %d parts, want an error", n)
	}
}

func TestUnescape_RefusesTextThatJoinNeverProduces(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"%", "%2", "%41", "%2f", "%2G", "%C3", " ", "a#b", "\n"} {
		if got, err := keyparts.Unescape(part); err == nil {
			t.Errorf("%q: got %q, want an error", part, got)
		}
	}
}
