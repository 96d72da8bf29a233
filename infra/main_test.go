package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/pkg/domains"
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

// full are a stage with every option that does not exclude another, and stages for the rest,
// in addition to the shipped ones.
const full = `
stages:
  full:
    billing: {readUnits: 25, writeUnits: 50}
    alarmMail: team@example.com
    alarmTopic: arn:aws:sns:eu-central-1:123456789012:on-call
    customerKey: true
    sweeps: 4
    tracing: true
    access: {issuer: "https://login.example.com", audience: [tidemark, console], ownerClaim: account, scopePrefix: tidemark/}
    cors: ["https://app.example.com"]
    domain: {name: series.example.com, certificate: "arn:aws:acm:eu-central-1:123456789012:certificate/1"}
    permissionsBoundary: arn:aws:iam::123456789012:policy/boundary
    reserved: {ingest: 50, aggregate: 20, query: 10}
    sources: {topic: plant7, sqs: true, kinesis: true}
  canary:
    account: "123456789012"
    region: eu-central-1
    canary: true
  lean:
    removal: destroy
    monitoring: lean
    alarmMail: team@example.com
  batched:
    sources: {batched: true}
  devices:
    cors: ["https://app.example.com"]
    access: {issuer: "https://login.example.com", audience: [tidemark]}
    sources: {pages: false, senders: false}
`

func shipped(t testing.TB) *config.Config {
	t.Helper()
	settings, err := config.Load(configFile, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// allStages returns the shipped stages and full.
func allStages(t testing.TB) *config.Config {
	t.Helper()
	settings := shipped(t)
	more, err := config.Parse("full", []byte(full), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	settings.Stages = append(settings.Stages, more.Stages...)
	return settings
}

// stubs writes placeholders for the built functions. Their content only determines the asset
// hashes.
func stubs(t testing.TB, folder string) {
	t.Helper()
	for _, f := range functions {
		if err := os.MkdirAll(filepath.Join(folder, f.name), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"bootstrap", config.FileName} {
			if err := os.WriteFile(filepath.Join(folder, f.name, file), []byte("a stub of "+f.name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// synthesized is every stage's template, and the files of the assembly.
type synthesized struct {
	templates map[string]template
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
	a, err := newApp(allStages(t), filepath.Join(folder, "build"), filepath.Join(folder, "out"))
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
func stage(t testing.TB, name string) template {
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

func resources(t testing.TB, name string) map[string]resource {
	t.Helper()
	found, err := stage(t, name).resources()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// resourcesOfType returns a stage's resources of a type, by logical id.
func resourcesOfType(t testing.TB, name, resourceType string) map[string]resource {
	t.Helper()
	found := map[string]resource{}
	for id, r := range resources(t, name) {
		if r.Type == resourceType {
			found[id] = r
		}
	}
	if len(found) == 0 {
		t.Fatalf("stage %s has no %s", name, resourceType)
	}
	return found
}

// render returns a template value as short text: Table.Arn for an attribute, the joined parts
// of a join.
func render(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		var parts []string
		for _, part := range v {
			parts = append(parts, render(part))
		}
		return strings.Join(parts, " ")
	case map[string]any:
		if ref, ok := v["Ref"]; ok {
			return render(ref)
		}
		if attribute, ok := v["Fn::GetAtt"].([]any); ok {
			return render(attribute[0]) + "." + render(attribute[1])
		}
		if join, ok := v["Fn::Join"].([]any); ok {
			var joined strings.Builder
			for _, part := range join[1].([]any) {
				joined.WriteString(render(part))
			}
			return joined.String()
		}
	}
	return fmt.Sprint(value)
}

// at returns the value at a path of a resource's properties.
func at(properties map[string]any, path ...string) any {
	var value any = properties
	for _, name := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[name]
	}
	return value
}
