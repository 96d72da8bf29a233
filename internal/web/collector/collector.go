// Package collector receives page views and custom events from browsers, at
// POST /v1/collect/{siteKey}, and at POST /api/event from Plausible's trackers. Function ingest
// serves its routes in addition to the catalog's.
//
// It protects visitors: neither the stored events nor the logs contain an address, a user
// agent or a site key.
package collector

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Prefix begins the path of every request with a site key.
const Prefix = access.SiteKeyPathPrefix

// maxBody is the maximum size of a request's body, in bytes: what browsers send at most when a page ends. The
// address of a page may have thousands of characters, of which little is stored.
const maxBody = 64 << 10

// problemSite rejects a request without a site key that does not name a declared site.
var problemSite = httpapi.ProblemType{URI: "/problems/unknown-site", Title: "The site is not declared",
	Status: http.StatusForbidden}

// problemNoSite rejects a request that no authorizer has checked, even if the API was deployed without one.
var problemNoSite = httpapi.ProblemType{URI: "/problems/no-site", Title: "The site key was not checked",
	Status: http.StatusForbidden}

// Collector appends the events of pages. Its fields are set before the first call; it is safe for
// concurrent use.
type Collector struct {
	Views   *catalog.Kind
	Events  *catalog.Kind // custom events
	Service *ingest.Service
	Secrets *ingest.RotatingSecrets // of a day, for visitors' pseudonyms
	// Index finds the views of a visitor, and Gap is the longest pause in a visit: for visits that go on over
	// midnight. Without an index, every visit ends there.
	Index IndexReader
	Gap   time.Duration

	HonourOptOut bool // store nothing for browsers that send an opt-out signal
	Exclude      *Exclusions
	Domains      []string // that may send without a site key
	// OriginSecrets are the values of OriginHeader by which a trusted CloudFront distribution
	// is recognised; without any, no header says who the visitor is.
	OriginSecrets *secret.Source
	Proxied       bool                                // the trusted origin is a proxy that sends X-Forwarded-For
	Regions       bool                                // store regions of countries
	Failed        func(r *httpapi.Request, err error) // reports the cause of a failure, which no response names
	Appended      func(r *httpapi.Request, kind string, results []model.AppendResult, err error)
	Rejected      func(r *httpapi.Request, p *httpapi.Problem)
	Excluded      func(r *httpapi.Request, kind string, why Exclusion) // reports a hit that is not stored
}

// IndexReader reads events by their visitor.
type IndexReader interface {
	// QueryIndex reads one page of the events whose indexed field has a value. It may lag by moments.
	QueryIndex(context.Context, storage.EventIndexQuery) (storage.EventIndexPage, error)
}

// Serve appends the hit of a request with a site key. The response is 204 without a body if
// it was stored or the browser opted out.
func (c *Collector) Serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	return c.serve(ctx, r, noContent, func(*Hit) ([]string, *httpapi.Problem) {
		site, _ := r.Authorizer[access.ContextSite].(string)
		if site == "" {
			return nil, problemNoSite.New("the route needs its authorizer: send to the deployed API, with a site key")
		}
		return []string{site}, nil
	})
}

// ServeEvent appends the hit of a request to access.PathEvent, to each declared site that its domain names:
// several are separated by commas, and www. and capitals make no other site. The response is 202 if it was
// stored or the browser opted out.
func (c *Collector) ServeEvent(ctx context.Context, r *httpapi.Request) httpapi.Response {
	return c.serve(ctx, r, accepted, func(h *Hit) (all []string, _ *httpapi.Problem) {
		domain := cmp.Or(h.Domain, cutAddress(h.URL).host) // as Plausible does
		for name := range strings.SplitSeq(domain, ",") {
			named := func(domain string) bool { return bareHost(domain) == bareHost(strings.TrimSpace(name)) }
			if i := slices.IndexFunc(c.Domains, named); i < 0 {
				h.drop("domain", fmt.Sprintf("has %.64q, which is not one of collector.domains", name))
			} else if !slices.Contains(all, c.Domains[i]) {
				all = append(all, c.Domains[i])
			}
		}
		if len(all) == 0 {
			return nil, problemSite.New("domain %.64q: want one of collector.domains in tidemark.yaml; "+
				"or send to %s{siteKey}", domain, Prefix)
		}
		return all, nil
	})
}

// siteNames returns the sites of a hit, at least one.
type siteNames func(*Hit) ([]string, *httpapi.Problem)

// serve appends a hit to the sites that sites returns.
func (c *Collector) serve(
	ctx context.Context, r *httpapi.Request, stored httpapi.Response, sites siteNames,
) httpapi.Response {
	hit, senders, problem := c.decode(ctx, r, sites)
	if problem != nil {
		c.Rejected(r, problem)
		return withCORS(problem.Response())
	}
	kind := c.Events
	if hit.IsView() {
		kind = c.Views
	}
	why := c.Exclude.of(hit, senders[0])
	if c.HonourOptOut && optedOut(r) {
		why = ExcludedOptOut
	}
	if why != Included {
		c.Excluded(r, kind.Name, why)
		return withCORS(excluding(stored, why))
	}
	var observed []ingest.TypedObservation
	for _, sender := range senders {
		o, problem := c.observation(ctx, r, hit, sender)
		if problem != nil {
			c.Rejected(r, problem)
			return withCORS(problem.Response())
		}
		observed = append(observed, o)
	}
	results, err := c.Service.AppendEvents(ctx, kind, observed)
	for i := range results {
		results[i].NotStored = append(results[i].NotStored, hit.Dropped...)
	}
	c.Appended(r, kind.Name, results, err)
	switch {
	case err != nil:
		return withCORS(httpapi.ProblemInternal.New("the event was not stored").Response())
	case slices.ContainsFunc(results, notStored):
		return withCORS(httpapi.AppendResponse(results, false))
	}
	return withCORS(naming(stored, hit.Dropped))
}

func notStored(r model.AppendResult) bool {
	return r.Outcome == model.Rejected || r.Outcome == model.Unknown
}

// decode returns the hit, and what the request says about the browser, for each site of the hit.
func (c *Collector) decode(
	ctx context.Context, r *httpapi.Request, sites siteNames,
) (Hit, []Request, *httpapi.Problem) {
	if r.Method != http.MethodPost {
		return Hit{}, nil, httpapi.ProblemMethod.New("events of pages are sent by POST").With("Allow", "POST")
	}
	body, problem := r.Bytes(config.Limits{Body: maxBody, Decompressed: maxBody})
	if problem != nil {
		return Hit{}, nil, problem
	}
	hit, err := ParseHit(body)
	if err != nil {
		return Hit{}, nil, httpapi.ProblemBody.New("%v; nothing was stored", err)
	}
	hit.dropUnknownCurrency(c.Events)
	named, problem := sites(&hit)
	if problem != nil {
		return Hit{}, nil, problem
	}
	sender := c.origin(ctx, r)
	sender.UserAgent, sender.Languages = r.Header("User-Agent"), r.Header("Accept-Language")
	return hit, lists.Map(named, func(site string) Request {
		of := sender
		of.Site = site
		return of
	}), nil
}

// observation returns the hit as an observation of its kind.
func (c *Collector) observation(ctx context.Context, r *httpapi.Request, hit Hit,
	sender Request) (o ingest.TypedObservation, problem *httpapi.Problem) {
	arrived := c.Service.Now()
	secret, err := c.secret(ctx, r, hit, sender, arrived)
	if err != nil {
		c.Failed(r, err)
		return o, httpapi.ProblemUnavailable.New("the event was not stored; send it again").With("Retry-After",
			httpapi.RetryAfter)
	}
	o = ingest.TypedObservation{Subject: sender.Site, Stream: sender.Stream(), At: hit.Time(arrived), ID: hit.ID,
		Attrs: hit.Attrs(sender, secret)}
	if o.ID != "" {
		return o, nil
	}
	if o.ID, err = ids.Event(arrived, "", c.Service.Rand); err != nil {
		c.Failed(r, err)
		return o, httpapi.ProblemInternal.New("the event was not stored")
	}
	return o, nil
}

// optedOut reports whether the browser asks not to be tracked, by Global Privacy Control or
// the older Do Not Track.
func optedOut(r *httpapi.Request) bool {
	return strings.TrimSpace(r.Header("Sec-GPC")) == "1" || strings.TrimSpace(r.Header("DNT")) == "1"
}

// OriginHeader is the header in which a CloudFront distribution in front of the collector sends the secret of
// the stage. Anyone can send CloudFront's own headers to the API directly, so they say nothing without it.
const OriginHeader = "X-Tidemark-Origin"

// throughCloudFront reports whether the request came through the stage's own distribution.
func (c *Collector) throughCloudFront(ctx context.Context, r *httpapi.Request) bool {
	sent := []byte(r.Header(OriginHeader))
	if len(sent) == 0 {
		return false
	}
	return sentOne(sent, c.OriginSecrets.Texts(ctx)) ||
		c.OriginSecrets.Again(ctx) && sentOne(sent, c.OriginSecrets.Texts(ctx))
}

func sentOne(sent []byte, texts [][]byte) (ok bool) {
	for _, text := range texts {
		ok = subtle.ConstantTimeCompare(sent, text) == 1 || ok
	}
	return ok
}

// origin returns the browser's address, country and region: as CloudFront has added them, the address that a
// trusted proxy has added, or the address that the API saw.
func (c *Collector) origin(ctx context.Context, r *httpapi.Request) Request {
	if !c.throughCloudFront(ctx, r) {
		return Request{Address: canonical(r.SourceIP, r.SourceIP)}
	}
	if forwarded := r.Header("X-Forwarded-For"); c.Proxied && forwarded != "" {
		return Request{Address: canonical(beforeProxy(forwarded, r.SourceIP), r.SourceIP)}
	}
	sent := r.Header("CloudFront-Viewer-Address") // with a port, and an IPv6 address without brackets
	sent = strings.Trim(sent[:max(strings.LastIndexByte(sent, ':'), 0)], "[]")
	from := Request{Address: canonical(sent, r.SourceIP), Country: r.Header("CloudFront-Viewer-Country")}
	if c.Regions {
		from.Region = r.Header("CloudFront-Viewer-Country-Region")
	}
	return from
}

// beforeProxy returns the address from which a trusted proxy got a request: the last one that the proxy has
// added. A gateway adds the proxy's own behind it; the ones before it are whatever the browser sent.
func beforeProxy(forwarded, proxy string) string {
	all := strings.Split(forwarded, ",")
	last := strings.TrimSpace(all[len(all)-1])
	if len(all) > 1 && canonical(last, last) == canonical(proxy, proxy) {
		last = strings.TrimSpace(all[len(all)-2])
	}
	return last
}

// canonical returns the one form of an IP address, so that a visitor is counted once; other if it is none.
// Some proxies add the port of the connection. A zone names an interface of the proxy.
func canonical(address, other string) string {
	if withPort, err := netip.ParseAddrPort(address); err == nil {
		return withPort.Addr().Unmap().WithZone("").String()
	}
	if ip, err := netip.ParseAddr(strings.Trim(address, "[]")); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return other
}
