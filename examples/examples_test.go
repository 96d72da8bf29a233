// Package examples has examples of senders. The tests run them on a local stack.
package examples

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestMain(m *testing.M) { ddblocal.Main(m) }

// start runs a local stack and returns the URL of its API.
func start(t *testing.T) string {
	t.Helper()
	database := ddblocal.ForTest(t)
	if _, err := exec.LookPath("go"); err != nil {
		testenv.Missing(t, "binaries", "there is no go tool to build the functions with")
	}
	s, err := local.Start(t.Context(), local.Options{
		Config: config.Default(domains.Kinds()...), Table: fmt.Sprintf("examples-%d", time.Now().UnixNano()),
		DynamoDB: ddblocal.Options{Endpoint: database.Endpoint}, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s.URL
}

// fields returns the fields of the events of a host in a stream, newest first.
func fields(t *testing.T, url, host, stream string) (all []map[string]any) {
	t.Helper()
	resp, err := http.Get(url + "/v1/hosts/" + host + "/metrics?stream=" + stream)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var page struct {
		Events []struct{ Fields map[string]any }
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the events of %s: %s, %v", host, resp.Status, err)
	}
	for _, event := range page.Events {
		all = append(all, event.Fields)
	}
	return all
}

func TestExamples_SendWhatTheySay(t *testing.T) {
	url := start(t)
	for _, example := range []struct {
		name, needs string
		command     []string
		host        string
		events      int
	}{
		{name: "shell", needs: "sh", command: []string{"./send.sh"}, host: "shell", events: 1},
		{name: "Python", needs: "python", command: []string{"../build/venv/bin/python", "send.py"}, host: "python", events: 5},
	} {
		t.Run(example.name, func(t *testing.T) {
			run(t, url, example.needs, example.command...)
			got := fields(t, url, example.host, "room,sensor=door")
			if len(got) != example.events {
				t.Fatalf("%d events, want %d: %v", len(got), example.events, got)
			}
			if got[0]["temperature"] != 22.4 {
				t.Errorf("the newest event is %v, want 22.4 degrees", got[0])
			}
		})
	}
}

func TestTelegraf_SendsTheMetricsOfThisMachine(t *testing.T) {
	url := start(t)
	run(t, url, "telegraf", "../build/telegraf", "--config", "telegraf.conf", "--once")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if got := fields(t, url, host, "mem"); len(got) != 1 || got[0]["used_percent"] == nil {
		t.Errorf("the events of mem are %v, want one with used_percent", got)
	}
}

// run runs an example, or ends the test if a program that it needs is missing.
func run(t *testing.T, url, needs string, command ...string) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		testenv.Missing(t, needs, command[0]+" is not installed")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "TIDEMARK_URL="+url, "TIDEMARK_TOKEN=any")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

// ESPHome compiles C++, which is not possible here: the line that its snprintf makes is sent.
func TestESPHome_SendsLineProtocol(t *testing.T) {
	text, err := os.ReadFile("esphome.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Interval []struct {
			Then []map[string]struct {
				Headers map[string]string `yaml:"request_headers"`
				Body    string
			}
		}
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	post := document.Interval[0].Then[0]["http_request.post"]
	if post.Headers["Authorization"] == "" {
		t.Errorf("the request has no token: %+v", post)
	}
	format := regexp.MustCompile(`snprintf\(line, sizeof line, "([^"]*)"`).FindStringSubmatch(post.Body)
	if format == nil {
		t.Fatalf("the body is %s, want snprintf with a format", post.Body)
	}
	url := start(t)
	line := fmt.Sprintf(strings.ReplaceAll(format[1], "%ld", "%d"), 22.4, 45.0, time.Now().Unix())
	resp, err := http.Post(url+"/api/v2/write?bucket=any&precision=s", "text/plain", strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if reason, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusNoContent {
		t.Fatalf("%s: %s %s", line, resp.Status, reason)
	}
	if got := fields(t, url, "cellar", "climate"); len(got) != 1 || got[0]["temperature"] != 22.4 || got[0]["humidity"] != 45.0 {
		t.Errorf("%s is %v, want 22.4 degrees and 45 %%", line, got)
	}
}

// The collector is too large to build here. Its pipeline must name parts that exist, its exporter
// the path of OTLP, and its batches must not exceed the limit of a request.
func TestCollector_ExportsToThePathOfOTLP(t *testing.T) {
	text, err := os.ReadFile("otel-collector.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Receivers, Processors map[string]any
		Exporters             map[string]struct{ Endpoint string }
		Service               struct {
			Pipelines map[string]struct{ Receivers, Processors, Exporters []string }
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	pipeline := file.Service.Pipelines["metrics"]
	if len(pipeline.Receivers) == 0 || len(pipeline.Exporters) == 0 {
		t.Errorf("the pipeline of metrics is %+v", pipeline)
	}
	for _, name := range pipeline.Receivers {
		if file.Receivers[name] == nil {
			t.Errorf("no receiver is named %s", name)
		}
	}
	for _, name := range pipeline.Processors {
		if file.Processors[name] == nil {
			t.Errorf("no processor is named %s", name)
		}
	}
	for _, name := range pipeline.Exporters {
		if got := file.Exporters[name].Endpoint; got != "${env:TIDEMARK_URL}/otlp" {
			t.Errorf("exporter %s sends to %q", name, got)
		}
	}
	batch, _ := file.Processors["batch"].(map[string]any)
	if most, limit := batch["send_batch_max_size"], config.Default(domains.Kinds()...).Limits.Observations; most != limit {
		t.Errorf("batches have up to %v points, want the limit of a request, %d", most, limit)
	}
}
