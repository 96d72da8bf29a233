package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
)

func TestReporter_LogsAndCountsAnInvocation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, err := f.handle(invocation(t, "42"), sample(t, "iot-batch")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"request_id":"42"`, `"kind":"READING"`, `"source":"iot"`,
		`"outcome":{"applied":2,"rejected":1}`,
		`"ObservationsApplied":2`, `"ObservationsRejected":1`, `"Quarantined":1`} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("log and metrics lack %s:\n%s", want, f.out)
		}
	}
}

func TestReporter_CountsThePartsThatAreNotStored(t *testing.T) {
	t.Parallel()
	const reading = `{"deviceId":"%s","timestamp":"2026-04-20T14:00:00Z","temperature":21,"v":1,"list":[1]}`
	for name, tc := range map[string]struct {
		w    write
		want string // "" is none
	}{
		"a reading": {write{path: "/v1/readings", body: fmt.Sprintf(reading, "d1")}, `"PartsNotStored":2`},
		"rejected":  {write{path: "/v1/readings", body: fmt.Sprintf(reading, "")}, ""},
		"a point": {
			write{path: "/api/v2/write", query: "bucket=b", body: "m v=1", key: anyKey},
			`"PartsNotStored":1`,
		},
		"a page view": {
			write{path: "/api/event", body: `{"n":"pageview","u":"https://a.com/","d":"a.com","sd":-1}`},
			`"PartsNotStored":1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newCollector(t, func(c *config.Config) { c.Collector.Domains = []string{"a.com"} }, nil)
			f.write(t, tc.w)
			got := f.out.String()
			if tc.want == "" && strings.Contains(got, "PartsNotStored") || !strings.Contains(got, tc.want) {
				t.Errorf("want %q in log and metrics:\n%s", tc.want, got)
			}
		})
	}
}

func TestWire_NamesTheMissingFile(t *testing.T) {
	t.Parallel()
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(empty.Close)
	env := map[string]string{"TIDEMARK_ENDPOINT": empty.URL,
		"TIDEMARK_CONFIG": filepath.Join(t.TempDir(), "none.yaml")}
	if _, err := wire(t.Context(), func(name string) string { return env[name] },
		slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("error: got %v, want one that names the file", err)
	}
	delete(env, "TIDEMARK_CONFIG")
	if h, err := wire(t.Context(), func(name string) string { return env[name] },
		slog.New(slog.DiscardHandler)); err != nil || h.defaultKind != "READING" {
		t.Errorf("with the defaults: got %+v, error %v", h, err)
	}
}

// The table was written with three shards, which cannot change.
func TestWire_RefusesAConfigurationThatDoesNotFitTheTable(t *testing.T) {
	t.Parallel()
	table := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), "KIND#READING") {
			fmt.Fprint(w, "{}")
			return
		}
		fmt.Fprint(w, `{"Item":{"pk":{"S":"JOB#config"},"sk":{"S":"KIND#READING"},"v":{"N":"1"},"_rev":{"B":"AQAAAAAAAAAAAAAAAAAAAA=="},`+
			`"_at":{"S":"2026-04-20T12:00:00.000Z"},"_config":{"S":"{\"subject\":\"DEVICE\",\"shards\":3,\"tiers\":[]}"}}}`)
	}))
	t.Cleanup(table.Close)
	env := map[string]string{"TIDEMARK_ENDPOINT": table.URL}
	_, err := wire(t.Context(), func(name string) string { return env[name] }, slog.New(slog.DiscardHandler))
	if !errors.Is(err, tableconfig.ErrRefused) ||
		!strings.Contains(err.Error(), "refused: kinds.READING.shards: 3 to 1") {
		t.Errorf("error: got %v, want the refused change", err)
	}
}

// The price of a request counts what ingest writes to its log for a reading: three lines, and 26 bytes of
// CloudWatch's for each.
func TestReport_LogsNoMoreThanIsPriced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, err := f.handle(invocation(t, "f4a26efa-bd44-a3a4-24f2-2feef4e64f93"),
		sample(t, "http-one")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(f.out.String(), "\n")
	if size := f.out.Len() + 26*lines; lines == 0 || size > cost.IngestLog {
		t.Errorf("%d bytes in %d lines, want at most %d:\n%s", size, lines, cost.IngestLog, f.out)
	}
	for _, d := range telemetry.Catalogue() {
		published := strings.Contains(f.out.String(), `"Name":"`+string(d.Metric)+`"`)
		if published && !slices.Contains(telemetry.InUse(), d.Metric) {
			t.Errorf("%s is published for an ordinary reading, and not priced", d.Metric)
		}
	}
}
