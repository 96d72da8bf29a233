package collector

import (
	_ "embed"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

// Exclusion is why a hit is not stored.
type Exclusion string

// The exclusions. Each but the last three is declared in tidemark.yaml.
const (
	Included        Exclusion = ""
	ExcludedAddress Exclusion = "address"
	ExcludedCountry Exclusion = "country"
	ExcludedPath    Exclusion = "path"
	ExcludedSource  Exclusion = "referrer"
	ExcludedSpam    Exclusion = "spam" // of a referrer that programs send to be seen in statistics
	ExcludedOwn     Exclusion = "own"  // by a visitor who has excluded the own browser
	ExcludedOptOut  Exclusion = "opt-out"
)

// Exclusions say which hits are not stored. They are safe for concurrent use.
type Exclusions struct {
	addresses []netip.Prefix
	countries []string
	paths     []goal.Pattern
	referrers []string
	spam      bool
}

// NewExclusions returns the exclusions of a configuration.
func NewExclusions(c config.Exclude) (*Exclusions, error) {
	e := &Exclusions{countries: c.Countries, spam: c.Spam}
	for _, host := range c.Referrers {
		e.referrers = append(e.referrers, bareHost(host))
	}
	for _, text := range c.Addresses {
		p, err := config.ParseAddresses(text)
		if err != nil {
			return nil, fmt.Errorf("collector.exclude.addresses: %w", err)
		}
		e.addresses = append(e.addresses, p)
	}
	for _, pattern := range c.Paths {
		e.paths = append(e.paths, goal.NewPattern(webfield.ShownPath(pattern)))
	}
	return e, nil
}

// of returns why a hit is excluded. A nil Exclusions excludes none.
func (e *Exclusions) of(h Hit, r Request) Exclusion {
	if e == nil {
		return Included
	}
	from := Referrer(h.Referrer, r.Site)
	address, _ := netip.ParseAddr(r.Address)
	path := h.path(cutAddress(h.URL))
	switch {
	case h.Own:
		return ExcludedOwn
	case slices.ContainsFunc(e.addresses, func(p netip.Prefix) bool { return p.Contains(address) }):
		return ExcludedAddress
	case r.Country != "" && slices.Contains(e.countries, r.Country):
		return ExcludedCountry
	case slices.ContainsFunc(e.paths, func(p goal.Pattern) bool { return p.Matches(path) }):
		return ExcludedPath
	case isWithin(from, func(host string) bool { return slices.Contains(e.referrers, host) }):
		return ExcludedSource
	case e.spam && isWithin(from, func(host string) bool { return spammers()[host] }):
		return ExcludedSpam
	}
	return Included
}

// isWithin reports whether a host or one of the domains that it belongs to is listed.
func isWithin(host string, listed func(string) bool) bool {
	for ; host != ""; _, host, _ = strings.Cut(host, ".") {
		if listed(host) {
			return true
		}
	}
	return false
}

//go:embed spam.txt
var spamText string

// spammers parses the list once, at the first use. Hosts are in the form that Referrer returns.
var spammers = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(spamText) {
		if host := webfield.ShownHost(strings.TrimSpace(line)); !strings.HasPrefix(host, "#") {
			all[host] = true
		}
	}
	return all
})
