package main

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// handler answers whether a request's site key is one of this deployment's, and for
// which site. It is safe for concurrent use.
type handler struct {
	secrets [][]byte
	log     *slog.Logger
}

// handle answers a request authorizer of payload format 2.0 with a simple response.
// It never errs: a key that cannot be read is refused like one that is wrong. Neither
// the key nor who sent it is logged.
func (h *handler) handle(ctx context.Context, r events.APIGatewayV2CustomAuthorizerV2Request) (events.APIGatewayV2CustomAuthorizerSimpleResponse, error) {
	site, err := web.OpenSiteKey(r.PathParameters[web.KeyParameter], h.secrets...)
	if err != nil {
		h.log.InfoContext(ctx, "refused", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err)
		return events.APIGatewayV2CustomAuthorizerSimpleResponse{}, nil
	}
	return events.APIGatewayV2CustomAuthorizerSimpleResponse{
		IsAuthorized: true,
		Context:      map[string]any{web.SiteContext: site},
	}, nil
}
