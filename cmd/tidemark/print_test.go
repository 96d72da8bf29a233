package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
)

// A name that others chose cannot show itself as another, or move the cursor of the terminal that prints it.
func TestPrintJSON_EscapesWhatATerminalHidesOrObeys(t *testing.T) {
	t.Parallel()
	given := map[string]string{"name": "\u2066evil\u202e <b> & é", "note": "\u009b31m\u200b\x1b[2J\x7f\u2028"}
	for name, print := range map[string]func(*strings.Builder) error{
		"document": func(b *strings.Builder) error { return printJSON(b, given) },
		"line":     func(b *strings.Builder) error { return printJSONLine(b, given) },
	} {
		var b strings.Builder
		var read map[string]string
		err := print(&b)
		if text := strings.ReplaceAll(b.String(), "\n", ""); err != nil || plaintext.Has(text) {
			t.Errorf("%s: %v, %q has hidden characters", name, err, text)
		}
		if err := json.Unmarshal([]byte(b.String()), &read); err != nil || read["name"] != given["name"] ||
			read["note"] != given["note"] || !strings.Contains(b.String(), "<b> & é") {
			t.Errorf("%s: read as %q, %v; want %q", name, read, err, given)
		}
	}
}
