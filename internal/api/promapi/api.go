package promapi

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
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
		return result{}, &failed{http.StatusNotFound, "not_found",
			"no such path: see the paths of the Prometheus API in the documentation"}
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return result{}, &failed{http.StatusMethodNotAllowed, "bad_data",
			r.Method + " is not allowed: use GET or POST"}
	}
	owner, problem := r.CheckOwner(a.OwnerClaim, httpapi.OwnerList)
	if problem != nil {
		return result{}, &failed{http.StatusForbidden, "forbidden", problem.Error()}
	}
	var err error
	if in.values, err = a.parameters(r); err != nil {
		return result{}, err
	}
	return serve(a, withOwner(ctx, owner), in)
}

// parameters returns the parameters of the query and of a form.
func (a *API) parameters(r *httpapi.Request) (url.Values, error) {
	body := []byte{}
	if r.Method == http.MethodPost {
		decoded, problem := r.Bytes(a.Limits)
		if problem != nil {
			return nil, badData("%v", problem)
		}
		body = decoded
	}
	values, err := url.ParseQuery(strings.Trim(r.RawQuery+"&"+string(body), "&"))
	if err != nil {
		return nil, badData("the parameters: %v", err)
	}
	return values, nil
}

func (a *API) labelNames(ctx context.Context, r request) (result, error) {
	return a.texts(ctx, r, func(l labels.Labels, add func(string)) {
		l.Range(func(l labels.Label) { add(l.Name) })
	})
}

func (a *API) labelValues(ctx context.Context, r request) (result, error) {
	return a.texts(ctx, r, func(l labels.Labels, add func(string)) { add(l.Get(r.name)) })
}

// texts returns the texts of the series of all selectors, sorted, each once, up to the limit.
func (a *API) texts(ctx context.Context, r request, of func(labels.Labels, func(string))) (result, error) {
	found := map[string]bool{}
	err := r.eachSelector(false, func(matchers []*labels.Matcher) error {
		sets, err := a.labelSets(ctx, matchers)
		for _, l := range sets {
			of(l, func(text string) { found[text] = true })
		}
		return err
	})
	if err != nil {
		return result{}, err
	}
	delete(found, "") // the value of a label that a series does not have
	return limited(r, sortedKeys(found))
}

func (a *API) series(ctx context.Context, r request) (result, error) {
	all := []labels.Labels{}
	err := r.eachSelector(true, func(matchers []*labels.Matcher) error {
		sets, err := a.labelSets(ctx, matchers)
		all = append(all, sets...)
		return err
	})
	if err != nil {
		return result{}, err
	}
	slices.SortFunc(all, labels.Compare)
	return limited(r, slices.CompactFunc(all, labels.Equal))
}

// metadata returns the type and a description of each metric of a declared measure.
func (a *API) metadata(_ context.Context, r request) (result, error) {
	type entry struct {
		Type string `json:"type"`
		Help string `json:"help"`
		Unit string `json:"unit"`
	}
	all := map[string][]entry{}
	for name, help := range companions {
		all[name] = []entry{{"gauge", help, ""}}
	}
	kinds := make([]*catalog.Kind, len(a.Catalog.Kinds))
	for i := range kinds {
		kinds[i] = &a.Catalog.Kinds[i]
	}
	units := query.Units(kinds...)
	for _, k := range kinds {
		for _, m := range k.Measures {
			all[Metric(m.Name)] = []entry{{"gauge",
				"Measure " + m.Name + ": one value for each closed bucket, at its end.", units[m.Name]}}
		}
	}
	if metric := r.values.Get("metric"); metric != "" {
		maps.DeleteFunc(all, func(name string, _ []entry) bool { return name != metric })
	}
	return result{Data: all}, nil
}

// buildInfo has no features: with features, Grafana assumes another database.
func (a *API) buildInfo(context.Context, request) (result, error) {
	return result{Data: map[string]string{"version": release.Version(), "goVersion": runtime.Version()}}, nil
}

func sortedKeys(set map[string]bool) []string {
	keys := slices.AppendSeq(make([]string, 0, len(set)), maps.Keys(set))
	slices.Sort(keys)
	return keys
}
