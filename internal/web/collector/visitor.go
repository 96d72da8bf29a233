package collector

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

// visitorBytes is the length of a pseudonym: 96 bits, enough to avoid collisions in a day.
const visitorBytes = 12

// Visitor returns the pseudonym of a visitor: a hash of site, address and user agent, keyed
// with the secret of the day. A browser has the same pseudonym all day on one site. After the
// secret has expired, nothing links a pseudonym to a visitor, another day or another site.
func Visitor(secret []byte, site, address, userAgent string) string {
	mac := hmac.New(sha256.New, secret)
	for _, part := range []string{site, address, userAgent} {
		mac.Write(binary.AppendUvarint(nil, uint64(len(part)))) // no two triples hash the same bytes
		mac.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:visitorBytes])
}

// maxUserAgent is the number of bytes of a user agent that are searched.
const maxUserAgent = 512

// browserBegins are the beginnings of the user agents of browsers.
var browserBegins = []string{"mozilla/", "opera/", "ucweb/"}

// ParseDevice returns the class of a user agent. One without a mark that does not begin as browsers do is of
// a program, such as a probe or a library, and so is an empty one.
func ParseDevice(userAgent string) string {
	userAgent = userAgent[:min(len(userAgent), maxUserAgent)]
	if strings.TrimSpace(userAgent) == "" || isListedBot(userAgent) {
		return DeviceBot
	}
	text := strings.ToLower(userAgent)
	for _, d := range deviceMarks {
		for _, mark := range d.marks {
			if strings.Contains(text, mark) {
				return d.class
			}
		}
	}
	for _, begin := range browserBegins {
		if strings.HasPrefix(text, begin) {
			return DeviceOther
		}
	}
	return DeviceBot
}

// Referrer returns the host of link, in small letters, if it is of another site than the given hosts, which
// are the same site with and without www. It returns "" if there is no link, or it is of the same site. Path
// and query are dropped, because they may contain search terms or session ids.
func Referrer(link string, same ...string) string {
	from := cutAddress(link).host
	scheme, _, absolute := strings.Cut(strings.ToLower(strings.TrimSpace(link)), "://")
	if !absolute || !slices.Contains(referring, scheme) || from == "localhost" {
		return ""
	}
	for _, host := range same {
		if bareHost(host) == bareHost(from) {
			return ""
		}
	}
	if len(from) > maxHost || strings.ContainsAny(from, ": ") {
		return "" // no name of a host
	}
	return from
}

// referring are the schemes of links that lead from a site or an app to a page. Extensions of browsers have
// others.
var referring = []string{"http", "https", "android-app", "ios-app"}

// bareHost returns a host without what makes it no other site: capitals, Punycode, www. and a dot at the end.
func bareHost(host string) string {
	return strings.TrimPrefix(strings.TrimSuffix(webfield.ShownHost(host), "."), "www.")
}

// maxHost is the maximum length of a host name, in bytes.
const maxHost = 253
