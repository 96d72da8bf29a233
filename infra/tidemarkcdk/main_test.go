package tidemarkcdk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// TestMain stops the Node process that all tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	if _, err := exec.LookPath("node"); err == nil {
		jsii.Close()
	}
	os.Exit(code)
}

type resource = template.Resource

func shipped(t testing.TB) *config.Config {
	t.Helper()
	settings, err := configfile.Load("../../tidemark.yaml", domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// allStages returns the shipped stages and the tests' own stages.
func allStages(t testing.TB) *config.Config {
	t.Helper()
	settings := shipped(t)
	more, err := configfile.Load("../testdata/stages.yaml", domains.Kinds()...)
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
		for _, file := range []string{"bootstrap", configfile.FileName} {
			if err := os.WriteFile(filepath.Join(folder, f.name, file), []byte("a stub of "+f.name),
				0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// needNode ends a test that synthesizes templates if Node is not installed: skipped, or
// failed if TIDEMARK_REQUIRE names node.
func needNode(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		testenv.Missing(t, "node", "Node is not installed: make doctor says how to install it")
	}
}

// stacks declares a stack for each stage, with placeholders for the functions.
func stacks(t testing.TB, settings *config.Config) (awscdk.App, []*Tidemark, error) {
	t.Helper()
	needNode(t)
	folder := t.TempDir()
	stubs(t, filepath.Join(folder, "build"))
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: new(filepath.Join(folder, "out")),
		AnalyticsReporting: new(false), TreeMetadata: new(false),
		PostCliContext: &map[string]any{"@aws-cdk/core:validateAgainstDefaultRules": true, "aws:cdk:enable-path-metadata": false, "aws:cdk:enable-asset-metadata": false}})
	var all []*Tidemark
	for _, stage := range settings.Stages {
		props := &awscdk.StackProps{}
		if stage.Account != "" {
			props.Env = &awscdk.Environment{Account: &stage.Account, Region: &stage.Region}
		}
		s, err := newTidemark(awscdk.NewStack(app, new("tidemark-"+stage.Name), props), "Default",
			Props{Code: filepath.Join(folder, "build")}, settings, stage)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	return app, all, nil
}

// synthesize returns the templates of a configuration by stage name.
func synthesize(t testing.TB, settings *config.Config) map[string]template.Template {
	t.Helper()
	app, all, err := stacks(t, settings)
	if err != nil {
		t.Fatal(err)
	}
	assembly, templates := app.Synth(nil), map[string]template.Template{}
	for _, s := range all {
		data, err := os.ReadFile(*assembly.GetStackByName(s.stack.StackName()).TemplateFullPath())
		if err != nil {
			t.Fatal(err)
		}
		templates[s.stage.Name] = template.WithoutHashes(data)
	}
	return templates
}

var (
	once  sync.Once
	first map[string]template.Template
)

// stage returns the template of a stage, which is synthesized once for all tests.
func stage(t testing.TB, name string) template.Template {
	t.Helper()
	needNode(t)
	once.Do(func() { first = synthesize(t, allStages(t)) })
	found, ok := first[name]
	if !ok {
		t.Fatalf("no template of stage %s: see the earlier failure", name)
	}
	return found
}

// all has the names of the stages under test.
var all = []string{"dev", "prod", "full"}

// watched are the stages with full monitoring.
var watched = []string{"prod", "full"}

func resources(t testing.TB, name string) map[string]resource {
	t.Helper()
	found, err := stage(t, name).Resources()
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
