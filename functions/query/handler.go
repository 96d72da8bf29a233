package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/stats"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Handler serves the read requests of the HTTP API. It is safe for concurrent use.
type Handler struct {
	Catalog    *catalog.Catalog
	Query      *query.Service
	Subjects   *lifecycle.Service
	Purger     *lifecycle.Purger                         // only to read the state of a purge
	Alerts     *alert.Service                            // only to read alerts and rules
	OwnerClaim string                                    // see httpapi.Request.Owner
	Through    func(context.Context) (model.Time, error) // see aggregate.CompleteThrough
	Limits     config.Limits                             // of the body of a query of a website
	Log        *slog.Logger
	API        func() (json.RawMessage, error) // the OpenAPI description; made by the first call
}

// Handle serves one request of any HTTP gateway. A failed request is a problem response;
// the error is for a payload that is no HTTP request.
func (h *Handler) Handle(ctx context.Context, payload json.RawMessage) (any, error) {
	r, encode, err := envelope.DecodeHTTP(payload)
	if err != nil {
		return nil, err
	}
	return encode(h.serve(ctx, r)), nil
}

func (h *Handler) serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	response, err := h.respond(ctx, r)
	if err == nil {
		return response
	}
	problem := problemOf(err)
	if problem.Status >= http.StatusInternalServerError {
		h.Log.ErrorContext(ctx, "read failed", telemetry.FieldRequestID, r.ID, telemetry.FieldError, err)
	}
	return problem.Response()
}

// The headers that state the cost of a read: read units, items read (including those
// that were filtered out) and requests to the table.
const (
	headerUnits    = "Tidemark-Read-Units"
	headerItems    = "Tidemark-Items"
	headerRequests = "Tidemark-Requests"
)

// headerZone is the header that states the time zone of days, and of dates in parameters.
const headerZone = "Tidemark-Zone"

func (h *Handler) respond(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
	ctx, meter := model.WithReadMeter(ctx)
	result, err := h.read(ctx, r)
	if err != nil {
		return httpapi.Response{}, err
	}
	c, ok := result.(cacheable)
	if !ok {
		c.value = result
	}
	response, err := httpapi.ReadResponse(r, c.value, c.maxAge)
	if err != nil {
		return response, err
	}
	if c.zone != "" {
		response.Headers[headerZone] = c.zone
	}
	cost := meter.Cost()
	response.Headers[headerUnits] = strconv.FormatFloat(cost.Units, 'f', -1, 64)
	response.Headers[headerItems] = strconv.Itoa(cost.Items)
	response.Headers[headerRequests] = strconv.Itoa(cost.Requests)
	return response, nil
}

// read performs the operation that the request names and returns its result.
func (h *Handler) read(ctx context.Context, r *httpapi.Request) (any, error) {
	if r.Path == httpapi.PathStats {
		return h.stats(ctx, r)
	}
	path, shared := strings.CutPrefix(r.Path, sharelink.PathPrefix+"/")
	if shared {
		path = "/" + path
	}
	res, err := resourceOf(h.Catalog, path)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodGet {
		return nil, methodNotAllowed(r.Method)
	}
	args, err := parseParams(r.RawQuery, operationOf(res.Action).Parameters)
	if err != nil {
		return nil, err
	}
	switch subjects := append([]string{res.series.Subject}, args.all("with")...); {
	case shared:
		err = checkLink(r, res, subjects)
	case res.series.Kind != nil:
		err = h.checkOwner(r, subjects)
	}
	if err != nil {
		return nil, err
	}
	res.series.Stream = args.text("stream")
	if !slices.Contains(operationOf(res.Action).Parameters, "zone") {
		return reads[res.Action](h, ctx, res, args)
	}
	if args.zone, err = h.zoneOf(ctx, res, args); err != nil {
		return nil, err
	}
	result, err := reads[res.Action](h, ctx, res, args)
	c, ok := result.(cacheable)
	if !ok {
		c.value = result
	}
	c.zone = args.zone.String()
	return c, err
}

// stats performs a query of a website.
func (h *Handler) stats(ctx context.Context, r *httpapi.Request) (any, error) {
	if r.Method != http.MethodPost {
		return nil, httpapi.ProblemMethod.New("%.16s: use POST, with the query as the body", r.Method).With("Allow", "POST")
	}
	body, problem := r.Bytes(h.Limits)
	if problem != nil {
		return nil, problem
	}
	q, err := stats.Decode(body)
	if err == nil {
		err = h.checkOwner(r, []string{q.Site})
	}
	if err != nil {
		return nil, err
	}
	return stats.Serve(ctx, h.Query, h.Catalog, q)
}

// checkLink returns a problem unless the caller's link shows the resource and all subjects. Of the
// service itself, it shows the description of the API.
func checkLink(r *httpapi.Request, res resource, subjects []string) error {
	if res.Action == httpapi.ReadAPI {
		subjects = nil
	}
	named := lists.Map(subjects, func(id string) string {
		if res.series.Kind == nil {
			return "" // health and release
		}
		return res.series.Kind.Subject.Path + "/" + id
	})
	if err := sharelink.Allows(r.Authorizer, named...); err != nil {
		return httpapi.ProblemForeign.New("%v", err)
	}
	return nil
}

// checkOwner returns a problem if the caller is bound to an owner that does not own all subjects.
func (h *Handler) checkOwner(r *httpapi.Request, subjects []string) error {
	owner, problem := r.Owner(h.OwnerClaim)
	if problem != nil {
		return problem
	}
	for _, subject := range subjects {
		if !owner.Owns(subject) {
			return httpapi.ProblemForeign.New("%s", owner.ForeignDetail(subject))
		}
	}
	return nil
}
