// Package keyparts joins the parts of a key into one string and splits them again. The
// packages keys and tablekeys build and parse every key of the table through it.
//
// Each part is escaped before it is joined. Therefore no part can contain a separator,
// and the byte order of two joined keys is the byte order of their parts.
package keyparts

import (
	"errors"
	"strings"
)

// Separator is between the parts of a key. No escaped part contains it.
const Separator = '#'

// escapeByte begins an escape: %, then the byte in two upper-case hexadecimal digits.
//
// Every byte up to and including the percent sign is escaped, not only the separator and the percent sign.
// This keeps the byte order: an escape begins with a byte below all unescaped bytes, and it encodes a byte
// below them too. Control characters and the space are escaped for the same reason. All bytes of multi-byte
// runes are above the percent sign and are not escaped.
const escapeByte = '%'

const hexDigits = "0123456789ABCDEF"

// Join escapes the parts and joins them with separators.
func Join(parts ...string) string {
	var b strings.Builder
	size := len(parts)
	for _, p := range parts {
		size += len(p)
	}
	b.Grow(size)
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(Separator)
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

// Split unescapes the parts of key into parts and returns how many there are. It returns an error if there
// are more than len(parts), or if one is not escaped as Join escapes it.
func Split(key string, parts []string) (n int, err error) {
	for more := true; more; n++ {
		if n == len(parts) {
			return n, errors.New("the key has too many parts")
		}
		var part string
		part, key, more = strings.Cut(key, string(Separator))
		if parts[n], err = Unescape(part); err != nil {
			return n, err
		}
	}
	return n, nil
}

var errEscape = errors.New(
	"a part is not escaped correctly: keys contain %XX for each byte up to the percent sign, " +
		"and for no other byte")

// Unescape returns the part that Join escaped. It returns an error for text that Join
// never produces, so that each part has exactly one escaped form.
func Unescape(part string) (string, error) {
	i := EscapedFrom(part)
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

// EscapedFrom returns the index of the first byte of part that is a separator, an escape
// or needs an escape, and len(part) if there is none.
func EscapedFrom(part string) int {
	for i := range len(part) {
		if part[i] <= escapeByte {
			return i
		}
	}
	return len(part)
}
