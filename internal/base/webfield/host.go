package webfield

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ShownHost returns a host as the address bar shows it, which is how it is stored: in small letters, and with
// letters in place of their Punycode. A text that is no host with letters is returned in small letters.
func ShownHost(host string) string {
	host = strings.ToLower(host)
	isLetter := func(r rune) bool { return r >= utf8.RuneSelf }
	if !strings.Contains(host, "xn--") && !strings.ContainsFunc(host, isLetter) {
		return host
	}
	if shown, err := idna.Lookup.ToUnicode(host); err == nil {
		return shown
	}
	return host
}
