package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Handler answers the read requests of the HTTP API. It is safe for concurrent use.
type Handler struct {
	Catalog *catalog.Catalog
	Query   *query.Service
	Life    *lifecycle.Service
	Purger  *lifecycle.Purger // asked how far a purge is, and no more
	Alerts  *alert.Service    // asked for alerts and rules, and no more
	Owner   string            // the claim that binds a caller to an owner; "" binds nobody
	Log     *slog.Logger
	// API is the description of the API, made when it is first asked for.
	API func() (json.RawMessage, error)
}

// Handle answers one request. A request that cannot be answered is a problem+json;
// the error is always nil, so that a caller's mistake is no failure of the function.
func (h *Handler) Handle(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	response, err := h.respond(ctx, &r)
	if err == nil {
		return response, nil
	}
	problem := problemOf(err)
	if problem.Status >= http.StatusInternalServerError {
		h.Log.ErrorContext(ctx, "read failed", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err)
	}
	return problem.Response(), nil
}

// The headers that say what a read cost: read units, items read, those that nobody is
// shown included, and requests to the table.
const (
	headerUnits    = "Tidemark-Read-Units"
	headerItems    = "Tidemark-Items"
	headerRequests = "Tidemark-Requests"
)

func (h *Handler) respond(ctx context.Context, r *events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	ctx, meter := model.Metered(ctx)
	view, err := h.answer(ctx, r)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	fresh := envelope.Changing
	if k, ok := view.(kept); ok {
		view, fresh = k.view, k.fresh
	}
	response, err := envelope.Respond(r, view, fresh)
	if err != nil {
		return response, err
	}
	cost := meter.Cost()
	response.Headers[headerUnits] = strconv.FormatFloat(cost.Units, 'f', -1, 64)
	response.Headers[headerItems] = strconv.Itoa(cost.Items)
	response.Headers[headerRequests] = strconv.Itoa(cost.Requests)
	return response, nil
}

func (h *Handler) answer(ctx context.Context, r *events.APIGatewayV2HTTPRequest) (any, error) {
	asked, err := find(h.Catalog, envelope.Path(r))
	if err != nil {
		return nil, err
	}
	if method := r.RequestContext.HTTP.Method; method != http.MethodGet {
		return nil, notAllowed(method)
	}
	does := reads[asked.action]
	given, err := parseParams(r.RawQueryString, does.params)
	if err != nil {
		return nil, err
	}
	if asked.series.Kind != nil {
		for _, subject := range append([]string{asked.series.Subject}, given.all("with")...) {
			if err := h.within(r, subject); err != nil {
				return nil, err
			}
		}
	}
	asked.series.Stream = given.text("stream")
	return does.answer(h, ctx, asked, given)
}

// within refuses a caller that is bound to an owner the subjects of others.
func (h *Handler) within(r *events.APIGatewayV2HTTPRequest, subject string) error {
	owner, problem := envelope.OwnerOf(r, h.Owner)
	switch {
	case problem != nil:
		return problem
	case !owner.Owns(subject):
		return envelope.ProblemForeign.New(owner.Refusal(subject))
	}
	return nil
}
