package receiver

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// Serve responds to the requests of one route.
type Serve func(context.Context, *httpapi.Request) httpapi.Response

// Serves returns what serves each of access.WriteKeyPaths.
func (r *Receiver) Serves() map[string]Serve {
	return map[string]Serve{
		"/write":                        r.Lines,
		"/api/v2/write":                 r.Lines,
		"/api/v3/write_lp":              r.Lines,
		access.PathMetrics:              r.Metrics,
		access.PathRemoteWrite:          r.Samples,
		access.PathSources + "{source}": r.Messages,
	}
}
