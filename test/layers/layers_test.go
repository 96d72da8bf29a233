// Package layers checks the imports between packages: a package imports only packages of lower
// layers, and the lower layers do not import AWS packages.
package layers

import (
	"encoding/json"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tidemark-db/tidemark"

// layers lists all packages, the lowest layer first. Add new packages here.
var layers = [][]string{
	0: {"pkg/model", "internal/keyparts", "internal/pages", "internal/lists", "internal/signed", "internal/embedded"},
	1: {"pkg/tier", "internal/ids", "pkg/rollup", "internal/release", "internal/jsonscan", "internal/storage", "internal/entity", "internal/storedtime", "internal/usage", "internal/usertime", "internal/localday", "internal/terminal", "internal/devfile", "internal/testenv", "internal/sitekey", "internal/sharelink", "internal/customprop", "internal/webfield", "internal/referrer", "internal/goal", "internal/ordervalue"},
	2: {"internal/telemetry", "pkg/keys", "internal/tablekeys", "pkg/catalog", "internal/retry"},
	3: {"internal/item", "internal/sessions", "internal/config", "internal/table", "pkg/domains", "pkg/domains/*", "internal/arguments"},
	4: {"internal/ingest", "internal/aggregate", "internal/alert", "pkg/lifecycle", "internal/query", "internal/tablescan", "internal/tableconfig", "internal/writekey", "internal/grafana"},
	5: {"internal/xray", "internal/awsenv", "internal/itemstore", "pkg/dynamo", "pkg/memory", "internal/httpapi", "internal/collector", "internal/script", "internal/envelope", "internal/eventbus", "internal/secret", "internal/storetest", "internal/eventsource", "internal/simstream", "pkg/streamtest", "internal/replay", "internal/tail", "internal/plot", "internal/adopt", "internal/deployment", "internal/files", "internal/source", "internal/source/*", "internal/promapi", "internal/stats", "internal/webui"},
	6: {"pkg/timeseries", "internal/repair", "internal/repair/*", "internal/local", "internal/local/*", "internal/smoke", "internal/cost", "internal/export", "internal/startup"},
	7: {"functions/*", "internal/designdoc", "internal/printing", "internal/target", "pkg/timeseries/timeseriestest", "test/internal/*"},
	8: {"cmd/*", "test/*", "scripts/*", "examples"},
}

// awsFrom is the lowest layer that can import AWS packages.
const awsFrom = 5

// within lists the imports that are allowed within one layer.
var within = [][2]string{
	{"internal/tablekeys", "pkg/keys"},
	{"internal/entity", "pkg/rollup"},
	{"internal/table", "internal/item"},
	{"internal/envelope", "internal/httpapi"},
	{"internal/collector", "internal/httpapi"},
	{"internal/webui", "internal/httpapi"},
	{"internal/promapi", "internal/httpapi"},
	{"internal/source/lineprotocol", "internal/source"},
	{"internal/source/receiver", "internal/source"},
	{"internal/source/otlp", "internal/source"},
	{"internal/source/receiver", "internal/source/lineprotocol"},
	{"internal/source/receiver", "internal/source/otlp"},
	{"internal/source/receiver", "internal/httpapi"},
	{"internal/script", "internal/httpapi"},
	{"pkg/dynamo", "internal/awsenv"},
	{"pkg/dynamo", "internal/itemstore"},
	{"pkg/memory", "internal/itemstore"},
	{"internal/repair/undelivered", "internal/repair/onfailure"},
	{"internal/repair/undelivered", "internal/repair/quarantine"},
	{"internal/replay", "internal/collector"},
	{"internal/replay", "internal/files"},
	{"internal/replay", "internal/source"},
	{"internal/replay", "internal/source/lineprotocol"},
	{"internal/secret", "internal/awsenv"},
	{"internal/eventbus", "internal/awsenv"},
	{"internal/simstream", "internal/eventsource"},
	{"pkg/streamtest", "internal/eventsource"},
	{"pkg/streamtest", "internal/simstream"},
	{"internal/local", "internal/local/ddb"},
	{"internal/local", "internal/repair/changeover"},
	{"internal/repair/reshape", "internal/repair/verify"},
	{"internal/repair", "internal/repair/onfailure"},
	{"internal/repair", "internal/repair/streamrange"},
	{"internal/repair", "internal/repair/verify"},
	{"pkg/domains", "pkg/domains/iot"},
	{"pkg/domains", "pkg/domains/metrics"},
	{"pkg/domains", "pkg/domains/web"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	for _, p := range list(t) {
		at := layerOf(p.ImportPath)
		if at < 0 {
			t.Errorf("%s is in no layer: add it to layers", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) || slices.Contains(within, [2]string{short(p.ImportPath), short(imported)}) {
				continue
			}
			if below := layerOf(imported); below >= at {
				t.Errorf("%s (layer %d) imports %s (layer %d)", short(p.ImportPath), at, short(imported), below)
			}
		}
	}
}

func TestLowerLayersDoNotImportAWS(t *testing.T) {
	for _, p := range list(t) {
		if at := layerOf(p.ImportPath); at < 0 || at >= awsFrom {
			continue
		}
		for _, imported := range p.Imports {
			if strings.Contains(imported, "github.com/aws/") {
				t.Errorf("%s imports %s", short(p.ImportPath), imported)
			}
		}
	}
}

// The SDK's config package supports profiles, sign-ins and roles, which a function does not use,
// and takes a third of its cold start.
func TestFunctionsDoNotLinkTheSDKsConfig(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/functions/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, dep := range strings.Fields(string(out)) {
		if dep == "github.com/aws/aws-sdk-go-v2/config" || strings.Contains(dep, "aws-sdk-go-v2/service/sso") {
			t.Errorf("a function links %s", dep)
		}
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatalf("read go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 10 {
		t.Fatalf("go list found %d packages, want at least 10: wrong directory", len(pkgs))
	}
	return pkgs
}

func layerOf(importPath string) int {
	for at, patterns := range layers {
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, short(importPath)); ok {
				return at
			}
		}
	}
	return -1
}

func short(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }
