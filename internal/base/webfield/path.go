package webfield

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShownPath returns a path as the address bar shows it, which is how it is stored: without . and .., with
// letters in place of their percent encodings, and with the encodings of all that would separate or hide
// a part of the path. The * of a pattern stays.
func ShownPath(path string) string {
	var parts []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		switch s = ShownSegment(s); {
		case s == ".." && len(parts) > 0:
			parts = parts[:len(parts)-1]
		case s != "." && s != "..":
			parts = append(parts, s)
			continue
		}
		if i == len(segments)-1 {
			parts = append(parts, "") // of a directory
		}
	}
	return "/" + strings.Join(parts, "/")
}

// ShownSegment decodes the percent encodings of letters, digits, -._~ and characters outside ASCII that a
// reader can see. Other encodings have capital letters, by RFC 3986, and what browsers encode is encoded.
func ShownSegment(s string) string {
	if !strings.ContainsFunc(s, unsettled) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		text, length := string(PercentDecoded(s)), len("%20")
		if text == "" {
			text, length = s[:min(len(s), utf8.UTFMax)], 1
		}
		r, size := utf8.DecodeRuneInString(text)
		if isEncoded(r, size, length > 1) {
			for _, c := range []byte(text[:size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(text[:size])
		}
		s = s[size*length:]
	}
	return b.String()
}

// encodedByBrowsers are the characters that browsers encode in a path.
const encodedByBrowsers = " \"<>^`{}"

// unsettled reports whether a character may be shown in another form than it was sent.
func unsettled(r rune) bool {
	return r == '%' || r >= utf8.RuneSelf || strings.ContainsRune(encodedByBrowsers, r)
}

// isEncoded reports whether a character of some bytes is shown by its percent encoding.
func isEncoded(r rune, size int, sentEncoded bool) bool {
	switch {
	case r == utf8.RuneError && size <= 1:
		return true
	case r >= utf8.RuneSelf:
		return !unicode.IsGraphic(r) || unicode.IsSpace(r)
	}
	return strings.ContainsRune(encodedByBrowsers, r) || sentEncoded && !unreserved(r)
}

// unreserved reports whether a character of ASCII means the same with and without its percent encoding.
func unreserved(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._~", r)
}

// PercentDecoded returns the bytes of the percent encodings that a text begins with, up to one character.
func PercentDecoded(s string) (decoded []byte) {
	for len(decoded) < utf8.UTFMax && len(s) >= 3 && s[0] == '%' {
		b, err := url.PathUnescape(s[:3])
		if err != nil {
			break
		}
		decoded, s = append(decoded, b[0]), s[3:]
	}
	return decoded
}
