// Package docs compares the documentation with the code.
package docs

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var makeTarget = regexp.MustCompile(`\bmake ([a-z]+(?:-[a-z]+)*)\b`)

// The make targets in code of the pages exist.
func TestPages_NameExistingTargets(t *testing.T) {
	makefile := read(t, "Makefile")
	for _, page := range pages(t) {
		for _, code := range code(read(t, page)) {
			for _, found := range makeTarget.FindAllStringSubmatch(code, -1) {
				if !strings.Contains(makefile, "\n"+found[1]+":") {
					t.Errorf("%s: make %s: no such target", page, found[1])
				}
			}
		}
	}
}

var codeParts = regexp.MustCompile("(?s)```.*?```|`[^`]+`")

func code(page string) []string { return codeParts.FindAllString(page, -1) }

var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

func TestPages_LinkToExistingFiles(t *testing.T) {
	for _, page := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(codeParts.ReplaceAllString(read(t, page), ""), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, found[1])
			}
		}
	}
}

// pages returns the paths of all pages, relative to the root.
func pages(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*/*.md", "events/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		for _, page := range found {
			path, err := filepath.Rel(root, page)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, path)
		}
	}
	return all
}

// docs/run/SECURITY.md lists every route that changes data, for separate permissions.
func TestSecurity_NamesEachRouteThatChangesData(t *testing.T) {
	kinds, err := config.Default(domains.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	_, listed, found := strings.Cut(read(t, "docs/run/SECURITY.md"), "may call those routes (")
	listed, _, ended := strings.Cut(listed, ")")
	if !found || !ended {
		t.Fatal("the page has no list of routes")
	}
	for _, r := range httpapi.Routes(kinds) {
		if !r.Action.Changes() || r.Action == httpapi.Append {
			continue
		}
		if want := onPage(r); !strings.Contains(listed, "`"+want+"`") {
			t.Errorf("%s %s: docs/run/SECURITY.md does not name %s", r.Method, r.Path, want)
		}
	}
}

var (
	ofSubject = regexp.MustCompile(`^/v1/[a-z]+/\{id\}`)
	ofType    = regexp.MustCompile(`^/v1/rules/[a-z]+`)
)

// onPage returns a route as the page names it: the method if no other route has it, or POST
// with the part of the path after the subject.
func onPage(r httpapi.Route) string {
	if r.Method != http.MethodPost {
		return r.Method
	}
	return r.Method + " " +
		ofType.ReplaceAllString(ofSubject.ReplaceAllString(r.Path, "…"), "/v1/rules/{subjects}")
}

func TestContributing_NamesEachPackage(t *testing.T) {
	page := read(t, "CONTRIBUTING.md")
	for _, dir := range packageDirs(t, "pkg/*/*.go", "internal/*/*/*.go", "internal/ops/repair/*/*.go") {
		if !strings.Contains(page, "]("+dir+")") {
			t.Errorf("CONTRIBUTING.md does not name %s", dir)
		}
	}
}

func TestGoPage_NamesEachPublicPackage(t *testing.T) {
	page := read(t, "docs/use/GO.md")
	for _, dir := range packageDirs(t, "pkg/*/*.go", "pkg/domains/*/*.go") {
		if dir != "pkg/domains" && !strings.Contains(page, "](../../"+dir+")") {
			t.Errorf("docs/use/GO.md does not name %s", dir)
		}
	}
}

// packageDirs returns the directories of the files that match the patterns, each once.
func packageDirs(t *testing.T, patterns ...string) (dirs []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			dir, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func TestInfra_ImportsWhatItsDecisionNames(t *testing.T) {
	decision := read(t, "docs/decisions/0009-infra.md")
	app, err := filepath.Glob(filepath.Join(root, "infra", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "infra", "tidemarkcdk", "*.go"))
	if files = append(files, app...); err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, path := range fileImports(t, file) {
			name, ours := strings.CutPrefix(path, module+"/pkg/")
			if ours && !strings.HasPrefix(name, "domains") && !strings.Contains(decision, "`"+name+"`") {
				t.Errorf("%s imports %s, which decision 9 does not name", filepath.Base(file), name)
			}
		}
	}
}
