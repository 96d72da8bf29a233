// Package examples has examples of senders. The tests run them on a local stack.
package examples

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// start runs a local stack and returns the URL of its API.
func start(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		testenv.Missing(t, "binaries", "there is no go tool to build the functions with")
	}
	s, err := stack.Start(t.Context(), stack.Options{
		Config: config.Default(domains.Kinds()...), Table: fmt.Sprintf("examples-%d", time.Now().UnixNano()),
		DynamoDB: ddblocal.FromEnv(), Dir: t.TempDir(),
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
	if got := fields(t, url, "cellar", "climate"); len(got) != 1 || got[0]["temperature"] != 22.4 ||
		got[0]["humidity"] != 45.0 {
		t.Errorf("%s is %v, want 22.4 degrees and 45 %%", line, got)
	}
}

// The collector sends what a program sends to it, and the metrics of this machine. A collector
// that ends has sent everything.
func TestCollector_SendsWhatItReceivesAndTheMetricsOfThisMachine(t *testing.T) {
	const collector = "../build/otelcol"
	if _, err := exec.LookPath(collector); err != nil {
		testenv.Missing(t, "otelcol", "the collector is not built: scripts/otelcol.sh builds it")
	}
	url := start(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	receiver := listener.Addr().String()
	listener.Close()
	cmd := exec.Command(collector, "--config", "otel-collector.yaml", "--set",
		"receivers.otlp.protocols.http.endpoint="+receiver,
		"--set", "service.telemetry.metrics.level=none")
	cmd.Env = append(os.Environ(), "TIDEMARK_URL="+url, "TIDEMARK_TOKEN=any", "TIDEMARK_HOST=collector")
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })

	const point = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"queue","gauge":{"dataPoints":[{"timeUnixNano":"%d","asDouble":7}]}}]}]}]}`
	await(t, "the collector accepts metrics", func() bool {
		resp, err := http.Post("http://"+receiver+"/v1/metrics", "application/json",
			strings.NewReader(fmt.Sprintf(point, time.Now().UnixNano())))
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	await(t, "the metrics of this machine", func() bool {
		return len(fields(t, url, "collector", "system.memory.usage,state=used")) > 0
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if got := fields(t, url, "collector", "queue"); len(got) != 1 || got[0]["value"] != 7.0 {
		t.Errorf("the events of queue are %v, want one with 7\n%s", got, log.String())
	}
}

// await fails the test if something is not so within a minute.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// Its batches must not exceed the limit of a request.
func TestCollector_SendsBatchesThatARequestMayHave(t *testing.T) {
	text, err := os.ReadFile("otel-collector.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Processors struct {
			Batch struct {
				Most int `yaml:"send_batch_max_size"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if most, limit := file.Processors.Batch.Most,
		config.Default(domains.Kinds()...).Limits.Observations; most != limit {
		t.Errorf("batches have up to %d points, want the limit of a request, %d", most, limit)
	}
}
