package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/collector"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// route is a path prefix that a domain serves itself, in addition to the paths of the catalog.
type route struct {
	prefix string
	serve  func(context.Context, *httpapi.Request) httpapi.Response
}

// collectorOf returns the collector of the events of pages, nil if the catalog lacks their
// kinds.
func collectorOf(conf *config.Config, kinds *catalog.Catalog, service *ingest.Service, s ingest.RotatingSecretStore, r *reporter) *collector.Collector {
	views, hasViews := kinds.Kind(web.PageViews.Name)
	custom, hasEvents := kinds.Kind(web.CustomEvents.Name)
	if hasViews && hasEvents {
		return &collector.Collector{
			Views:        views,
			Events:       custom,
			Service:      service,
			Secrets:      &ingest.RotatingSecrets{Service: service, Store: s},
			HonourOptOut: conf.Collector.HonourOptOut,
			Domains:      conf.Collector.Domains,
			Appended: func(q *httpapi.Request, kind string, results []model.AppendResult, err error) {
				r.appended(envelope.Collect, q.ID, kind, results, err)
			},
			Rejected: func(q *httpapi.Request, p *httpapi.Problem) { r.rejected(envelope.Collect, q.ID, p) },
			Failed: func(q *httpapi.Request, err error) {
				r.log.Error("event of a page not stored", telemetry.FieldRequestID, q.ID, telemetry.FieldError, err.Error())
			},
		}
	}
	return nil
}

// domainRoutes returns the routes of the domains. A domain with routes of its own adds them
// here.
func domainRoutes(views *collector.Collector) (all []route) {
	if views != nil {
		all = append(all, route{collector.Prefix, views.Serve}, route{sitekey.PathEvent, views.ServeEvent})
	}
	return all
}
