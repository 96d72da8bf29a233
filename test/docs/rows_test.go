package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
)

// stringConstants returns the values of the string constants of a package whose names or types have a prefix,
// by name.
func stringConstants(t *testing.T, folder, prefix string) map[string]string {
	t.Helper()
	found := map[string]string{}
	paths, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			value, ok := spec.Values[0].(*ast.BasicLit)
			kind, _ := spec.Type.(*ast.Ident)
			if ok && value.Kind == token.STRING && (strings.HasPrefix(spec.Names[0].Name, prefix) ||
				kind != nil && kind.Name == prefix) {
				found[spec.Names[0].Name], _ = strconv.Unquote(value.Value)
			}
			return true
		})
	}
	return found
}

// Each attribute that an item may have is on the page of the table.
func TestTable_DescribesEachAttribute(t *testing.T) {
	t.Parallel()
	page, attributes := read(t, "docs/inside/TABLE.md"), stringConstants(t, "internal/store/tablekeys", "Attr")
	if len(attributes) < 50 {
		t.Fatalf("%d attributes found, want all", len(attributes))
	}
	for name, attribute := range attributes {
		if !strings.Contains(page, "`"+attribute+"`") {
			t.Errorf("docs/inside/TABLE.md does not describe the attribute %s of tablekeys.%s", attribute, name)
		}
	}
}

// countsOutcomes are the files that count outcomes by a list of them, and what they leave out.
var countsOutcomes = map[string]string{
	"internal/data/replay/counts.go": "Unknown", // it is sent again
}

// An outcome that no list has would be counted nowhere.
func TestOutcomes_AreCounted(t *testing.T) {
	t.Parallel()
	outcomes := stringConstants(t, "pkg/model", "Outcome")
	if len(outcomes) < 9 {
		t.Fatalf("%d outcomes found, want all", len(outcomes))
	}
	metrics := stringConstants(t, "internal/base/telemetry", "Metric")
	for name := range outcomes {
		if metrics["Observations"+name] == "" {
			t.Errorf("no metric of package telemetry is named Observations%s", name)
		}
	}
	for path, without := range countsOutcomes {
		text := read(t, path)
		for name := range outcomes {
			if name != without && !strings.Contains(text, "model."+name) {
				t.Errorf("%s does not count model.%s", path, name)
			}
		}
	}
}

// shownValues are constants whose values the pages show, each by a row of its own: without one, the page
// shows the bare value.
var shownValues = []struct{ folder, kind, page string }{
	{folder: "internal/ops/repair/verify", kind: "Status", page: "ui/src/verification.ts"},
	{folder: "internal/store/storage", kind: "Severity", page: "ui/src/alerts.tsx"},
}

func TestPages_HaveARowForEachValue(t *testing.T) {
	t.Parallel()
	for _, shown := range shownValues {
		values, page := stringConstants(t, shown.folder, shown.kind), read(t, shown.page)
		if len(values) < 3 {
			t.Errorf("%d values of %s found, want all", len(values), shown.kind)
		}
		for name, value := range values {
			if !strings.Contains(page, value+`: "`) {
				t.Errorf("%s has no row for %s %q", shown.page, name, value)
			}
		}
	}
}

// hiddenFigures are columns of figures that the pages show in another way, or not.
var hiddenFigures = []string{"coveredSeconds", "rounded"}

func TestPages_HaveARowForEachFigure(t *testing.T) {
	t.Parallel()
	page := read(t, "ui/src/figures.ts")
	for _, c := range slices.Concat(figure.Columns, figure.Steps) {
		if !slices.Contains(hiddenFigures, c.Name) && !strings.Contains(page, `name: "`+c.Name+`"`) {
			t.Errorf("ui/src/figures.ts has no row for the figure %s", c.Name)
		}
	}
}

// Each preset and each path that senders write to is on the page of senders.
func TestSenders_AreOnTheirPage(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/use/SENDERS.md")
	for _, preset := range config.Presets() {
		if !strings.Contains(page, "`"+preset+"`") {
			t.Errorf("docs/use/SENDERS.md does not name the preset %s", preset)
		}
	}
	for _, path := range access.WriteKeyPaths {
		if fixed, _, _ := strings.Cut(path, "{"); !strings.Contains(page, fixed) {
			t.Errorf("docs/use/SENDERS.md does not name the path %s", path)
		}
	}
}
