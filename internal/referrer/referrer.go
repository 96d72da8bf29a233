// Package referrer says from where the visitors of a website come: the name of a source and
// its channel, by a list of search engines, social networks and assistants.
package referrer

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/embedded"
)

//go:embed hosts.txt
var hostsText string

// Campaign is what the link that led to a page says about itself.
type Campaign struct{ Source, Medium string }

// Origin is from where a visitor came.
type Origin struct {
	Source  string // a name of the list, the host of the referrer, or the campaign's source; "" for none
	Channel string
}

// The channels of visitors that no row of channels.json has.
const (
	Direct   = "Direct"
	Referral = "Referral"
	Other    = "Campaign"
)

// channels decide by the medium of a campaign and the kind of the source. The first row that
// matches counts; a row without media or without a kind matches all of them.
var channels = sync.OnceValue(func() []channelRow { return embedded.JSON[[]channelRow](channelsText) })

type channelRow struct {
	Media         []string
	Kind, Channel string
}

//go:embed channels.json
var channelsText []byte

// Of returns the origin of a visitor. host is that of the previous page; "" if there is none.
// The source of a campaign counts before the host.
func Of(host string, c Campaign) Origin {
	site := find(host)
	if c.Source != "" {
		if site = sites().names[strings.ToLower(c.Source)]; site.name == "" {
			site = find(strings.ToLower(c.Source))
		}
		site.name = cmp.Or(site.name, c.Source)
	}
	site.name = cmp.Or(site.name, strings.TrimPrefix(host, "www."))
	return Origin{Source: site.name, Channel: channelOf(site, c)}
}

func channelOf(s site, c Campaign) string {
	medium := strings.ToLower(c.Medium)
	for _, row := range channels() {
		if (row.Media == nil || slices.Contains(row.Media, medium)) && (row.Kind == "" || row.Kind == s.kind) {
			return row.Channel
		}
	}
	switch {
	case c != Campaign{}:
		return Other
	case s.name != "":
		return Referral
	}
	return Direct
}

// site is a line of the list.
type site struct{ kind, name string }

type list struct {
	hosts map[string]site // {} at the end stands for any country
	names map[string]site // in small letters
}

// sites parses the list once, at the first use.
var sites = sync.OnceValue(func() list {
	l := list{hosts: map[string]site{}, names: map[string]site{}}
	for line := range strings.Lines(hostsText) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			continue // a comment
		}
		s := site{kind: fields[0], name: fields[1]}
		l.names[strings.ToLower(s.name)] = s
		for host := range strings.FieldsSeq(fields[2]) {
			l.hosts[host] = s
		}
	}
	return l
})

// find returns the site of a host: of the host itself, or of a parent domain of a site whose
// subdomains are the same site.
func find(host string) site {
	host = strings.TrimPrefix(host, "www.")
	for part, whole := host, true; part != ""; whole = false {
		if s, ok := sites().hosts[part]; ok && (whole || s.kind != "search") {
			return s
		}
		if s, ok := sites().hosts[withoutCountry(part)]; ok && whole {
			return s
		}
		_, part, _ = strings.Cut(part, ".")
	}
	return site{}
}

// withoutCountry replaces the end of a host by {}: google.{} for google.de and google.co.uk.
func withoutCountry(host string) string {
	rest, tld := cutLast(host)
	if before, second := cutLast(rest); before != "" && len(tld) == 2 && (second == "co" || second == "com") {
		rest = before
	}
	return rest + ".{}"
}

func cutLast(host string) (before, last string) {
	i := strings.LastIndexByte(host, '.')
	if i < 0 {
		return "", host
	}
	return host[:i], host[i+1:]
}
