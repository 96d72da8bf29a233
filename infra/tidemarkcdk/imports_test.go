package tidemarkcdk

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/tidemark-db/tidemark/"
	engine = module + "internal/engine/"
	// The HTTP API's packages import the engine for their types: infra uses their routes and the
	// names of environment variables.
	api = module + "internal/api/"
)

// priced is what the app imports for "make deploy-dry": it measures what an event costs with the engine. The
// construct, which other apps link, does not.
const priced = module + "internal/ops/cost"

// infra uses names and settings of the other module, but none of the engine's logic, and no
// package that works with the engine, such as a store.
func TestInfra_ImportsOnlyNamesAndSettings(t *testing.T) {
	imports := listImports(t)
	var checked, guarded, excepted int
	for path := range imports {
		if strings.HasPrefix(path, engine) {
			guarded++
		}
	}
	for path, list := range imports {
		if path != module+"infra" && !strings.HasPrefix(path, module+"infra/") {
			continue
		}
		for _, imported := range list {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			checked++
			if path == module+"infra" && imported == priced {
				excepted++
			} else if hasLogic(imports, imported) {
				t.Errorf("%s imports %s: want names and settings only", path, imported)
			}
		}
	}
	if checked < 10 || guarded < 5 || excepted != 1 {
		t.Errorf("checked %d imports against %d packages of the engine, with %d exceptions: want all, and one",
			checked, guarded, excepted)
	}
}

func TestHasLogic_IsTrueOfTheEngineAndOfStores(t *testing.T) {
	imports := listImports(t)
	for path, want := range map[string]bool{
		"internal/engine/aggregate": true, "internal/engine/query": true,
		"pkg/dynamo": true, "pkg/memory": true, "pkg/timeseries": true,
		"internal/base/config": false, "internal/api/httpapi": false, "pkg/keys": false,
	} {
		if got := hasLogic(imports, module+path); got != want {
			t.Errorf("%s has logic: %v, want %v", path, got, want)
		}
	}
}

// settings may import rules that validate a configuration.
var settings = []string{module + "internal/base/config", module + "pkg/catalog"}

// hasLogic reports whether a package is in the engine or imports it.
func hasLogic(imports map[string][]string, path string) bool {
	if strings.HasPrefix(path, engine) {
		return true
	}
	inEngine := func(imported string) bool { return strings.HasPrefix(imported, engine) }
	return !strings.HasPrefix(path, api) && !slices.Contains(settings, path) &&
		slices.ContainsFunc(imports[path], inEngine)
}

// listImports returns the imports of each package of both modules. infra does not require what only
// other packages of the root need, so those are listed with errors.
func listImports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return imports
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		imports[p.ImportPath] = p.Imports
	}
}
