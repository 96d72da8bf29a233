package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// handler checks the keys of callers without other credentials: site keys in the path, and write keys, read
// keys and tokens of shared links in the header Authorization. It is safe for concurrent use.
type handler struct {
	secrets *secret.Source      // that may have signed a site key or a shared link
	keys    access.APIKeyReader // of write keys
	now     func() model.Time
	local   bool // requests that do not have the token of a write key are authorized too
	log     *slog.Logger
}

type (
	request  = events.APIGatewayV2CustomAuthorizerV2Request
	response = events.APIGatewayV2CustomAuthorizerSimpleResponse
)

// handle authorizes a request if its key is valid, and passes on what the key allows. It uses payload format
// 2.0 with simple responses. An unreadable key is rejected like a wrong one. An error is a failed read of
// the table; the sender then repeats the request. Neither the key nor the sender is logged.
func (h *handler) handle(ctx context.Context, r request) (response, error) {
	allowed, err := h.check(ctx, &r)
	switch {
	case errors.Is(err, access.ErrInvalidSiteKey), errors.Is(err, access.ErrInvalidAPIKey),
		errors.Is(err, access.ErrInvalidLink):
		h.log.InfoContext(ctx, "request rejected", telemetry.FieldRequestID, r.RequestContext.RequestID,
			telemetry.FieldError, err)
		return response{}, nil
	case err != nil:
		h.log.ErrorContext(ctx, "key not checked", telemetry.FieldRequestID, r.RequestContext.RequestID,
			telemetry.FieldError, err)
		return response{}, errNotChecked
	}
	return response{IsAuthorized: true, Context: allowed}, nil
}

var errNotChecked = errors.New("the key was not checked: the table did not respond")

// check returns what the key of a request allows, as the context of an authorizer. A signature that is
// refused is checked again if the secret has other texts by now.
func (h *handler) check(ctx context.Context, r *request) (map[string]any, error) {
	allowed, err := h.checkBy(ctx, r, h.secrets.Texts(ctx))
	forged := errors.Is(err, access.ErrInvalidSiteKey) || errors.Is(err, access.ErrInvalidLink)
	if forged && h.secrets.Again(ctx) {
		return h.checkBy(ctx, r, h.secrets.Texts(ctx))
	}
	return allowed, err
}

func (h *handler) checkBy(ctx context.Context, r *request, secrets [][]byte) (map[string]any, error) {
	route := httpapi.ParseRouteKey(r.RouteKey)
	if key, ok := r.PathParameters[access.SiteKeyPathParam]; ok && route.Allows("POST", access.SiteKeyRoute) {
		site, err := access.OpenSiteKey(key, secrets...)
		return map[string]any{access.ContextSite: site}, err
	}
	token := access.Token(r.Headers["authorization"])
	path := httpevent.WithoutStage(r.RawPath, r.RequestContext.Stage)
	allows := func(method, pattern string) bool { return route.AllowsPath(method, pattern, path) }
	if allows("GET", access.LinkRoute) {
		return access.CheckLink(token, h.now().Time(), secrets...)
	}
	if access.UsesReadKey(allows) {
		return h.checkReader(ctx, token)
	}
	if !access.UsesWriteKey(allows) {
		return nil, access.ErrInvalidAPIKey
	}
	if h.local && !access.IsAPIKey(token) {
		return access.Scope{Key: "local"}.Context(), nil
	}
	scope, err := access.CheckWriteKey(ctx, h.keys, token, h.now())
	return scope.Context(), err
}

// checkReader returns what a read key allows. A local stack shows every site without one.
func (h *handler) checkReader(ctx context.Context, token string) (map[string]any, error) {
	if h.local && !access.IsAPIKey(token) {
		return nil, nil
	}
	scope, err := access.CheckReadKey(ctx, h.keys, token, h.now())
	if err != nil {
		return nil, err
	}
	return scope.Context(), nil
}
