package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// allowed are the names that a file contains for another reason than a domain.
var allowed = map[string]string{
	"internal/base/config/stage.go":   "DEVICE",  // the default of a setting
	"internal/base/config/sources.go": "METRIC",  // the default of a setting
	"internal/local/stack/breakit.go": "DEVICE",  // the sample of tidemark dev
	"internal/local/stack/front.go":   "REQUEST", // a type of authorizer in API Gateway
	// a measure that other programs call so
	"internal/base/webfield/webfield.go": "pageviews",
}

// A domain is data. If a package of the engine contains the name of a kind or a subject type, it
// depends on a domain. Comments, examples in messages and tests may contain such names.
func TestEngine_ContainsNoNameOfADomain(t *testing.T) {
	names := domainNames(domains.Kinds())
	files, used := 0, map[string]bool{}
	for _, p := range engine(t) {
		for _, base := range p.GoFiles {
			file := short(p.ImportPath) + "/" + base
			files++
			for _, name := range namesIn(t, filepath.Join(p.Dir, base), nil, names) {
				used[file] = true
				if allowed[file] != name {
					t.Errorf("%s contains %q: read it from the catalog", file, name)
				}
			}
		}
	}
	if files < 200 || len(names) < 10 {
		t.Errorf("searched %d files for %d names, want the whole engine and every kind", files, len(names))
	}
	for file := range allowed {
		if !used[file] {
			t.Errorf("%s contains no name of a domain: remove it from allowed", file)
		}
	}
}

func TestNamesIn_FindsANameInAStringAndNotInAComment(t *testing.T) {
	const source = "package sessions\n\n// PAGEVIEW\nconst kind = \"PAGEVIEW\"\n"
	got := namesIn(t, "kind.go", source, domainNames(domains.Kinds()))
	if !slices.Equal(got, []string{"PAGEVIEW"}) {
		t.Errorf("found %q, want the constant alone", got)
	}
}

// engine lists the packages below internal and pkg that no domain is linked into: all except the
// domains, the packages of websites, and what combines both.
func engine(t *testing.T) (found []pkg) {
	t.Helper()
	for _, p := range list(t) {
		name := short(p.ImportPath)
		if (strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "pkg/")) && !isDomain(name) &&
			!slices.ContainsFunc(p.Deps, func(dep string) bool { return short(dep) == "pkg/domains" }) {
			found = append(found, p)
		}
	}
	rooms := map[string]int{}
	for _, p := range found {
		rooms[filepath.Dir(short(p.ImportPath))]++
	}
	for _, room := range []string{"internal/engine", "internal/store", "pkg"} {
		if rooms[room] == 0 {
			t.Errorf("no package of %s is searched for names of a domain", room)
		}
	}
	return found
}

// isDomain reports whether a package belongs to one domain.
func isDomain(name string) bool {
	return strings.HasPrefix(name, "pkg/domains") || strings.HasPrefix(name, "internal/web/")
}

// domainNames returns the names and path segments of kinds and of their subject types.
func domainNames(kinds []catalog.Kind) map[string]bool {
	names := map[string]bool{}
	for _, k := range kinds {
		for _, name := range []string{k.Name, k.Path, k.Subject.Name, k.Subject.Path} {
			names[name] = true
		}
	}
	return names
}

// namesIn returns the string constants of a file that are in names.
func namesIn(t *testing.T, path string, source any, names map[string]bool) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		if value, err := strconv.Unquote(text.Value); err == nil && names[value] {
			found = append(found, value)
		}
		return true
	})
	return found
}

func TestEngine_ImportsNoDomain(t *testing.T) {
	searched := 0
	for _, p := range list(t) {
		name := short(p.ImportPath)
		if !strings.HasPrefix(name, "internal/engine/") && !strings.HasPrefix(name, "internal/store/") {
			continue
		}
		searched++
		for _, dep := range p.Deps {
			if strings.HasPrefix(short(dep), "pkg/domains") {
				t.Errorf("%s imports %s", name, short(dep))
			}
		}
	}
	if searched < 10 {
		t.Errorf("searched %d packages, want the rooms engine and store", searched)
	}
}
