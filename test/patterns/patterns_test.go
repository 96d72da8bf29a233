// Package patterns lists every access pattern of the table. A row has the same request in
// Go, over HTTP and on the command line. The tests make each request twice, on a table in
// memory to measure its cost and on a server that records it, and compare the results with
// docs/use/ACCESS-PATTERNS.md. To write that page:
//
//	go test ./test/patterns -update
package patterns

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

var update = flag.Bool("update", false, "write the pages")

// The pages are generated from the requests that the code makes.
func TestPages_MatchTheCode(t *testing.T) {
	for name, write := range map[string]func(context.Context) (string, error){
		"use/ACCESS-PATTERNS.md": page, "inside/tidemark-data-model.json": dataModel,
	} {
		path := filepath.Join("..", "..", "docs", name)
		want, err := write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("docs/%s is out of date: go test ./test/patterns -update (-code +page):\n%s", name, diff)
		}
	}
}

// overAll are lists of all subjects of a type, which are spread over shards.
var overAll = []httpapi.Action{httpapi.ListSubjects, httpapi.ListOpenAlerts, httpapi.ListSilent,
	httpapi.CountSilent, httpapi.CountAlerts}

// ofSteps are actions that read in steps: a recount reads the rows of each tier, and the events.
var ofSteps = []httpapi.Action{httpapi.CheckPurge, httpapi.VerifyBucket}

// A page takes one request for each shard, kind, stream and step.
func TestPatterns_CostOneRequestAPage(t *testing.T) {
	server := newRecorder()
	defer server.Close()
	spread := map[string]bool{"PAGEVIEW": true, "SITE": true}
	for _, g := range all {
		for _, p := range g.patterns {
			requests, err := server.of(t.Context(), p)
			if err != nil {
				t.Errorf("%s: %v", p.about, err)
			}
			several := spread[p.of] || slices.Contains(overAll, p.action) || strings.Contains(p.params,
				"stream=outside&") || strings.Count(p.params, "stream=") > 1 || slices.Contains(ofSteps, p.action)
			if len(requests) != 1 && !several {
				t.Errorf("%s: %d requests: %+v", p.about, len(requests), requests)
			}
			for _, r := range requests {
				if r.Operation == "Scan" {
					t.Errorf("%s scans the table", p.about)
				}
			}
		}
	}
}

// Every GET route has a pattern.
func TestPatterns_CoverEveryRead(t *testing.T) {
	kinds, err := config.Default(declared()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[httpapi.Action]bool{
		// They read several kinds like all-rollups, which has a row.
		httpapi.ReadAllChart: true, httpapi.ReadAllTop: true, httpapi.ReadAllTotal: true,
		// It reads an event as the route without its id, which has a row.
		httpapi.ReadEventByID: true,
		// They do not read the table.
		httpapi.ReadAPI: true, httpapi.ReadHealth: true, httpapi.ReadRelease: true,
	}
	for _, g := range all {
		for _, p := range g.patterns {
			listed[p.action] = true
			if p.http(kinds) == "" {
				t.Errorf("%s: the catalog has no route %s of %s", p.about, p.action, p.of)
			}
		}
	}
	for _, r := range httpapi.Routes(kinds) {
		if !listed[r.Action] && r.Method == "GET" {
			t.Errorf("%s %s has no pattern: add a row", r.Method, r.Path)
		}
	}
}
