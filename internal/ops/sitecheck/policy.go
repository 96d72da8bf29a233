package sitecheck

import (
	"net/url"
	"slices"
	"strings"
)

// policy is one Content-Security-Policy: the sources of each directive.
type policy map[string][]string

func parsePolicy(text string) policy {
	p := policy{}
	for directive := range strings.SplitSeq(text, ";") {
		words := strings.Fields(directive)
		if len(words) == 0 {
			continue
		}
		name := strings.ToLower(words[0])
		if _, repeated := p[name]; !repeated { // browsers ignore a repetition
			p[name] = words[1:]
		}
	}
	return p
}

// allows reports whether a page may load an address by the first of the directives that the policy has, and
// returns that one. A policy without any of them allows it.
func (p policy) allows(directives []string, page, to *url.URL, nonce string) (directive string, ok bool) {
	for _, name := range directives {
		sources, found := p[name]
		if !found {
			continue
		}
		if nonce != "" && slices.Contains(sources, "'nonce-"+nonce+"'") {
			return name, true
		}
		if slices.Contains(sources, "'strict-dynamic'") && strings.HasPrefix(name, "script") {
			return name, false // addresses do not count then
		}
		return name, slices.ContainsFunc(sources, func(s string) bool { return matches(s, page, to) })
	}
	return "", true
}

// matches reports whether a source expression of a policy includes an address.
func matches(source string, page, to *url.URL) bool {
	switch lower := strings.ToLower(source); {
	case lower == "*":
		return to.Scheme == "http" || to.Scheme == "https"
	case lower == "'self'":
		return to.Host == page.Host && (to.Scheme == page.Scheme || to.Scheme == "https")
	case strings.HasPrefix(lower, "'"):
		return false // a nonce, a hash or a keyword
	case strings.HasSuffix(lower, ":"):
		return secureAs(strings.TrimSuffix(lower, ":"), to.Scheme)
	}
	scheme, rest, found := strings.Cut(source, "://")
	if !found {
		scheme, rest = page.Scheme, source
	}
	host, path, _ := strings.Cut(rest, "/")
	name, port, hasPort := strings.Cut(strings.ToLower(host), ":")
	switch {
	case !secureAs(strings.ToLower(scheme), to.Scheme):
		return false
	case !hasPort && to.Port() != "", hasPort && port != "*" && port != effectivePort(to):
		return false
	case strings.HasSuffix(path, "/") && !strings.HasPrefix(to.Path, "/"+path):
		return false
	case path != "" && !strings.HasSuffix(path, "/") && to.Path != "/"+path:
		return false
	}
	suffix, wild := strings.CutPrefix(name, "*")
	toHost := strings.ToLower(to.Hostname())
	return wild && strings.HasSuffix(toHost, suffix) || name == toHost
}

// secureAs reports whether a source of a scheme includes an address of another: http includes https.
func secureAs(source, to string) bool { return source == to || source == "http" && to == "https" }

// effectivePort returns the port of an address, or else the port of its scheme.
func effectivePort(to *url.URL) string {
	if port := to.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[to.Scheme]
}
