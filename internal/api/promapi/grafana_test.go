package promapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the responses to Grafana's requests")

// grafanaRequests are the requests of Grafana 12's Prometheus data source, read from its public source:
// pkg/promlib (client.go, healthcheck.go, heuristics.go; grafana/grafana at 24d6880) sends queries, and what
// the browser requests (packages/grafana-prometheus, resource_clients.ts at 039aaf2). What promlib 0.0.8 sent
// when it was run against the local stack has the same forms. With its default, POST, queries, series and
// labels are forms; label values, metadata, rules and build information are always GET. Times are seconds
// with fractions, a step is in seconds, and the limit is 40000.
var grafanaRequests = []struct{ action, method, path, form string }{
	{"Save & test", "POST", "query", "query=1%2B1&time=4"},
	{"Save & test: which database it is", "GET", "status/buildinfo", ""},
	{"open Explore: the metrics", "GET", "label/__name__/values?end=1776695400&limit=40000&start=1776673800", ""},
	{"open Explore: the labels", "POST", "labels", "end=1776695400&limit=40000&start=1776673800"},
	{"open Explore: types and descriptions", "GET", "metadata?limit=40000", ""},
	{"open Explore: recording rules, which Grafana can do without", "GET", "rules", ""},
	{"choose a metric: its labels", "POST", "labels", "end=1776695400&limit=40000&match%5B%5D=%7B__name__%3D%22temperature%22%7D&start=1776673800"},
	{"choose a label: its values", "GET", "label/statistic/values?end=1776695400&limit=40000&match%5B%5D=%7B__name__%3D%22temperature%22%7D&start=1776673800", ""},
	{"metrics browser of all metrics, in pages of Grafana before 12", "GET", "label/__name__/values?match%5B%5D=%7B__name__%3D~%22.%2B%22%7D&limit=40000&start=1776673800&end=1776695400", ""},
	{"series, where labels cannot be matched", "POST", "series", "end=1776695400&limit=40000&match%5B%5D=%7B__name__%3D%22tidemark_events%22%2Csubject%21%3D%22%22%7D&start=1776673800"},
	{"run a query as range", "POST", "query_range", "end=1776693600&query=temperature%7Bstatistic%3D%22avg%22%7D&start=1776686400&step=3600"},
	{"run a query as instant", "POST", "query", "query=temperature%7Bstatistic%3D%22avg%22%7D&time=1776695400.123"},
	{"run a query with the method GET", "GET", "query_range?end=1776693600&query=sum%28tidemark_events%29&start=1776686400&step=3600", ""},
	{"a variable: label_values(tidemark_events, subject)", "GET", "label/subject/values?end=1776695400&limit=40000&match%5B%5D=tidemark_events&start=1776673800", ""},
	{"a variable: query_result(topk(1, temperature))", "POST", "query", "query=topk%281%2C+temperature%7Bstatistic%3D%22max%22%7D%29&time=1776695400"},
	{"labels that are suggested for a query", "GET", "labels?end=1776695400&limit=10&match%5B%5D=temperature&start=1776673800", ""},
	{"exemplars, which are none", "POST", "query_exemplars", "end=1776695400&query=temperature&start=1776673800"},
	{"a query with a fault", "POST", "query_range", "end=1776695400&query=sum%28&start=1776673800&step=60"},
}

// Each response is in testdata/grafana.golden; go test -update writes it.
func TestServe_RespondsToGrafanaAsRecorded(t *testing.T) {
	server := newServer(t, newAPI(t))
	var got bytes.Buffer
	for _, r := range grafanaRequests {
		request, err := http.NewRequestWithContext(t.Context(), r.method, server+"/api/v1/"+r.path,
			strings.NewReader(r.form))
		if err != nil {
			t.Fatal(err)
		}
		if r.method == http.MethodPost {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(parseBuild(body)...).Replace(string(body))
		fmt.Fprintf(&got, "# %s\n%s %s\n", r.action, r.method, r.path)
		if r.form != "" {
			fmt.Fprintln(&got, r.form)
		}
		fmt.Fprintf(&got, "%d %s\n%s\n\n", response.StatusCode, response.Header.Get("Content-Type"),
			strings.TrimSpace(text))
	}
	golden := filepath.Join("testdata", "grafana.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("responses changed; if they should, run go test ./internal/api/promapi -update (-want +got):\n%s",
			diff)
	}
}

// parseBuild returns the versions in a response about the build, each with a name that stays.
func parseBuild(body []byte) (pairs []string) {
	var info struct {
		Data struct{ Version, GoVersion string }
	}
	if json.Unmarshal(body, &info) == nil && info.Data.Version != "" {
		pairs = []string{`"version":"` + info.Data.Version + `"`, `"version":"RELEASE"`,
			`"goVersion":"` + info.Data.GoVersion + `"`, `"goVersion":"GO"`}
	}
	return pairs
}
