// Package layers checks the imports between the rooms of the house: the folders below internal. A room
// imports only rooms below it, engine and store import no AWS type, and no product code imports what serves
// tests.
package layers

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tidemark-db/tidemark"

// rooms are the folders below internal, the lowest first.
var rooms = []string{"base", "store", "engine", "api", "web", "senders", "data", "ops", "local", "cli"}

// withoutAWS are the rooms whose rules hold for every store.
var withoutAWS = []string{"base", "store", "engine"}

// importers lists who may import a room that only a few may import. Programs import every room.
var importers = map[string][]string{
	"web":     {"web", "data", "local"},
	"senders": {"senders", "data"},
}

type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// room returns the room of a package of this module, or "" for a package outside internal.
func (p pkg) room() string { return room(p.ImportPath) }

func room(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, module+"/internal/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func TestRooms_AreTheFoldersBelowInternal(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", "..", "internal"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	want := slices.Sorted(slices.Values(rooms))
	if !slices.Equal(found, want) {
		t.Errorf("folders below internal: %v, want the rooms %v", found, want)
	}
	packages := map[string]int{}
	for _, p := range list(t) {
		packages[p.room()]++
	}
	for _, r := range rooms {
		if packages[r] == 0 {
			t.Errorf("room %s has no package", r)
		}
	}
}

func TestRooms_ImportOnlyRoomsBelow(t *testing.T) {
	checked := 0
	for _, p := range list(t) {
		at := slices.Index(rooms, p.room())
		if at < 0 {
			continue
		}
		for _, imported := range p.Imports {
			below := slices.Index(rooms, room(imported))
			if below > at {
				t.Errorf("%s imports %s: room %s is above %s", short(p.ImportPath), short(imported), rooms[below],
					rooms[at])
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("no import of a room was checked")
	}
}

func TestRooms_ThatFewMayImport(t *testing.T) {
	met := map[string]bool{}
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			allowed, restricted := importers[room(imported)]
			if !restricted {
				continue
			}
			met[room(imported)] = true
			if r := p.room(); r != "" && !slices.Contains(allowed, r) {
				t.Errorf("%s imports %s: only %v and programs may", short(p.ImportPath), short(imported), allowed)
			}
		}
	}
	if want := slices.Sorted(maps.Keys(importers)); !slices.Equal(slices.Sorted(maps.Keys(met)), want) {
		t.Errorf("imports of %v met, want of %v", met, want)
	}
}

func TestRooms_OfTheRulesImportNoAWSType(t *testing.T) {
	checked := 0
	for _, p := range list(t) {
		if !slices.Contains(withoutAWS, p.room()) {
			continue
		}
		checked++
		for _, imported := range p.Imports {
			if strings.Contains(imported, "github.com/aws/") {
				t.Errorf("%s imports %s", short(p.ImportPath), imported)
			}
		}
	}
	if checked == 0 {
		t.Error("no package was checked")
	}
}

// A package that imports testing serves tests. Only programs of the lab, and packages that serve tests too,
// import it.
func TestProduct_ImportsNoHelperOfTests(t *testing.T) {
	helpers := map[string]bool{}
	all := list(t)
	for _, p := range all {
		if ofTheLab(p.ImportPath) || slices.Contains(p.Imports, "testing") {
			helpers[p.ImportPath] = true
		}
	}
	if len(helpers) == 0 || len(helpers) == len(all) {
		t.Fatalf("%d of %d packages serve tests", len(helpers), len(all))
	}
	for _, p := range all {
		if helpers[p.ImportPath] {
			continue
		}
		for _, imported := range p.Imports {
			if helpers[imported] {
				t.Errorf("%s imports %s, which serves tests", short(p.ImportPath), short(imported))
			}
		}
	}
}

// ofTheLab reports whether a package belongs to the programs that check and measure, or to the suites.
func ofTheLab(importPath string) bool {
	top, _, _ := strings.Cut(short(importPath), "/")
	return top == "lab" || top == "test" || top == "bench" || short(importPath) == "cmd/tidemark-lab"
}

// The SDK's config package supports profiles, sign-ins and roles, which a function does not use,
// and takes a third of its cold start.
func TestFunctionsDoNotLinkTheSDKsConfig(t *testing.T) {
	deps := strings.Fields(goList(t, "-deps", module+"/functions/..."))
	if len(deps) < 100 {
		t.Errorf("go list found %d packages, want all that functions link", len(deps))
	}
	for _, dep := range deps {
		if dep == "github.com/aws/aws-sdk-go-v2/config" || strings.Contains(dep, "aws-sdk-go-v2/service/sso") {
			t.Errorf("a function links %s", dep)
		}
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	out := goList(t, "-json=ImportPath,Dir,GoFiles,Imports,Deps", module+"/...")
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
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

func short(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }
