package main

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// handler checks site keys. It is safe for concurrent use.
type handler struct {
	secrets [][]byte // that may have signed a key
	log     *slog.Logger
}

// handle authorizes a request if its site key has a valid signature, and passes the site on. It
// uses payload format 2.0 with simple responses. The error is always nil: an unreadable key
// is rejected like a wrong one. Neither the key nor the sender is logged.
func (h *handler) handle(ctx context.Context, r events.APIGatewayV2CustomAuthorizerV2Request) (events.APIGatewayV2CustomAuthorizerSimpleResponse, error) {
	site, err := sitekey.Open(r.PathParameters[sitekey.PathParam], h.secrets...)
	if err != nil {
		h.log.InfoContext(ctx, "request rejected", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err)
		return events.APIGatewayV2CustomAuthorizerSimpleResponse{}, nil
	}
	return events.APIGatewayV2CustomAuthorizerSimpleResponse{
		IsAuthorized: true,
		Context:      map[string]any{sitekey.ContextSite: site},
	}, nil
}
