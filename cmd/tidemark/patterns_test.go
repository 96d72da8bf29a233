package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

var commandRow = regexp.MustCompile("(?m)^\\| command \\| `tidemark ([^`]+)` \\|$")

// Every command in docs/use/ACCESS-PATTERNS.md works on an empty table: it ends with status 0,
// or 1 if there is nothing to show.
func TestAccessPatterns_CommandsWork(t *testing.T) {
	endpoint := enginetest.Endpoint(t)
	page, err := os.ReadFile("../../docs/use/ACCESS-PATTERNS.md")
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamo.NewClient(t.Context(), "local", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("patterns-%d", time.Now().UnixNano())
	if err := dynamo.New(client, name).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := commandRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 20 {
		t.Fatalf("the page has %d commands, want 20 or more", len(rows))
	}
	configured := withSites(t)
	for _, row := range rows {
		if strings.HasPrefix(row[1], "import") {
			continue // needs a file and an HTTP API
		}
		args := append(shellWords(row[1]), "--endpoint", endpoint, "--table", name, "--region", "local", "--config",
			configured)
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); status > exitNo {
			t.Errorf("tidemark %s: exit status %d: %s", row[1], status, stderr.String())
		}
	}
}

// withSites returns the name of a file with tidemark.yaml and groups of readings by site.
func withSites(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../tidemark.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const kind = "\n  READING:"
	if !strings.Contains(string(text), kind) {
		t.Fatalf("tidemark.yaml has no kind %q", kind)
	}
	from, to, _ := strings.Cut(string(text), kind)
	comment, rest, _ := strings.Cut(to, "\n")
	path := filepath.Join(t.TempDir(), "tidemark.yaml")
	text = []byte(from + kind + comment + "\n    groups: [site]\n" + rest)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shellWords splits a command line, with single quotes as a shell reads them.
func shellWords(line string) (all []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}
