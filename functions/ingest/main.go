// Command ingest is the Lambda function that appends observations: from POST /v1/{kinds},
// AWS IoT rules, SQS and Kinesis.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

func main() { startup.Serve(os.Stdout, wire, func(h *handler) any { return h.handle }) }

// headroom is kept free before the invocation's deadline, for the response.
const headroom = 500 * time.Millisecond

// store is the part of the table that the function needs.
type store interface {
	ingest.Store
	ingest.QuarantineStore
	ingest.RotatingSecretStore
	collector.IndexReader
	ingest.PurgeLocks
	queue.Store
}

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	e, err := startup.Open(ctx, getenv)
	if err != nil {
		return nil, err
	}
	h, err := newHandler(e.Settings, e.Table, newReporter(log, e.Metrics, e.Function, e.Units))
	if err != nil {
		return nil, err
	}
	if err := tableconfig.Load(ctx, e.Table, h.appends.Catalog, h.service.Now()); err != nil {
		return nil, err
	}
	h.tracer, h.appends.OwnerClaim = e.Tracer, getenv(config.EnvOwnerClaim)
	if h.collector != nil {
		load := func(ctx context.Context) ([][]byte, error) {
			return originSecrets(ctx, e.Settings, getenv, secret.Read)
		}
		h.collector.OriginSecrets, err = secret.Open(ctx, load, startup.Clock)
	}
	return h, err
}

func newHandler(conf *config.Config, s store, r *reporter) (*handler, error) {
	kinds, err := conf.Catalog()
	if err != nil {
		return nil, err
	}
	service := &ingest.Service{
		Store:               s,
		QuarantineStore:     s,
		Limits:              conf.Limits,
		Now:                 startup.Now,
		Rand:                rand.Reader,
		Headroom:            headroom,
		OnRetry:             r.retried,
		QuarantineRetention: conf.Quarantine.Retention,
		PurgeLocks:          s,
		PurgeLockMaxAge:     conf.Functions.Ingest.Timeout,
		Queue:               queue.NewWriter(s, kinds),
		OnUnqueued:          ingest.LogUnqueued(r.log, r.count),
	}
	exclude, err := collector.NewExclusions(conf.Collector.Exclude)
	if err != nil {
		return nil, err
	}
	views := configuredCollector(conf, kinds, service, s, r)
	if views != nil {
		views.Exclude = exclude
	}
	h := &handler{
		service:     service,
		collector:   views,
		appends:     httpapi.AppendOptions{Catalog: kinds, Limits: conf.Limits},
		defaultKind: iot.Readings.Name,
		client:      &http.Client{Timeout: confirmWithin},
		reporter:    r,
	}
	senders := configuredReceiver(conf, kinds, service, r)
	h.mapping = &senders.Mapping
	h.routes = h.addedRoutes(views, senders)
	return h, nil
}
