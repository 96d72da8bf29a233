package main

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/collector"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/script"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/internal/source"
	"github.com/tidemark-db/tidemark/internal/source/receiver"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/internal/writekey"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// route is a path that is served in addition to those of the catalog: with a final slash, all
// paths that begin with it.
type route struct {
	path  string
	serve func(context.Context, *httpapi.Request) httpapi.Response
}

func (r route) matches(path string) bool {
	return path == r.path || strings.HasSuffix(r.path, "/") && strings.HasPrefix(path, r.path)
}

// collectorOf returns the collector of the events of pages, nil if the catalog lacks their kinds.
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
			Regions:      conf.Collector.Regions,
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

// receiverOf returns the receiver of points from senders of other databases.
func receiverOf(conf *config.Config, kinds *catalog.Catalog, service *ingest.Service, r *reporter) *receiver.Receiver {
	return &receiver.Receiver{
		Mapping: source.Mapping{Rows: conf.Sources, Catalog: kinds},
		Service: service,
		Limits:  conf.Limits,
		Appended: func(q *httpapi.Request, kind string, results []model.AppendResult, err error) {
			r.appended(envelope.Senders, q.ID, kind, results, err)
		},
		Rejected: func(q *httpapi.Request, p *httpapi.Problem) { r.rejected(envelope.Senders, q.ID, p) },
	}
}

// addedRoutes returns the routes of the domains, of AWS IoT, and of senders of other databases.
func (h *handler) addedRoutes(views *collector.Collector, senders *receiver.Receiver) (all []route) {
	all = []route{{envelope.PathMessages, h.things}, {envelope.PathThings, h.confirm}}
	if views != nil {
		all = append(all, route{collector.Prefix, views.Serve}, route{sitekey.PathEvent, views.ServeEvent}, route{script.PathPrefix, script.Serve})
	}
	for _, path := range writekey.Paths {
		serve := senders.Lines
		if path == writekey.PathMetrics {
			serve = senders.Metrics
		}
		all = append(all, route{path, serve})
	}
	return all
}
