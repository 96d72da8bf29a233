package promapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/release"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// API serves the queries. Set its fields before the first call; it is safe for concurrent use.
type API struct {
	Catalog    *catalog.Catalog
	Query      *query.Service
	Engine     *promql.Engine // of NewEngine
	OwnerClaim string         // see httpapi.Request.Owner: a query of an owner finds the owner's series
	Limits     config.Limits  // of a request's body
	Log        *slog.Logger

	listings listings
}

var promQL = parser.NewParser(parser.Options{})

// NewEngine returns Prometheus's engine, with the limits of this package. A query that takes
// longer than timeout fails.
func NewEngine(log *slog.Logger, timeout time.Duration) *promql.Engine {
	return promql.NewEngine(promql.EngineOpts{
		Logger: log, MaxSamples: maxSamples, Timeout: timeout, LookbackDelta: lookback,
		NoStepSubqueryIntervalFn: func(int64) int64 { return subqueryStep.Milliseconds() },
		EnableAtModifier:         true, EnableNegativeOffset: true, Parser: promQL,
	})
}

// request is one request with its parameters, of the query and of a form.
type request struct {
	values url.Values
	name   string // of the label, in label/{name}/values
}

// result is the data of a successful response, with warnings and infos.
type result struct {
	Status   string   `json:"status"`
	Data     any      `json:"data"`
	Warnings []string `json:"warnings,omitempty"`
	Infos    []string `json:"infos,omitempty"`
}

// routes are the endpoints by their path after /prometheus/api/v1/.
var routes = map[string]func(*API, context.Context, request) (result, error){
	"query":            (*API).instant,
	"query_range":      (*API).queryRange,
	"labels":           (*API).labelNames,
	"label/values":     (*API).labelValues,
	"series":           (*API).series,
	"metadata":         (*API).metadata,
	"status/buildinfo": (*API).buildInfo,
}

// Serve serves one request of the API.
func (a *API) Serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	data, err := a.respond(ctx, r)
	if err != nil {
		return a.failure(ctx, r, err)
	}
	data.Status = "success"
	response := httpapi.JSON(http.StatusOK, data)
	if len(response.Body) > maxBody {
		return a.failure(ctx, r,
			beyond("the response has %d bytes, at most %d: query fewer series, a shorter range or a longer step",
				len(response.Body), maxBody))
	}
	return response
}

func (a *API) respond(ctx context.Context, r *httpapi.Request) (result, error) {
	path, ok := strings.CutPrefix(r.Path, httpapi.PrometheusPath+"/api/v1/")
	in := request{}
	if parts := strings.Split(path, "/"); len(parts) == 3 && parts[0] == "label" && parts[2] == "values" {
		in.name, path = parts[1], "label/values"
	}
	serve := routes[path]
	switch {
	case !ok || serve == nil || !r.Route.Allows(r.Method, httpapi.PrometheusPath+"/{proxy+}"):
		return result{}, &failed{status: http.StatusNotFound, kind: "not_found",
			text: "no such path: see the paths of the Prometheus API in the documentation"}
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return result{}, &failed{status: http.StatusMethodNotAllowed, kind: "bad_data",
			text: r.Method + " is not allowed: use GET or POST"}
	}
	owner, problem := r.CheckOwner(a.OwnerClaim, httpapi.OwnerList)
	if problem != nil {
		return result{}, &failed{status: http.StatusForbidden, kind: "forbidden", text: problem.Error()}
	}
	var err error
	if in.values, err = a.parameters(r); err != nil {
		return result{}, err
	}
	return serve(a, withOwner(ctx, owner), in)
}

// parameters returns the parameters of a form and of the query. Of a parameter in both, the form's is first.
func (a *API) parameters(r *httpapi.Request) (url.Values, error) {
	body := []byte{}
	if r.Method == http.MethodPost {
		decoded, problem := r.Bytes(a.Limits)
		if problem != nil {
			return nil, badData("%v", problem)
		}
		body = decoded
	}
	values, err := url.ParseQuery(strings.Trim(string(body)+"&"+r.RawQuery, "&"))
	if err != nil {
		return nil, badData("the parameters: %v", err)
	}
	return values, nil
}

// buildInfo has no features: with features, Grafana assumes another database.
func (a *API) buildInfo(context.Context, request) (result, error) {
	return result{Data: map[string]string{"version": release.Version(), "goVersion": runtime.Version()}}, nil
}
