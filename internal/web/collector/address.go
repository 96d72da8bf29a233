package collector

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
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
	a.path = webfield.ShownPath(text)
	return a
}

// cutHost returns the host, without a user and a port, and the path of an address behind its slashes.
func cutHost(text string) (host, path string) {
	authority, _, _ := strings.Cut(text, "/")
	host = authority[strings.LastIndexByte(authority, '@')+1:]
	host = strings.Trim(portAtEnd.ReplaceAllString(host, ""), "[].")
	return webfield.ShownHost(host), text[len(authority):]
}

// values returns the parameters of the query that have a value.
func (a address) values() url.Values {
	all := url.Values{}
	for part := range strings.SplitSeq(a.query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if value = strings.TrimSpace(unescaped(value)); value != "" {
			all.Add(unescaped(name), value)
		}
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
		return string(webfield.PercentDecoded(code))
	})
}
