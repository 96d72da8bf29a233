package keys

import (
	"errors"
	"strings"
)

// separator stands between the parts of a key, and in no escaped part.
const separator = '#'

// escapeByte leads an escape: %, then the byte in two upper-case hexadecimal digits.
//
// Every byte up to and including the percent sign is escaped, not only the separator
// and the percent sign. That is what keeps the order: an escape begins with a byte
// below all bytes that stand for themselves, and stands for a byte below them too,
// so parts compare as bytes the same before and after. It takes control characters
// below the space along. Bytes of longer runes stand for themselves.
const escapeByte = '%'

const hexDigits = "0123456789ABCDEF"

// join escapes parts and puts separators between them.
func join(parts ...string) string {
	var b strings.Builder
	size := len(parts)
	for _, p := range parts {
		size += len(p)
	}
	b.Grow(size)
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(separator)
		}
		escape(&b, p)
	}
	return b.String()
}

func escape(b *strings.Builder, part string) {
	done := 0
	for i := range len(part) {
		if c := part[i]; c <= escapeByte {
			b.WriteString(part[done:i])
			b.WriteByte(escapeByte)
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
			done = i + 1
		}
	}
	b.WriteString(part[done:])
}

var errEscape = errors.New("a part is not escaped as keys are: %XX for each byte up to the percent sign, and for no other")

// unescape is the way back from escape. It refuses what escape never makes, so that
// a part has one spelling.
func unescape(part string) (string, error) {
	i := firstLow(part)
	if i == len(part) {
		return part, nil
	}
	out := append(make([]byte, 0, len(part)), part[:i]...)
	for ; i < len(part); i++ {
		c := part[i]
		if c <= escapeByte {
			if c != escapeByte || i+2 >= len(part) {
				return "", errEscape
			}
			high, low := strings.IndexByte(hexDigits, part[i+1]), strings.IndexByte(hexDigits, part[i+2])
			if high < 0 || low < 0 || high<<4|low > escapeByte {
				return "", errEscape
			}
			c, i = byte(high<<4|low), i+2
		}
		out = append(out, c)
	}
	return string(out), nil
}

// firstLow is the place of the first byte that does not stand for itself.
func firstLow(part string) int {
	for i := range len(part) {
		if part[i] <= escapeByte {
			return i
		}
	}
	return len(part)
}
