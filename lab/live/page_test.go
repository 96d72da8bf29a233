package live

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/run/LIVE-CHECK.md")

const docs = "../../docs"

func TestPage_ListsEachProbe(t *testing.T) {
	path := filepath.Join(docs, "run", "LIVE-CHECK.md")
	if *update {
		if err := os.WriteFile(path, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != page() {
		t.Errorf("%v: %s differs from the probes: go test ./lab/live -update writes it", err, path)
	}
}

func TestProbes_DefendPagesThatExist(t *testing.T) {
	names := map[string]bool{}
	for _, p := range allProbes() {
		if p.name == "" || p.assumes == "" || p.how == "" || p.run == nil || names[p.name] {
			t.Errorf("probe %+v: want a name of its own, an assumption, a way and a function", p)
		}
		names[p.name] = true
		if _, err := os.Stat(filepath.Join(docs, p.page)); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}
