package main

import (
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxView is the longest body a page sends of itself, in bytes.
const maxView = 8 << 10

// problemSite is a request that no authorizer has let through. It is answered even
// where the API was put up without one: this door opens for a checked key alone.
var problemSite = envelope.ProblemType{URI: "/problems/no-site", Title: "The site key was not checked", Status: http.StatusForbidden}

// collector is the door for browsers. What it stores of a view names nobody, and what
// it logs does not either: no address, no user agent, no key.
type collector struct {
	kind   *catalog.Kind
	salts  *ingest.Salts
	honour bool // of browsers that ask not to be followed nothing is stored
}

// collect answers POST /v1/collect/{siteKey}: 204 and nothing else where the view was
// taken in, or is not wanted.
func (h *handler) collect(ctx context.Context, r *events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	draft, wanted, problem := h.view(ctx, r)
	switch {
	case problem != nil:
		return open(h.refuse(r, problem))
	case !wanted:
		return open(taken)
	}
	outcomes, err := h.service.AppendEvents(ctx, h.collector.kind, []ingest.Draft{draft})
	h.reporter.appended(envelope.Collect, r.RequestContext.RequestID, h.collector.kind.Name, outcomes, err)
	switch {
	case err != nil:
		return open(envelope.ProblemInternal.New("the view is not stored").Response())
	case outcomes[0].Verdict == model.Rejected, outcomes[0].Verdict == model.Unknown:
		return open(envelope.One(outcomes[0]))
	}
	return open(taken)
}

// view is what to append; wanted is false where the browser asks not to be followed.
func (h *handler) view(ctx context.Context, r *events.APIGatewayV2HTTPRequest) (draft ingest.Draft, wanted bool, problem *envelope.Problem) {
	from, problem := requestOf(r)
	switch {
	case problem != nil:
		return draft, false, problem
	case h.collector.honour && optedOut(r):
		return draft, false, nil
	}
	body, problem := envelope.Body(r, config.Limits{Body: maxView, Decompressed: maxView})
	if problem != nil {
		return draft, false, problem
	}
	view, err := web.ParseView(body)
	if err != nil {
		return draft, false, envelope.ProblemBody.New("%v; nothing was stored", err)
	}
	at := h.service.Now()
	salt, err := h.collector.salts.Of(ctx, at)
	if err != nil {
		return draft, false, envelope.ProblemUnavailable.New("%v", err).With("Retry-After", envelope.RetryAfter)
	}
	id, err := ingest.Mint(at, "", h.service.Rand)
	if err != nil {
		return draft, false, envelope.ProblemInternal.New("%v", err)
	}
	return ingest.Draft{Subject: from.Site, Stream: from.Stream(), At: at, ID: id, Attrs: view.Attrs(from, salt)}, true, nil
}

// requestOf is what the door knows of who sent r.
func requestOf(r *events.APIGatewayV2HTTPRequest) (web.Request, *envelope.Problem) {
	if method := r.RequestContext.HTTP.Method; method != http.MethodPost {
		return web.Request{}, envelope.ProblemMethod.New("views are sent by POST").With("Allow", "POST")
	}
	site := ""
	if a := r.RequestContext.Authorizer; a != nil {
		site, _ = a.Lambda[web.SiteContext].(string)
	}
	if site == "" {
		return web.Request{}, problemSite.New("the route needs its authorizer: send to the deployed API, with a site's key")
	}
	return web.Request{
		Site:      site,
		Address:   address(r),
		UserAgent: envelope.Header(r, "User-Agent"),
		Country:   envelope.Header(r, "CloudFront-Viewer-Country"),
	}, nil
}

// address is the browser's, which behind CloudFront a header says.
func address(r *events.APIGatewayV2HTTPRequest) string {
	if host, _, err := net.SplitHostPort(envelope.Header(r, "CloudFront-Viewer-Address")); err == nil {
		return host
	}
	return r.RequestContext.HTTP.SourceIP
}

// optedOut reports whether the browser asks not to be followed, by Global Privacy
// Control or by the older Do Not Track.
func optedOut(r *events.APIGatewayV2HTTPRequest) bool {
	return strings.TrimSpace(envelope.Header(r, "Sec-GPC")) == "1" || strings.TrimSpace(envelope.Header(r, "DNT")) == "1"
}

var taken = events.APIGatewayV2HTTPResponse{StatusCode: http.StatusNoContent}

// open lets a page of any origin read the answer: it says nothing that the page did not
// send, and no cookie goes either way.
func open(response events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	headers := map[string]string{"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
	for name, value := range response.Headers {
		headers[name] = value
	}
	response.Headers = headers
	return response
}
