package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/collector"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// route is a path prefix that a domain serves itself, in addition to the paths of the catalog.
type route struct {
	prefix string
	serve  func(context.Context, *httpapi.Request) httpapi.Response
}

// domainRoutes returns the routes of the domains whose kinds are in the catalog. A domain
// with routes of its own adds them here.
func domainRoutes(conf *config.Config, kinds *catalog.Catalog, service *ingest.Service, s ingest.RotatingSecretStore, r *reporter) (all []route) {
	if views := collector.KindOf(kinds); views != nil {
		c := &collector.Collector{
			Kind:         views,
			Service:      service,
			Secrets:      &ingest.RotatingSecrets{Service: service, Store: s},
			HonourOptOut: conf.Collector.HonourOptOut,
			Appended: func(q *httpapi.Request, kind string, results []model.AppendResult, err error) {
				r.appended(envelope.Collect, q.ID, kind, results, err)
			},
			Rejected: func(q *httpapi.Request, p *httpapi.Problem) { r.rejected(envelope.Collect, q.ID, p) },
		}
		all = append(all, route{collector.Prefix, c.Serve})
	}
	return all
}
