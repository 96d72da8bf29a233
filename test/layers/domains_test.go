package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/domains"
)

// engine are the packages that must not depend on a domain: all except the programs that combine
// both.
var engine = []string{"pkg/model", "pkg/tier", "pkg/rollup", "internal/telemetry", "pkg/keys", "pkg/catalog", "internal/item", "internal/config", "internal/ingest", "internal/aggregate", "internal/alert", "internal/table", "internal/itemstore", "internal/retry", "pkg/lifecycle", "internal/query", "pkg/dynamo", "pkg/memory", "internal/envelope", "internal/httpapi", "pkg/timeseries"}

// shippedSettings are names in the default tidemark.yaml, which package config repeats.
var shippedSettings = map[string]string{"stage.go": "DEVICE", "sources.go": "METRIC"}

// A domain is data. If a package of the engine contains the name of a kind or a subject type, it
// depends on a domain. Comments, examples in messages and tests may contain such names.
func TestEngine_ContainsNoNameOfADomain(t *testing.T) {
	names := map[string]bool{}
	for _, k := range domains.Kinds() {
		names[k.Name], names[k.Subject.Name] = true, true
		names[k.Path], names[k.Subject.Path] = true, true
	}
	for _, dir := range engine {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				requireNoName(t, path, names)
			}
			return nil // a package may not exist
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// requireNoName checks the string constants of a file.
func requireNoName(t *testing.T, path string, names map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		if value, err := strconv.Unquote(text.Value); err == nil && names[value] && shippedSettings[filepath.Base(path)] != value {
			t.Errorf("%s contains %s: read it from the catalog", path, text.Value)
		}
		return true
	})
}

func TestEngine_ImportsNoDomain(t *testing.T) {
	for _, p := range list(t) {
		if !slices.Contains(engine, short(p.ImportPath)) {
			continue
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(short(imported), "pkg/domains") {
				t.Errorf("%s imports %s", short(p.ImportPath), short(imported))
			}
		}
	}
}
