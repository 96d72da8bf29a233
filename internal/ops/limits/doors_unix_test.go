//go:build unix

package limits_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/api/webui"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/limits/doortest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// TestDoors sends the worst requests of the doors that no function's test sends.
func TestDoors(t *testing.T) {
	t.Run("Prometheus", measurePrometheus)
	t.Run("pages", measurePages)
	t.Run("archive", measureArchive)
}

// deadline is of the queries here; the deployed one is longer.
const deadline = 2 * time.Second

// measurePrometheus sends a query that does not end by itself.
func measurePrometheus(t *testing.T) {
	const subjects, hours = 400, 48
	now, err := model.ParseTime("2026-04-20T14:30:00Z", model.RejectFinerTime)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table, kind := memory.New(clock), &kinds.Kinds[0]
	for i := range subjects {
		series := kind.Series(fmt.Sprint("d", i), "", model.Order{})
		for hour := range hours {
			start := tier.Hour.BucketAt(now.Add(-time.Duration(hour+1) * time.Hour)).Start
			fold := rollup.NewFold(kind.Spec())
			value := model.NumberValue(model.NewDecimal(int64(hour)))
			attrs := model.Attrs{{Name: "temperature", Value: value}}
			fold.AddEvent(&model.Event{Series: series, Order: model.Order{At: start}, Attrs: attrs})
			key := rollup.Key{Series: series, Tier: tier.Hour.String(), Start: start}
			row := &rollup.Row{Key: key, Fold: *fold, Rev: rollup.Rev{1}, WrittenAt: now}
			if _, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil {
				t.Fatal(err)
			}
		}
		listed := storage.ListedSeries{Series: series, First: now.Add(-hours * time.Hour), Last: now}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.DiscardHandler)
	api := &promapi.API{Catalog: kinds, Query: &query.Service{Store: table, Now: clock}, Log: log,
		Engine: promapi.NewEngine(log, deadline), Limits: config.Default().Limits}
	text := strings.Repeat("max(temperature)+", 15) + "1"
	end := now.Time().Unix()
	values := url.Values{"query": {text}, "step": {"15"},
		"end": {fmt.Sprint(end)}, "start": {fmt.Sprint(end - 15*10_900)}}
	doortest.Measure(t, "/prometheus", func(ctx context.Context) doortest.Sent {
		began := time.Now()
		got := api.Serve(ctx, &httpapi.Request{Method: http.MethodGet, RawQuery: values.Encode(),
			Path: httpapi.PrometheusPath + "/api/v1/query_range"})
		took := time.Since(began)
		ended := got.Status == http.StatusServiceUnavailable && strings.Contains(got.Body, "timeout")
		if !ended || took > 5*deadline {
			t.Errorf("status %d after %s, want it within %s: %.99s", got.Status, took, deadline, got.Body)
		}
		return doortest.Sent{Bytes: len(got.Body)}
	})
}

func measurePages(t *testing.T) {
	issuer := httptest.NewServer(http.NotFoundHandler())
	defer issuer.Close()
	pages := &webui.Deployed{Client: issuer.Client(), Now: time.Now,
		SignIn: config.SignIn{Issuer: issuer.URL}, Log: slog.New(slog.DiscardHandler)}
	serve := func() httpapi.Response {
		return pages.Serve(t.Context(), &httpapi.Request{Method: http.MethodGet, Path: webui.Path + "app.js"})
	}
	serve() // the first request of a process compresses the files
	doortest.Measure(t, "GET /ui/{file}", func(context.Context) doortest.Sent {
		got := serve()
		if got.Status != http.StatusOK || got.Headers["Content-Encoding"] != "gzip" {
			t.Fatalf("status %d, %v", got.Status, got.Headers)
		}
		return doortest.Sent{Bytes: len(got.Body) * 3 / 4} // without its base64
	})
}

func measureArchive(t *testing.T) {
	const size = 1 << 30
	file := filepath.Join(t.TempDir(), "bomb.zip")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(out)
	part, err := archive.Create("imported_pages.csv")
	if err == nil {
		_, err = io.WriteString(part, "date,page,visits\n")
	}
	spaces := bytes.Repeat([]byte{' '}, 1<<20)
	for written := 0; err == nil && written < size; written += len(spaces) {
		_, err = part.Write(spaces)
	}
	if err != nil || archive.Close() != nil || out.Close() != nil {
		t.Fatal(err)
	}
	kinds, err := catalog.New(web.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	views, _ := kinds.Kind(web.PageViews.Name)
	in := formats.Input{Kind: views, Web: &formats.Web{Format: "plausible", Site: "s"}}
	doortest.Measure(t, "import of a zip archive", func(context.Context) doortest.Sent {
		if err := in.Each([]string{file}, func(formats.Observation) error { return nil }); err == nil {
			t.Error("the archive was read")
		}
		return doortest.Sent{}
	})
}
