package collector

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
)

//go:embed hosts.txt
var hostsText string

// Campaign is what the link that led to a page says about itself.
type Campaign struct {
	Source, Medium, Name string
	Click                string // the name of the parameter that marks a paid click; "" if there is none
}

// inSmallLetters returns the texts of the campaign as the rules of channels have them.
func (c Campaign) inSmallLetters() Campaign {
	return Campaign{Source: strings.ToLower(c.Source), Medium: strings.ToLower(c.Medium),
		Name: strings.ToLower(c.Name), Click: c.Click}
}

// Origin is from where a visitor came.
type Origin struct {
	Source  string // a name of the list, the host of the referrer, or the campaign's source; "" for none
	Channel string
}

// FindOrigin returns the origin of a visitor. host is the previous page's; "" if there is none.
// The source of a campaign counts before the host.
func FindOrigin(host string, c Campaign) Origin {
	site := find(host)
	if c.Source != "" {
		if site = sites().names[strings.ToLower(c.Source)]; site.name == "" {
			site = find(strings.ToLower(c.Source))
		}
		site.name = cmp.Or(site.name, c.Source)
	}
	site.name = cmp.Or(site.name, strings.TrimPrefix(host, "www."))
	return Origin{Source: site.name, Channel: classifyChannel(site, c)}
}

func classifyChannel(s site, c Campaign) string {
	c = c.inSmallLetters()
	for _, row := range channels {
		if row.matches(s, c) {
			return row.channel
		}
	}
	switch {
	case c.Source != "" || c.Medium != "":
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
		if s, ok := sites().hosts[part]; ok && (whole || s.kind != searchEngine) {
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
