package collector

import (
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/embedded"
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

// The classes of user agents that have a meaning in the program. devices.json has the others.
const (
	DeviceBot   = "bot"
	DeviceOther = "other" // not recognised
)

// deviceMarks are substrings of user agents in small letters, with their class. The first
// match decides. Bots come first, because crawlers include the name of a browser, except for a
// brand of phones. A crawler that sends the user agent of a browser counts as that browser.
var deviceMarks = sync.OnceValue(func() []deviceMark { return embedded.JSON[[]deviceMark](devicesText) })

type deviceMark struct {
	Class string
	Marks []string
}

//go:embed devices.json
var devicesText []byte

// maxUserAgent is the number of bytes of a user agent that are searched.
const maxUserAgent = 512

// DeviceOf returns the class of a user agent. An empty user agent is a bot, because browsers always send one.
func DeviceOf(userAgent string) string {
	if strings.TrimSpace(userAgent) == "" {
		return DeviceBot
	}
	text := strings.ToLower(userAgent[:min(len(userAgent), maxUserAgent)])
	for _, d := range deviceMarks() {
		for _, mark := range d.Marks {
			if strings.Contains(text, mark) {
				return d.Class
			}
		}
	}
	return DeviceOther
}

// Referrer returns the host of link, in small letters, if it is another site than host. It
// returns "" if there is no link, the link is of the same site, or cannot be parsed. Path and
// query are dropped, because they may contain search terms or session ids.
func Referrer(host, link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme == "" {
		return ""
	}
	from := strings.ToLower(u.Hostname())
	if from == strings.ToLower(host) || len(from) > maxHost {
		return ""
	}
	return from
}

// maxHost is the maximum length of a host name, in bytes.
const maxHost = 253
