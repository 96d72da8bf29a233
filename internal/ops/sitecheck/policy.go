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
	return matchesHost(source, page, to)
}

// matchesHost reports whether a source of a host, which may have a scheme, a port and a path, includes an
// address.
func matchesHost(source string, page, to *url.URL) bool {
	scheme, rest, found := strings.Cut(source, "://")
	if !found {
		scheme, rest = page.Scheme, source
	}
	host, path, _ := strings.Cut(rest, "/")
	name, port, hasPort := strings.Cut(strings.ToLower(host), ":")
	return secureAs(strings.ToLower(scheme), to.Scheme) &&
		matchesName(name, strings.ToLower(to.Hostname())) &&
		matchesPort(port, hasPort, to) && matchesPath(path, to.Path)
}

// matchesName reports whether the name of a source, such as *.example.com, includes a host.
func matchesName(name, host string) bool {
	suffix, wild := strings.CutPrefix(name, "*")
	return wild && strings.HasSuffix(host, suffix) || name == host
}

// matchesPort reports whether a source has the port of an address. Without one, the address must have none.
func matchesPort(port string, given bool, to *url.URL) bool {
	if !given {
		return to.Port() == ""
	}
	return port == "*" || port == effectivePort(to)
}

// matchesPath reports whether the path of a source includes another: one that ends in / includes all below
// it.
func matchesPath(path, to string) bool {
	if strings.HasSuffix(path, "/") {
		return strings.HasPrefix(to, "/"+path)
	}
	return path == "" || to == "/"+path
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
