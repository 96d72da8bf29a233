package main

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/envelope"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/telemetry"
)

// maxAnswer leaves room below what Lambda hands back, 6 MB.
const maxAnswer = 5 << 20

// Handler answers the read requests of the HTTP API. It is safe for concurrent use.
type Handler struct {
	Catalog *catalog.Catalog
	Query   *query.Service
	Life    *lifecycle.Service
	Purger  *lifecycle.Purger // asked how far a purge is, and no more
	Owner   string            // the claim that binds a caller to an owner; "" binds nobody
	Log     *slog.Logger
}

// Handle answers one request. A request that cannot be answered is a problem+json;
// the error is always nil, so that a caller's mistake is no failure of the function.
func (h *Handler) Handle(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	body, err := h.answer(ctx, &r)
	if err == nil {
		response := envelope.JSON(http.StatusOK, body)
		if len(response.Body) <= maxAnswer {
			return response, nil
		}
		err = problemAnswer.New("it would be %d bytes, at most %d: ask with a lower limit and go on with next", len(response.Body), maxAnswer)
	}
	problem := problemOf(err)
	if problem.Status >= http.StatusInternalServerError {
		h.Log.ErrorContext(ctx, "read failed", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err)
	}
	return problem.Response(), nil
}

func (h *Handler) answer(ctx context.Context, r *events.APIGatewayV2HTTPRequest) (any, error) {
	asked, err := find(h.Catalog, envelope.Path(r))
	if err != nil {
		return nil, err
	}
	if method := r.RequestContext.HTTP.Method; method != http.MethodGet {
		return nil, notAllowed(method)
	}
	if err := h.within(r, asked.series.Subject); err != nil {
		return nil, err
	}
	given, err := parseParams(r.RawQueryString, asked.route.params)
	if err != nil {
		return nil, err
	}
	asked.series.Stream = given.text("stream")
	return asked.route.answer(h, ctx, asked, given)
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

func (h *Handler) history(ctx context.Context, asked target, given params) (any, error) {
	p, err := given.paging(newestFirst)
	if err != nil {
		return nil, err
	}
	page, err := h.Query.History(ctx, query.History{
		Series: asked.series, From: p.from, To: p.to, Newest: p.newest,
		Limit: p.limit, Cursor: p.cursor, Consistent: p.consistent,
	})
	if err != nil {
		return nil, err
	}
	return viewHistory(page), nil
}

func (h *Handler) current(ctx context.Context, asked target, given params) (any, error) {
	consistent, err := given.consistent()
	if err != nil {
		return nil, err
	}
	current, err := h.Query.Current(ctx, asked.series, consistent)
	switch {
	case err != nil:
		return nil, err
	case current == nil:
		return nil, problemNothingYet.New("%s: is the id right, and the stream?", asked.series)
	}
	return viewCurrent(current), nil
}

func (h *Handler) rollups(ctx context.Context, asked target, given params) (any, error) {
	unit, err := asked.unit(asked.tier)
	if err != nil {
		return nil, err
	}
	p, err := given.paging(oldestFirst)
	if err != nil {
		return nil, err
	}
	if p.from, p.to, err = given.within(p.from, p.to, unit, h.Query.Now()); err != nil {
		return nil, err
	}
	page, err := h.Query.Rollups(ctx, query.Rollups{
		Series: asked.series, With: asked.with, Unit: unit, From: p.from, To: p.to, Newest: p.newest,
		Limit: p.limit, Cursor: p.cursor, Consistent: p.consistent,
	})
	if err != nil {
		return nil, err
	}
	return viewRollups(page), nil
}
