package eventsource

import (
	"bytes"
	"encoding/json"
)

// A filter reads a few members of each record, and most records do not pass. Members are
// therefore found by scanning the bytes, without decoding the other members.

// find returns the value of a member of a well-formed JSON object, or nil if object is not an
// object or has no such member.
func find(object []byte, name string) []byte {
	at := skipSpace(object, 0)
	if at >= len(object) || object[at] != '{' {
		return nil
	}
	for at = skipSpace(object, at+1); at < len(object) && object[at] == '"'; at = skipSpace(object, at+1) {
		end := skipValue(object, at)
		key, _ := decodeString(object[at:end])
		start := skipSpace(object, skipSpace(object, end)+1) // past the colon
		end = skipValue(object, start)
		if start >= len(object) {
			return nil
		}
		if key == name {
			return object[start:end]
		}
		at = skipSpace(object, end) // at the comma, or the end
	}
	return nil
}

// decodeString decodes a JSON string; ok is false for anything else.
func decodeString(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r') {
		at++
	}
	return at
}

// skipValue returns the index after the value that starts at at.
func skipValue(b []byte, at int) int {
	depth := 0
	for ; at < len(b); at++ {
		switch b[at] {
		case '"':
			at = closingQuote(b, at)
			if depth == 0 {
				return min(at+1, len(b))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
			if depth < 0 { // the end of the enclosing value
				return at
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

func closingQuote(b []byte, at int) int {
	for at++; at < len(b) && b[at] != '"'; at++ {
		if b[at] == '\\' {
			at++
		}
	}
	return at
}
