package stack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// failedSamples are the samples of a Prometheus that its remote did not take.
var failedSamples = regexp.MustCompile(`(?m)^prometheus_remote_storage_samples_failed_total\{[^}]*\} (\S+)$`)

// A Prometheus server scrapes itself and writes all that it finds, among it values that are no numbers.
func TestPrometheus_WritesToTheStackWithoutALoss(t *testing.T) {
	program, err := exec.LookPath("../../../build/promserver")
	if err != nil {
		testenv.Missing(t, "promtool", "prometheus is not installed: scripts/promtool.sh extracts it")
	}
	s := startStack(t, nil)
	address := runPrometheus(t, program, s.URL)
	deadline := time.Now().Add(2 * time.Minute)
	for ; ; time.Sleep(500 * time.Millisecond) {
		page := readPage(t, "http://"+address+"/metrics")
		for _, m := range failedSamples.FindAllStringSubmatch(page, -1) {
			if n, err := strconv.ParseFloat(m[1], 64); err != nil || n > 0 {
				t.Fatalf("the remote did not take all samples: %s", m[0])
			}
		}
		stored := readPage(t, s.URL+"/v1/hosts/self:9090/metrics?stream=up,job%3Dprometheus")
		if strings.Contains(stored, `"value":1`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no sample of the server is stored: %s", stored)
		}
	}
}

// runPrometheus returns the address of a server that scrapes itself as self:9090 each second and writes to a
// URL.
func runPrometheus(t *testing.T, program, url string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	dir := t.TempDir()
	settings := fmt.Sprintf(`
global: {scrape_interval: 1s}
scrape_configs:
- job_name: prometheus
  static_configs: [{targets: [%q], labels: {instance: "self:9090"}}]
remote_write:
- url: %s/api/v1/write
  authorization: {credentials: any}
  queue_config: {batch_send_deadline: 1s}
  write_relabel_configs:
  - {source_labels: [__name__], regex: up|.*_duration_seconds|prometheus_build_info, action: keep}
`, address, url)
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, program, "--config.file="+file,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	var log bytes.Buffer
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = server.Wait() // it was killed
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return address
}

// readPage returns the body of a page, "" while there is none.
func readPage(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
