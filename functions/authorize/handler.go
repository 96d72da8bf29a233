package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/internal/writekey"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// handler checks the keys of callers without other credentials: site keys in the path, and write
// keys and tokens of shared links in the header Authorization. It is safe for concurrent use.
type handler struct {
	secrets [][]byte        // that may have signed a site key or a shared link
	keys    writekey.Reader // of write keys
	now     func() model.Time
	local   bool // requests that do not have the token of a write key are authorized too
	log     *slog.Logger
}

type (
	request  = events.APIGatewayV2CustomAuthorizerV2Request
	response = events.APIGatewayV2CustomAuthorizerSimpleResponse
)

// handle authorizes a request if its key is valid, and passes on what the key allows. It uses payload format
// 2.0 with simple responses. An unreadable key is rejected like a wrong one; the error is that of the table,
// after which a sender repeats the request. Neither the key nor the sender is logged.
func (h *handler) handle(ctx context.Context, r request) (response, error) {
	allowed, err := h.check(ctx, &r)
	switch {
	case errors.Is(err, sitekey.ErrInvalid), errors.Is(err, writekey.ErrInvalid), errors.Is(err, sharelink.ErrInvalid):
		h.log.InfoContext(ctx, "request rejected", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err)
		return response{}, nil
	case err != nil:
		h.log.ErrorContext(ctx, "key not checked", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err)
		return response{}, errNotChecked
	}
	return response{IsAuthorized: true, Context: allowed}, nil
}

var errNotChecked = errors.New("the key was not checked: the table did not respond")

// check returns what the key of a request allows, as the context of an authorizer.
func (h *handler) check(ctx context.Context, r *request) (map[string]any, error) {
	if key, ok := r.PathParameters[sitekey.PathParam]; ok {
		site, err := sitekey.Open(key, h.secrets...)
		return map[string]any{sitekey.ContextSite: site}, err
	}
	token := writekey.TokenOf(r.Headers["authorization"])
	if strings.HasPrefix(r.RawPath, sharelink.PathPrefix+"/") {
		return sharelink.Check(token, h.now().Time(), h.secrets...)
	}
	if h.local && !writekey.IsToken(token) {
		return writekey.Scope{Key: "local"}.Context(), nil
	}
	scope, err := writekey.Check(ctx, h.keys, token, h.now())
	return scope.Context(), err
}
