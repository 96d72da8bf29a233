package collector

import (
	"net/url"
	"strings"
)

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
