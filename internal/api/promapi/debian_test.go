package promapi_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

type programs struct{ server, promtool, version string }

// debianPrometheus returns the programs of Debian's package, which a script extracts into build.
func debianPrometheus(t *testing.T) programs {
	t.Helper()
	const script = "../../../scripts/promtool.sh"
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	if out, err := exec.CommandContext(ctx, script).CombinedOutput(); err != nil {
		testenv.Missing(t, "promtool",
			fmt.Sprintf("Debian's prometheus cannot be had here: scripts/promtool.sh: %v %s", err, out))
	}
	p := programs{server: "../../../build/promserver", promtool: "../../../build/promtool"}
	out, err := exec.CommandContext(ctx, p.server, "--version").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.version = strings.Fields(string(out))[2]
	return p
}

// startPrometheus runs a server with the samples, in OpenMetrics, and returns its address. A
// sample is valid for as long as a bucket.
func startPrometheus(t *testing.T, p programs, v view, samples []byte) string {
	t.Helper()
	dir := t.TempDir()
	file, settings := filepath.Join(dir, "samples.om"), filepath.Join(dir, "prometheus.yml")
	if err := errors.Join(os.WriteFile(file, samples, 0o600),
		os.WriteFile(settings, []byte("global: {}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if out, err := exec.CommandContext(t.Context(), p.promtool, "tsdb", "create-blocks-from", "openmetrics",
		"--quiet", "--max-block-duration=8760h", file, data).CombinedOutput(); err != nil {
		t.Fatalf("promtool: %v: %s", err, out)
	}
	for range 3 { // another program may take the free port
		address := freeAddress(t)
		var log bytes.Buffer
		server := exec.CommandContext(t.Context(), p.server, "--config.file="+settings, "--storage.tsdb.path="+data,
			"--storage.tsdb.retention.time=100y",
			"--query.lookback-delta="+v.stale, "--web.listen-address="+address)
		server.Stderr = &log
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- server.Wait() }()
		if isReady(t.Context(), "http://"+address, ended) {
			t.Cleanup(func() { _ = server.Process.Kill(); <-ended })
			return "http://" + address
		}
		t.Logf("prometheus at %s ended: %s", address, &log)
	}
	t.Fatal("prometheus does not start")
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// isReady waits until the server is ready, or has ended.
func isReady(ctx context.Context, url string, ended <-chan error) bool {
	for {
		if r, err := http.Get(url + "/-/ready"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
}

type promQuery struct{ section, text, invalid string }

// readQueries returns the queries of the template file, expanded for a tier.
func readQueries(t *testing.T, v view) (all []promQuery) {
	t.Helper()
	values := map[string][]string{"range": v.ranges, "short": {v.short}, "offset": {v.offset}}
	section, invalid := "", ""
	for _, line := range readLines(t, "queries.txt") {
		name, list, isLet := strings.Cut(strings.TrimPrefix(line, "let "), "= ")
		switch {
		case isLet && strings.HasPrefix(line, "let "):
			values[strings.TrimSpace(name)] = strings.Split(list, " | ")
		case strings.HasPrefix(line, "["):
			section, invalid, _ = strings.Cut(strings.Trim(line, "[]"), ": ")
		default:
			for _, text := range expand(line, values) {
				all = append(all, promQuery{section: section, text: text, invalid: invalid})
			}
		}
	}
	return all
}

// expand replaces the first <NAME> by each of its values, and then the rest. A < that is no name stays.
func expand(text string, values map[string][]string) []string {
	for name, list := range values {
		if !strings.Contains(text, "<"+name+">") {
			continue
		}
		var all []string
		for _, value := range list {
			all = append(all, expand(strings.ReplaceAll(text, "<"+name+">", strings.TrimSpace(value)), values)...)
		}
		return all
	}
	return []string{text}
}

// readLines returns the lines of a file of testdata that are no comments.
func readLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
