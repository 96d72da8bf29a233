package collector

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// address is the address of a page, cut as browsers cut it: every text has parts, and a percent sign that
// encodes nothing is a character.
type address struct{ host, path, query, fragment string }

var (
	schemeAtStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	portAtEnd     = regexp.MustCompile(`:\d*$`)
)

// HostAndPath returns the host of an address, "" for a path alone, and its path as it is stored.
func HostAndPath(text string) (host, path string) {
	a := cutAddress(text)
	return a.host, a.path
}

// cutAddress returns the parts of an address, by the URL standard of WHATWG for http and https.
func cutAddress(text string) (a address) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	text, a.fragment, _ = strings.Cut(text, "#")
	text, a.query, _ = strings.Cut(text, "?")
	scheme := schemeAtStart.FindString(text)
	text = text[len(scheme):]
	web := strings.HasPrefix(strings.ToLower(scheme), "http")
	if web || scheme == "" {
		text = strings.ReplaceAll(text, `\`, "/")
	}
	switch {
	case web:
		a.host, text = cutHost(strings.TrimLeft(text, "/"))
	case strings.HasPrefix(text, "//"): // also capacitor://localhost/a
		a.host, text = cutHost(text[len("//"):])
	case scheme != "" && !strings.HasPrefix(text, "/"): // about:blank has no path
		text = ""
	}
	a.path = shownPath(text)
	return a
}

// cutHost returns the host, without a user and a port, and the path of an address behind its slashes.
func cutHost(text string) (host, path string) {
	authority, _, _ := strings.Cut(text, "/")
	host = authority[strings.LastIndexByte(authority, '@')+1:]
	host = strings.ToLower(strings.Trim(portAtEnd.ReplaceAllString(host, ""), "[]."))
	return host, text[len(authority):]
}

// values returns the parameters of the query.
func (a address) values() url.Values {
	all := url.Values{}
	for part := range strings.SplitSeq(a.query, "&") {
		name, value, _ := strings.Cut(part, "=")
		all.Add(unescaped(name), unescaped(value))
	}
	return all
}

var (
	percentEncoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	plusIsSpace    = strings.NewReplacer("+", " ")
)

// unescaped decodes a name or a value of a query. A percent sign that encodes nothing is a character.
func unescaped(text string) string {
	return percentEncoded.ReplaceAllStringFunc(plusIsSpace.Replace(text), func(code string) string {
		return string(encodedBytes(code))
	})
}

// shownPath returns a path as the address bar shows it: without . and .., with letters in place of their
// percent encodings, and with the encodings of all that would separate or hide a part of the path.
func shownPath(path string) string {
	var parts []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		switch s = shownSegment(s); {
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

// shownSegment decodes the percent encodings of letters, digits, -._~ and characters outside ASCII that a
// reader can see. Other encodings have capital letters, by RFC 3986, and what browsers encode is encoded.
func shownSegment(s string) string {
	if !strings.ContainsFunc(s, unsettled) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		text, length := string(encodedBytes(s)), len("%20")
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

// encodedBytes returns the bytes of the percent encodings that a text begins with, up to one character.
func encodedBytes(s string) (decoded []byte) {
	for len(decoded) < utf8.UTFMax && len(s) >= 3 && s[0] == '%' {
		b, err := url.PathUnescape(s[:3])
		if err != nil {
			break
		}
		decoded, s = append(decoded, b[0]), s[3:]
	}
	return decoded
}
