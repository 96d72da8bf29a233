package plaintext_test

import (
	"encoding/json"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
)

// hidden has a character of each kind that hides, turns or controls.
var hidden = map[string]rune{
	"NUL": 0, "ESC": 0x1b, "DEL": 0x7f, "8-bit CSI": 0x9b, "NEL": 0x85,
	"soft hyphen": 0xad, "zero width space": 0x200b, "joiner": 0x200d,
	"left-to-right mark": 0x200e, "line separator": 0x2028, "paragraph separator": 0x2029,
	"override": 0x202e, "isolate": 0x2066,
	"byte order mark": 0xfeff, "word joiner": 0x2060, "Arabic letter mark": 0x61c,
	"Hangul filler": 0x3164, "blank of Braille": 0x2800,
	"tag A": 0xe0041,
}

func TestHas_FindsWhatAReaderCannotSee(t *testing.T) {
	t.Parallel()
	for name, r := range hidden {
		if !plaintext.Has("pump" + string(r) + "1") {
			t.Errorf("%s (%U) is not found", name, r)
		}
	}
	for _, text := range []string{"", "sensor_01", "Zürich Halle 3", "設備", "a:b#c%", "🌊", "é", "acme：1"} {
		if plaintext.Has(text) {
			t.Errorf("%q is refused", text)
		}
	}
}

func TestReplaced_IsEachButJoiners(t *testing.T) {
	t.Parallel()
	for name, r := range hidden {
		if plaintext.Replaced(r) == (name == "joiner") {
			t.Errorf("%s (%U): replaced %v", name, r, plaintext.Replaced(r))
		}
	}
}

// FuzzEscapeJSON: the JSON means the same, and has no hidden character.
func FuzzEscapeJSON(f *testing.F) {
	for _, r := range hidden {
		f.Add("a" + string(r) + "\"\\b")
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var got, want string
		escaped := plaintext.EscapeJSON(plain)
		if err := json.Unmarshal(escaped, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(plain, &want); err != nil || got != want || plaintext.Has(string(escaped)) {
			t.Errorf("%q: %q means %q", text, escaped, got)
		}
	})
}
