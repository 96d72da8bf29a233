package patterns

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

var update = flag.Bool("update", false, "write the pages anew")

// The pages say what the code does: they are written by carrying it out.
func TestPages_SayWhatTheCodeDoes(t *testing.T) {
	for name, write := range map[string]func(context.Context) (string, error){
		"ACCESS-PATTERNS.md": page, "tidemark-data-model.json": dataModel,
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

// A page costs one request, and one more for each shard, kind or stream that is read.
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
			several := spread[p.of] || p.action == httpapi.ListSubjects || p.action == httpapi.ListOpenAlerts || strings.Contains(p.params, "stream=outside&") || strings.Count(p.params, "stream=") > 1 || p.action == httpapi.CheckPurge
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

// Each way of reading that the API has is the pattern of somebody.
func TestPatterns_CoverEveryRead(t *testing.T) {
	kinds, err := config.Default(domains.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	told := map[httpapi.Action]bool{
		// The same as of one kind, of several: all-rollups has its row.
		httpapi.ReadAllChart: true, httpapi.ReadAllTop: true,
		// Of the service, not of the table.
		httpapi.ReadAPI: true, httpapi.ReadHealth: true, httpapi.ReadRelease: true,
	}
	for _, g := range all {
		for _, p := range g.patterns {
			told[p.action] = true
			if p.http(kinds) == "" {
				t.Errorf("%s: no route of the catalog is %s of %s", p.about, p.action, p.of)
			}
		}
	}
	for _, r := range httpapi.Routes(kinds) {
		if !told[r.Action] && r.Method == "GET" {
			t.Errorf("%s %s is no pattern's: add a row", r.Method, r.Path)
		}
	}
}
