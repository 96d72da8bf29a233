package terminal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

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
