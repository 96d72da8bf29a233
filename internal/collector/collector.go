// Package collector receives page views and custom events from browsers, at
// POST /v1/collect/{siteKey}, and at POST /api/event from Plausible's trackers. Function ingest
// serves its routes in addition to those of the catalog.
//
// It protects visitors: neither the stored events nor the logs contain an address, a user
// agent or a site key.
package collector

import (
	"context"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Prefix begins the path of every request with a site key.
const Prefix = sitekey.PathPrefix

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 8 << 10

// problemSite rejects a request without a site key that does not name a declared site.
var problemSite = httpapi.ProblemType{URI: "/problems/unknown-site", Title: "The site is not declared", Status: http.StatusForbidden}

// problemNoSite rejects a request that no authorizer has checked, even if the API was deployed without one.
var problemNoSite = httpapi.ProblemType{URI: "/problems/no-site", Title: "The site key was not checked", Status: http.StatusForbidden}

// Collector appends the events of pages. Its fields are set before the first call; it is safe for
// concurrent use.
type Collector struct {
	Views        *catalog.Kind
	Events       *catalog.Kind // custom events
	Service      *ingest.Service
	Secrets      *ingest.RotatingSecrets // of a day, for visitors' pseudonyms
	HonourOptOut bool                    // store nothing for browsers that send an opt-out signal
	Domains      []string                // that may send without a site key
	// OriginSecrets are the values of OriginHeader by which a trusted CloudFront distribution
	// is recognised; without any, no header says who the visitor is.
	OriginSecrets [][]byte
	Regions       bool                                // store regions of countries
	Failed        func(r *httpapi.Request, err error) // reports the cause of a failure, which no response names
	Appended      func(r *httpapi.Request, kind string, results []model.AppendResult, err error)
	Rejected      func(r *httpapi.Request, p *httpapi.Problem)
}

// Serve appends the hit of a request with a site key. The response is 204 without a body if
// it was stored or the browser opted out.
func (c *Collector) Serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	return c.serve(ctx, r, noContent, func(Hit) (string, *httpapi.Problem) {
		site, _ := r.Authorizer[sitekey.ContextSite].(string)
		if site == "" {
			return "", problemNoSite.New("the route needs its authorizer: send to the deployed API, with a site key")
		}
		return site, nil
	})
}

// ServeEvent appends the hit of a request to sitekey.PathEvent. The response is 202 if it was stored or
// the browser opted out.
func (c *Collector) ServeEvent(ctx context.Context, r *httpapi.Request) httpapi.Response {
	return c.serve(ctx, r, accepted, func(h Hit) (string, *httpapi.Problem) {
		if !slices.Contains(c.Domains, h.Domain) {
			return "", problemSite.New("domain must be one of collector.domains in tidemark.yaml; or send to %s{siteKey}", Prefix)
		}
		return h.Domain, nil
	})
}

// serve appends a hit of the site that siteOf returns.
func (c *Collector) serve(ctx context.Context, r *httpapi.Request, stored httpapi.Response, siteOf func(Hit) (string, *httpapi.Problem)) httpapi.Response {
	hit, sender, problem := c.decode(r, siteOf)
	switch {
	case problem != nil:
		c.Rejected(r, problem)
		return withCORS(problem.Response())
	case c.HonourOptOut && optedOut(r):
		return withCORS(stored)
	}
	observed, problem := c.observation(ctx, r, hit, sender)
	if problem != nil {
		c.Rejected(r, problem)
		return withCORS(problem.Response())
	}
	kind := c.Events
	if hit.IsView() {
		kind = c.Views
	}
	results, err := c.Service.AppendEvents(ctx, kind, []ingest.TypedObservation{observed})
	c.Appended(r, kind.Name, results, err)
	switch {
	case err != nil:
		return withCORS(httpapi.ProblemInternal.New("the event was not stored").Response())
	case results[0].Outcome == model.Rejected, results[0].Outcome == model.Unknown:
		return withCORS(httpapi.AppendResponse(results, false))
	}
	return withCORS(stored)
}

// decode returns the hit, and what the request says about the browser.
func (c *Collector) decode(r *httpapi.Request, siteOf func(Hit) (string, *httpapi.Problem)) (Hit, Request, *httpapi.Problem) {
	if r.Method != http.MethodPost {
		return Hit{}, Request{}, httpapi.ProblemMethod.New("events of pages are sent by POST").With("Allow", "POST")
	}
	body, problem := r.Bytes(config.Limits{Body: maxBody, Decompressed: maxBody})
	if problem != nil {
		return Hit{}, Request{}, problem
	}
	hit, err := ParseHit(body)
	if err != nil {
		return Hit{}, Request{}, httpapi.ProblemBody.New("%v; nothing was stored", err)
	}
	site, problem := siteOf(hit)
	if problem != nil {
		return Hit{}, Request{}, problem
	}
	sender := c.origin(r)
	sender.Site, sender.UserAgent, sender.Languages = site, r.Header("User-Agent"), r.Header("Accept-Language")
	return hit, sender, nil
}

// observation returns the hit as an observation of its kind.
func (c *Collector) observation(ctx context.Context, r *httpapi.Request, hit Hit, sender Request) (o ingest.TypedObservation, problem *httpapi.Problem) {
	arrived := c.Service.Now()
	secret, err := c.Secrets.At(ctx, arrived)
	if err != nil {
		c.Failed(r, err)
		return o, httpapi.ProblemUnavailable.New("the event was not stored; send it again").With("Retry-After", httpapi.RetryAfter)
	}
	o = ingest.TypedObservation{Subject: sender.Site, Stream: sender.Stream(), At: hit.Time(arrived), ID: hit.ID, Attrs: hit.Attrs(sender, secret)}
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

var (
	noContent = httpapi.Response{Status: http.StatusNoContent}
	accepted  = httpapi.Response{Status: http.StatusAccepted, Headers: map[string]string{"Content-Type": "text/plain"}, Body: "ok"}
)

// withCORS allows pages of any origin to read the response. It contains nothing that the page
// did not send, and no cookies are used.
func withCORS(response httpapi.Response) httpapi.Response {
	headers := map[string]string{"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
	maps.Copy(headers, response.Headers)
	response.Headers = headers
	return response
}

// OriginHeader is the header in which a CloudFront distribution in front of the collector sends the secret of
// the stage. Anyone can send CloudFront's own headers to the API directly, so they say nothing without it.
const OriginHeader = "X-Tidemark-Origin"

// throughCloudFront reports whether the request came through the stage's own distribution.
func (c *Collector) throughCloudFront(r *httpapi.Request) bool {
	sent, ok := []byte(r.Header(OriginHeader)), false
	for _, secret := range c.OriginSecrets {
		ok = subtle.ConstantTimeCompare(sent, secret) == 1 || ok
	}
	return ok
}

// origin returns the browser's address, country and region: those that CloudFront has added, or
// the address that the API saw alone.
func (c *Collector) origin(r *httpapi.Request) Request {
	if !c.throughCloudFront(r) {
		return Request{Address: canonical(r.SourceIP, r.SourceIP)}
	}
	sent := r.Header("CloudFront-Viewer-Address") // with a port, and an IPv6 address without brackets
	sent = strings.Trim(sent[:max(strings.LastIndexByte(sent, ':'), 0)], "[]")
	from := Request{Address: canonical(sent, r.SourceIP), Country: r.Header("CloudFront-Viewer-Country")}
	if c.Regions {
		from.Region = r.Header("CloudFront-Viewer-Country-Region")
	}
	return from
}

// canonical returns the one form of an IP address, so that a visitor is counted once; other if it is none.
func canonical(address, other string) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		return ip.Unmap().String()
	}
	return other
}
