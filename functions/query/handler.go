package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Handler serves the read requests of the HTTP API. It is safe for concurrent use.
type Handler struct {
	Catalog    *catalog.Catalog
	Query      *query.Service
	Buckets    *verify.BucketVerifier // reads rows as they are stored
	CursorKeys *secret.Source         // nil leaves Query as it is
	Subjects   *lifecycle.Service
	Purger     *lifecycle.Purger                             // only to read the state of a purge
	Alerts     *alert.Service                                // only to read alerts and rules
	OwnerClaim string                                        // see httpapi.Request.Owner
	Progress   func(context.Context) (query.Progress, error) // of the table, see query.TableProgress
	Limits     config.Limits                                 // of the body of a query of a website
	Log        *slog.Logger
	API        func() (json.RawMessage, error) // the OpenAPI description; made by the first call
}

// Handle serves one request of any HTTP gateway. A failed request is a problem response;
// the error is for a payload that is no HTTP request.
func (h *Handler) Handle(ctx context.Context, payload json.RawMessage) (any, error) {
	r, encode, err := httpevent.Decode(payload)
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
	problem := newProblem(err)
	if isStats(r.Path) {
		problem.Message = problem.Detail
	}
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
	result, err := h.withCursorKeys(ctx).read(ctx, r)
	if errors.Is(err, query.ErrCursor) && h.CursorKeys.Again(ctx) {
		result, err = h.withCursorKeys(ctx).read(ctx, r)
	}
	if err != nil {
		return httpapi.Response{}, err
	}
	c := asCacheable(result)
	response, err := httpapi.ReadResponse(r, c.value, c.maxAge)
	if err != nil {
		return response, err
	}
	if c.zone != "" {
		response.Headers[headerZone] = c.zone
	}
	if c.hideCost {
		return response, nil
	}
	cost := meter.Cost()
	response.Headers[headerUnits] = strconv.FormatFloat(cost.Units, 'f', -1, 64)
	response.Headers[headerItems] = strconv.Itoa(cost.Items)
	response.Headers[headerRequests] = strconv.Itoa(cost.Requests)
	return response, nil
}

// withCursorKeys returns the handler with the keys that sign and verify cursors now.
func (h *Handler) withCursorKeys(ctx context.Context) *Handler {
	keys := h.CursorKeys.Texts(ctx)
	if len(keys) == 0 {
		return h
	}
	current, service := *h, *h.Query
	service.CursorKey, service.OlderKeys = keys[0], keys[1:]
	current.Query = &service
	return &current
}

// read performs the operation that the request names and returns its result.
func (h *Handler) read(ctx context.Context, r *httpapi.Request) (any, error) {
	switch {
	case r.Path == access.PathStats && r.Route.Allows("POST", access.PathStats):
		return h.stats(ctx, r)
	case strings.HasPrefix(r.Path, access.PathReports) && r.Route.Allows("GET", access.ReportRoute):
		return h.report(ctx, r)
	}
	path, key := r.Path, r.Route
	rest, shared := strings.CutPrefix(path, access.LinkPathPrefix+"/")
	if shared = shared && key.Allows("GET", access.LinkRoute); shared {
		path, key = "/"+rest, ""
	}
	res, err := parseResource(h.Catalog, key, path)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodGet {
		return nil, methodNotAllowed(r.Method)
	}
	args, err := parseParams(r.RawQuery, findOperation(res.Action).Parameters)
	if err != nil {
		return nil, err
	}
	subjects := append([]string{res.series.Subject}, args.all("with")...)
	if res.owner, err = h.checkCaller(r, res, args, subjects, shared); err != nil {
		return nil, err
	}
	result, err := h.perform(ctx, res, args)
	switch {
	case err != nil:
		return nil, err
	case shared:
		return h.withoutPseudonyms(res, result), nil
	case res.owner != (httpapi.Owner{}) && res.Action.Access().Owner == httpapi.OwnerList:
		c := asCacheable(result)
		c.hideCost = true
		return c, nil
	}
	return result, nil
}

// checkCaller returns the owner that the caller is bound to, or a problem if the caller, or the caller's
// link, may not perform the operation on the subjects.
func (h *Handler) checkCaller(
	r *httpapi.Request, res resource, args params, subjects []string, shared bool,
) (httpapi.Owner, error) {
	if shared {
		return httpapi.Owner{}, h.checkLink(r, res, args, subjects)
	}
	owner, foreign := r.CheckOwner(h.OwnerClaim, res.Action.Access().Owner, subjects...)
	if foreign != nil {
		return owner, foreign
	}
	return owner, nil
}

// perform performs an operation that the caller may perform.
func (h *Handler) perform(ctx context.Context, res resource, args params) (_ any, err error) {
	res.series.Stream = args.text("stream")
	if !slices.Contains(findOperation(res.Action).Parameters, "zone") {
		return reads[res.Action](h, ctx, res, args)
	}
	if args.zone, err = h.findZone(ctx, res, args); err != nil {
		return nil, err
	}
	result, err := reads[res.Action](h, ctx, res, args)
	c := asCacheable(result)
	c.zone = args.zone.String()
	return c, err
}
