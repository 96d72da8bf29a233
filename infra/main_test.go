package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden templates")

// TestMain stops the Node process that all tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	if _, err := exec.LookPath("node"); err == nil {
		jsii.Close()
	}
	os.Exit(code)
}

// deployed are the functions of the shipped configuration.
var deployed = []string{"ingest", "aggregate", "query", "manage", "purge", "authorize"}

// allStages writes a configuration of the shipped stages and the tests' own stages.
func allStages(t testing.TB, folder string) (path string) {
	t.Helper()
	var text []byte
	for _, file := range []string{configFile, "testdata/stages.yaml"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, rows, found := bytes.Cut(data, []byte("\nstages:\n")); found && len(text) > 0 {
			data = rows
		}
		text = append(text, data...)
	}
	path = filepath.Join(folder, configfile.FileName)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// stubs writes placeholders for the built functions. Their content only determines the asset
// hashes.
func stubs(t testing.TB, folder string) {
	t.Helper()
	for _, name := range append(slices.Clone(deployed), "pages") { // stage teams has pages
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"bootstrap", configfile.FileName} {
			if err := os.WriteFile(filepath.Join(folder, name, file), []byte("a stub of "+name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// synthesized is every stage's template, and the files of the assembly.
type synthesized struct {
	templates map[string]template.Template
	files     map[string]string
}

// needNode ends a test that synthesizes templates if Node is not installed: skipped, or
// failed if TIDEMARK_REQUIRE names node.
func needNode(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		testenv.Missing(t, "node", "Node is not installed: make doctor says how to install it")
	}
}

func synth(t testing.TB) synthesized {
	t.Helper()
	needNode(t)
	folder := t.TempDir()
	stubs(t, filepath.Join(folder, "build"))
	a, err := newApp(allStages(t, folder), filepath.Join(folder, "build"), filepath.Join(folder, "out"))
	if err != nil {
		t.Fatal(err)
	}
	templates, err := a.templates()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	found, err := filepath.Glob(filepath.Join(folder, "out", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = strings.ReplaceAll(string(data), folder, "FOLDER")
	}
	return synthesized{templates, files}
}

var (
	once  sync.Once
	first synthesized
)

// stage returns the template of a stage, which is synthesized once for all tests.
func stage(t testing.TB, name string) template.Template {
	t.Helper()
	needNode(t)
	once.Do(func() { first = synth(t) })
	found, ok := first.templates[name]
	if !ok {
		t.Fatalf("no template of stage %s: see the earlier failure", name)
	}
	return found
}

// all has the names of the stages under test.
var all = []string{"dev", "prod", "full"}

func resources(t testing.TB, name string) map[string]template.Resource {
	t.Helper()
	found, err := stage(t, name).Resources()
	if err != nil {
		t.Fatal(err)
	}
	return found
}
