package stack

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	prom "github.com/prometheus/common/model"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// startPrometheus runs a stack with the Prometheus API and an hour of yesterday of sensor_01, with
// the minutes as temperatures, in its rollups. It returns the address of the data source, and the
// end of the hour in seconds.
func startPrometheus(t *testing.T) (url string, end int64) {
	t.Helper()
	begin := time.Now().UTC().Truncate(time.Hour).Add(-24 * time.Hour)
	s := startStack(t, func(o *Options) { o.Config.Prometheus = true })
	var lines strings.Builder
	for minute := range 60 {
		fmt.Fprintf(&lines, `{"deviceId":"sensor_01","timestamp":%d,"temperature":%d}`+"\n",
			begin.Unix()+60*int64(minute), minute)
	}
	if resp, body := send(t, "POST", s.URL+"/v1/readings", "application/x-ndjson",
		[]byte(lines.String())); resp.StatusCode != http.StatusOK {
		t.Fatalf("the readings returned %d %s", resp.StatusCode, body)
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.URL + "/prometheus", begin.Unix() + 3600
}

// The requests have the paths, forms and headers of Grafana's data source: Save & test, the list of
// metrics of Explore, the variables of a dashboard, and a panel.
func TestPrometheus_RespondsToGrafanaThroughTheGateway(t *testing.T) {
	url, end := startPrometheus(t)
	hour := fmt.Sprintf("&start=%d&end=%d", end-7200, end+3600)
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/api/v1/query", "query=1%2B1&time=1776700800.5", `"result":[1776700800.5,"2"]`},
		{"GET", "/api/v1/query?query=1%2B1&time=1776700800", "", `"result":[1776700800,"2"]`},
		{"GET", "/api/v1/status/buildinfo", "", `"version":`},
		{"GET", "/api/v1/label/__name__/values?match%5B%5D=%7B__name__%3D~%22.%2B%22%7D&limit=40000" + hour, "", `"temperature","tidemark_complete_through_seconds","tidemark_events","tidemark_inexact"`},
		{"GET", "/api/v1/label/subject/values?match%5B%5D=tidemark_events" + hour, "", `["sensor_01"]`},
		{"POST", "/api/v1/labels", "match%5B%5D=temperature" + hour, `"statistic"`},
		{"POST", "/api/v1/series", "match%5B%5D=tidemark_events" + hour, `"subject":"sensor_01"`},
		{"GET", "/api/v1/metadata?limit=40000", "", `"temperature":[{"type":"gauge"`},
		{"POST", "/api/v1/query_range", "query=temperature%7Bsubject%3D~%22sensor_01%22%2Cstatistic%3D%22avg%22%7D&step=3600" + hour, fmt.Sprintf(`[%d,"29.5"]`, end)},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.body != "" {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		req.Header.Set("User-Agent", "Grafana/11.6.0")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var status struct{ Status string }
		if json.Unmarshal(body, &status) != nil || err != nil || resp.StatusCode != http.StatusOK ||
			status.Status != "success" || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %s %s: %s %s (%v), want %s", c.method, c.path, c.body, resp.Status, body, err, c.want)
		}
	}
}

func TestPrometheus_ClientReadsTheRollups(t *testing.T) {
	url, end := startPrometheus(t)
	client, err := api.NewClient(api.Config{Address: url})
	if err != nil {
		t.Fatal(err)
	}
	span := v1.Range{Start: time.Unix(end-3600, 0), End: time.Unix(end, 0), Step: time.Hour}
	for statistic, want := range map[string]prom.SampleValue{"count": 60, "sum": 1770, "min": 0, "max": 59,
		"avg": 29.5} {
		value, _, _, err := v1.NewAPI(client).QueryRange(t.Context(),
			fmt.Sprintf(`temperature{statistic=%q}`, statistic), span)
		if err != nil {
			t.Fatal(err)
		}
		series, ok := value.(prom.Matrix)
		if !ok || len(series) != 1 || len(series[0].Values) != 1 || series[0].Values[0].Value != want {
			t.Errorf("%s is %v, want %v at the end of the hour", statistic, value, want)
		}
	}
}

func TestPrometheus_PromtoolReadsTheRollups(t *testing.T) {
	const promtool = "../../../build/promtool"
	if _, err := exec.LookPath(promtool); err != nil {
		testenv.Missing(t, "promtool",
			"promtool is not installed: scripts/promtool.sh extracts it from Debian's package prometheus")
	}
	url, end := startPrometheus(t)
	from := fmt.Sprint("--start=", end-3600)
	to := fmt.Sprint("--end=", end)
	at := fmt.Sprint("--time=", end)
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"instant", at, url, `sum_over_time(temperature{statistic="sum"}[1h])`}, "=> 1770 @"},
		{[]string{"range", from, to, "--step=1h", url, `temperature{statistic="count"}`}, fmt.Sprintf("60 @[%d]", end)},
		{[]string{"series", from, to, "--match=tidemark_events", url}, `subject="sensor_01"`},
		{[]string{"labels", from, to, url, "kind"}, "READING"},
	} {
		out, err := exec.Command(promtool, append([]string{"query"}, c.command...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("promtool query %v: %v\n%s\nwant %s", c.command, err, out, c.want)
		}
	}
}
