package docs

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tidemark-db/tidemark"

var requirement = regexp.MustCompile(`(?m)^\s+(\S+) v\S+( // indirect)?$`)

// modules are the folders that have a go.mod.
var modules = []string{".", "infra"}

func TestDependencies_EachImportedModuleHasALine(t *testing.T) {
	listed := lines(t)
	for _, dir := range modules {
		for name := range imported(t, dir) {
			if name != module && !listed(name) {
				t.Errorf("%s/go.mod: %s has no line in docs/decisions/dependencies.md", dir, name)
			}
		}
	}
}

func TestDependencies_EachNodePackageHasALine(t *testing.T) {
	listed := lines(t)
	for _, file := range []string{"package.json", "bench/electro/package.json"} {
		var packages struct{ Dependencies, DevDependencies map[string]string }
		if err := json.Unmarshal([]byte(read(t, file)), &packages); err != nil {
			t.Fatal(err)
		}
		if len(packages.Dependencies)+len(packages.DevDependencies) == 0 {
			t.Errorf("%s has no dependencies", file)
		}
		for _, all := range []map[string]string{packages.Dependencies, packages.DevDependencies} {
			for name := range all {
				if !listed(name) {
					t.Errorf("%s: %s has no line in docs/decisions/dependencies.md", file, name)
				}
			}
		}
	}
}

// A requirement that code imports is in the first block and not marked as indirect.
func TestGoMod_SeparatesDirectFromIndirectRequirements(t *testing.T) {
	for _, dir := range []string{".", "infra"} {
		direct := imported(t, dir)
		for i, block := range strings.Split(read(t, dir+"/go.mod"), "require (")[1:] {
			for _, r := range requirement.FindAllStringSubmatch(block, -1) {
				if direct[r[1]] != (i == 0) || direct[r[1]] != (r[2] == "") {
					t.Errorf("%s/go.mod: %s: imported %v, marked %q, in block %d", dir, r[1], direct[r[1]], r[2], i+1)
				}
			}
		}
	}
}

// lines returns a function that reports whether the page has a line for a dependency. The
// page may omit the host github.com and the path of the AWS SDK. Rejected libraries do not
// count.
func lines(t *testing.T) func(name string) bool {
	page, _, found := strings.Cut(read(t, "docs/decisions/dependencies.md"), "Considered and rejected")
	if !found {
		t.Fatal("the page has no list of rejected libraries")
	}
	named := strings.FieldsFunc(page, func(r rune) bool { return strings.ContainsRune(" ,;`()|\n", r) })
	return func(name string) bool {
		short := strings.TrimPrefix(name, "github.com/")
		return slices.Contains(named, short) ||
			slices.Contains(named, strings.TrimPrefix(short, "aws/aws-sdk-go-v2/"))
	}
}

// imported returns the requirements of a module that its code or its tests import.
func imported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	var required []string
	for _, r := range requirement.FindAllStringSubmatch(read(t, dir+"/go.mod"), -1) {
		required = append(required, r[1])
	}
	direct := map[string]bool{}
	for path := range imports(t, dir) {
		owner := ""
		for _, name := range required {
			if (path == name || strings.HasPrefix(path, name+"/")) && len(name) > len(owner) {
				owner = name
			}
		}
		if owner != "" {
			direct[owner] = true
		}
	}
	if len(direct) == 0 {
		t.Fatalf("%s/go.mod: no requirement is imported", dir)
	}
	return direct
}

// imports returns the paths that the Go files of a module import.
func imports(t *testing.T, dir string) map[string]bool {
	t.Helper()
	paths := map[string]bool{}
	top := filepath.Join(root, dir)
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != top && foreign(path, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		for _, path := range fileImports(t, path) {
			paths[path] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func fileImports(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		all = append(all, strings.Trim(spec.Path.Value, `"`))
	}
	return all
}

// foreign reports whether a folder is not part of the module: another module, downloaded
// packages or build output.
func foreign(path, name string) bool {
	other := slices.Contains(modules, name) && filepath.Dir(path) == filepath.Clean(root)
	return other || slices.Contains([]string{"node_modules", "build", "bin", "cdk.out", "testdata"}, name) ||
		strings.HasPrefix(name, ".") && name != ".."
}
