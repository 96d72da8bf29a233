// Package collector receives page views from browsers, at POST /v1/collect/{siteKey}. Function
// ingest serves its route in addition to those of the catalog.
//
// It protects visitors: neither the stored events nor the logs contain an address, a user
// agent or a site key.
package collector

import (
	"context"
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Prefix begins the path of every request to the collector.
const Prefix = sitekey.PathPrefix

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 8 << 10

// problemNoSite rejects a request that no authorizer has checked, even if the API was
// deployed without one.
var problemNoSite = httpapi.ProblemType{URI: "/problems/no-site", Title: "The site key was not checked", Status: http.StatusForbidden}

// Collector appends page views. Its fields are set before the first call; it is safe for
// concurrent use.
type Collector struct {
	Kind         *catalog.Kind // of page views
	Service      *ingest.Service
	Secrets      *ingest.RotatingSecrets // of a day, for visitors' pseudonyms
	HonourOptOut bool                    // store nothing for browsers that send an opt-out signal
	// OriginSecrets are the values of OriginHeader by which a trusted CloudFront distribution
	// is recognised; without any, no header says who the visitor is.
	OriginSecrets [][]byte
	Failed        func(r *httpapi.Request, err error) // reports the cause of a failure, which no response names
	Appended      func(r *httpapi.Request, kind string, results []model.AppendResult, err error)
	Rejected      func(r *httpapi.Request, p *httpapi.Problem)
}

// KindOf returns the kind of page views in a catalog. It is nil if the catalog has none.
func KindOf(c *catalog.Catalog) *catalog.Kind {
	kind, _ := c.Kind(web.PageViews.Name)
	return kind
}

// Serve appends one page view. The response is 204 without a body if the view was stored or
// the browser opted out.
func (c *Collector) Serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	view, wanted, problem := c.decode(ctx, r)
	switch {
	case problem != nil:
		c.Rejected(r, problem)
		return withCORS(problem.Response())
	case !wanted:
		return withCORS(noContent)
	}
	results, err := c.Service.AppendEvents(ctx, c.Kind, []ingest.TypedObservation{view})
	c.Appended(r, c.Kind.Name, results, err)
	switch {
	case err != nil:
		return withCORS(httpapi.ProblemInternal.New("the page view was not stored").Response())
	case results[0].Outcome == model.Rejected, results[0].Outcome == model.Unknown:
		return withCORS(httpapi.AppendResponse(results, false))
	}
	return withCORS(noContent)
}

// decode returns the observation to append. wanted is false if the browser opted out.
func (c *Collector) decode(ctx context.Context, r *httpapi.Request) (view ingest.TypedObservation, wanted bool, problem *httpapi.Problem) {
	sender, problem := c.senderOf(r)
	switch {
	case problem != nil:
		return view, false, problem
	case c.HonourOptOut && optedOut(r):
		return view, false, nil
	}
	body, problem := r.Bytes(config.Limits{Body: maxBody, Decompressed: maxBody})
	if problem != nil {
		return view, false, problem
	}
	page, err := ParseView(body)
	if err != nil {
		return view, false, httpapi.ProblemBody.New("%v; nothing was stored", err)
	}
	at := c.Service.Now()
	secret, err := c.Secrets.At(ctx, at)
	if err != nil {
		c.Failed(r, err)
		return view, false, httpapi.ProblemUnavailable.New("the page view was not stored; send it again").With("Retry-After", httpapi.RetryAfter)
	}
	id, err := ids.Event(at, "", c.Service.Rand)
	if err != nil {
		c.Failed(r, err)
		return view, false, httpapi.ProblemInternal.New("the page view was not stored")
	}
	return ingest.TypedObservation{Subject: sender.Site, Stream: sender.Stream(), At: at, ID: id, Attrs: page.Attrs(sender, secret)}, true, nil
}

// senderOf returns the site, which the authorizer checked, and what the request says about
// the browser.
func (c *Collector) senderOf(r *httpapi.Request) (Request, *httpapi.Problem) {
	if r.Method != http.MethodPost {
		return Request{}, httpapi.ProblemMethod.New("page views are sent by POST").With("Allow", "POST")
	}
	site, _ := r.Authorizer[sitekey.ContextSite].(string)
	if site == "" {
		return Request{}, problemNoSite.New("the route needs its authorizer: send to the deployed API, with a site key")
	}
	address, country := c.origin(r)
	return Request{Site: site, Address: address, UserAgent: r.Header("User-Agent"), Country: country}, nil
}

// optedOut reports whether the browser asks not to be tracked, by Global Privacy Control or
// the older Do Not Track.
func optedOut(r *httpapi.Request) bool {
	return strings.TrimSpace(r.Header("Sec-GPC")) == "1" || strings.TrimSpace(r.Header("DNT")) == "1"
}

var noContent = httpapi.Response{Status: http.StatusNoContent}

// withCORS allows pages of any origin to read the response. It contains nothing that the page
// did not send, and no cookies are used.
func withCORS(response httpapi.Response) httpapi.Response {
	headers := map[string]string{"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
	for name, value := range response.Headers {
		headers[name] = value
	}
	response.Headers = headers
	return response
}
