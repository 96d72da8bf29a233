package main

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/internal/senders/receiver"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/internal/web/script"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// route is served in addition to the catalog's routes.
type route struct {
	method string
	path   string // a parameter at its end stands for all that follows
	serve  func(context.Context, *httpapi.Request) httpapi.Response
}

// serves reports whether a request is for the route: the gateway has authorized it as such, and has its path.
func (r route) serves(q *httpapi.Request) bool {
	before, _, several := strings.Cut(r.path, "{")
	named := q.Path == r.path || several && strings.HasPrefix(q.Path, before)
	return named && q.Route.Allows(r.method, r.path)
}

// configuredCollector returns the collector of the events of pages, nil if the catalog lacks their kinds.
func configuredCollector(conf *config.Config, kinds *catalog.Catalog, service *ingest.Service, s store,
	r *reporter) *collector.Collector {
	views, hasViews := kinds.Kind(web.PageViews.Name)
	custom, hasEvents := kinds.Kind(web.CustomEvents.Name)
	if hasViews && hasEvents {
		c := &collector.Collector{
			Views:        views,
			Events:       custom,
			Service:      service,
			Secrets:      &ingest.RotatingSecrets{Service: service, Store: s},
			HonourOptOut: conf.Collector.HonourOptOut,
			Domains:      conf.Collector.Domains,
			Regions:      conf.Collector.Regions,
			Proxied:      conf.Collector.Trust == config.TrustProxy,
			Appended: func(q *httpapi.Request, kind string, results []model.AppendResult, err error) {
				r.appended(envelope.Collect, q.ID, kind, results, err)
			},
			Rejected: func(q *httpapi.Request, p *httpapi.Problem) { r.rejected(envelope.Collect, q.ID, p) },
			Excluded: func(q *httpapi.Request, kind string, why collector.Exclusion) {
				r.excluded(q.ID, kind, string(why))
			},
			Failed: func(q *httpapi.Request, err error) {
				r.log.Error("event of a page not stored", telemetry.FieldRequestID, q.ID, telemetry.FieldError,
					err.Error())
			},
		}
		if of := kinds.SessionKinds(views.Name); views.IndexBy == webfield.Visitor && len(of) > 0 {
			c.Index, c.Gap = s, of[0].Sessions.Gap
		}
		return c
	}
	return nil
}

// configuredReceiver returns the receiver of points from senders of other databases.
func configuredReceiver(conf *config.Config, kinds *catalog.Catalog, service *ingest.Service,
	r *reporter) *receiver.Receiver {
	return &receiver.Receiver{
		Mapping: points.Mapping{Rows: conf.Sources, Catalog: kinds},
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
	all = []route{
		{method: "POST", path: envelope.PathMessages, serve: h.things},
		{method: "POST", path: envelope.PathThings + "{proxy+}", serve: h.confirm},
	}
	if views != nil {
		all = append(all,
			route{method: "POST", path: access.SiteKeyRoute, serve: views.Serve},
			route{method: "POST", path: access.PathEvent, serve: views.ServeEvent},
			route{method: "GET", path: script.PathPrefix + "{name}", serve: script.Serve})
	}
	for path, serve := range senders.Serves() {
		all = append(all, route{method: "POST", path: path, serve: serve})
	}
	for _, r := range access.ClientRoutes { // behind the writes, whose path one of them has
		all = append(all, route{method: r.Method, path: r.Path, serve: senders.Client})
	}
	return all
}
