package web

import (
	"net/url"
	"strings"
)

// Referrer is the host that led to a page of a site, in small letters: "" where there
// is none, where it is the site itself, and where it cannot be read. Path and query
// are left out: they are often somebody's search or session.
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

// maxHost is as long as the name of a host can be.
const maxHost = 253
