package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

type samTemplate struct {
	Transform string `yaml:"Transform"`
	Resources map[string]struct {
		Type       string         `yaml:"Type"`
		Properties map[string]any `yaml:"Properties"`
		Metadata   map[string]any `yaml:"Metadata"`
	} `yaml:"Resources"`
}

func readSAM(t *testing.T) (template samTemplate) {
	t.Helper()
	text, err := os.ReadFile("../template.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &template)
	}
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func functionID(name string) string { return strings.ToUpper(name[:1]) + name[1:] + "Function" }

func TestSAM_FunctionsAreTheBuildFolders(t *testing.T) {
	template := readSAM(t)
	if template.Transform != "AWS::Serverless-2016-10-31" {
		t.Errorf("the transform is %q", template.Transform)
	}
	for _, name := range deployed {
		r := template.Resources[functionID(name)]
		if r.Type != "AWS::Serverless::Function" || r.Properties["CodeUri"] != "build/"+name ||
			r.Metadata["SkipBuild"] != true {
			t.Errorf("%s is %+v", name, r)
		}
	}
	for id, r := range template.Resources {
		if r.Type == "AWS::Lambda::Function" {
			t.Errorf("%s is not a SAM function", id)
		}
	}
}

func TestSAM_NamesASampleThatExists(t *testing.T) {
	_, sample, _ := strings.Cut(samHeader, "IngestFunction -e ")
	sample, _, _ = strings.Cut(sample, " ")
	if _, err := os.Stat("../" + sample); err != nil {
		t.Errorf("the header names sample %q: %v", sample, err)
	}
}

func TestSAM_ValidatesAndBuilds(t *testing.T) {
	sam := pythonTool(t, "sam")
	for _, c := range []struct {
		wants string
		args  []string
	}{
		{"is a valid SAM Template", []string{"validate", "--lint", "--region", "us-east-1"}},
		{"Build Succeeded", []string{"build", "--build-dir", t.TempDir()}},
	} {
		check := exec.Command(sam, append(c.args, "--template", "../template.yaml")...)
		check.Env = append(os.Environ(), "SAM_CLI_TELEMETRY=0", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x")
		if output, err := check.CombinedOutput(); err != nil || !strings.Contains(string(output), c.wants) {
			t.Errorf("sam %s: %v\n%s", c.args[0], err, output)
		}
	}
}

// The findings that cfn-lint may have, and why.
var justified = map[string]string{
	"W3005": "CDK adds a DependsOn to each role's policy, which is redundant where a reference implies it",
}

func TestTemplates_HaveNoFindingOfCfnLint(t *testing.T) {
	templates, err := filepath.Glob("testdata/*.template.json")
	if err != nil || len(templates) < 2 {
		t.Fatalf("templates %q, %v", templates, err)
	}
	args := []string{"--format", "parseable", "--template"}
	output, err := exec.Command(pythonTool(t, "cfn-lint"), append(args, templates...)...).CombinedOutput()
	for line := range strings.Lines(string(output)) {
		parts := strings.Split(line, ":")
		if len(parts) < 7 || justified[parts[5]] == "" {
			t.Errorf("cfn-lint: %s", line)
		}
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
}

// pythonTool returns the path of a tool that scripts/venv.sh installs.
func pythonTool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../build/venv/bin/" + name)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		testenv.Missing(t, "python", name+" is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	return path
}

// env.json sets variables of every function, which sam local invoke ignores unless the template
// declares them.
func TestSAM_FunctionsDeclareWhatEnvJSONSets(t *testing.T) {
	text, err := os.ReadFile("../env.json")
	if err != nil {
		t.Fatal(err)
	}
	var env struct{ Parameters map[string]string }
	if err := json.Unmarshal(text, &env); err != nil || len(env.Parameters) < 2 {
		t.Fatalf("%v, %v", env, err)
	}
	template := readSAM(t)
	for _, function := range deployed {
		variables, _ := template.Resources[functionID(function)].Properties["Environment"].(map[string]any)["Variables"].(map[string]any)
		for name := range env.Parameters {
			if _, declared := variables[name]; !declared {
				t.Errorf("%s does not declare %s", function, name)
			}
		}
	}
}

// The function runs in the container of AWS, on a table of DynamoDB Local.
func TestSAM_LocalInvoke(t *testing.T) {
	sam := pythonTool(t, "sam")
	docker, err := exec.LookPath("docker")
	if err == nil {
		err = exec.Command(docker, "info").Run()
	}
	if err != nil {
		t.Skipf("skipped: sam local invoke needs a running Docker: %v", err)
	}
	_, command, _ := strings.Cut(samHeader, "#\tsam ")
	command, _, _ = strings.Cut(command, " --env-vars")
	invoke := exec.Command("../bin/tidemark", append([]string{"dev", "--", sam}, strings.Fields(command)...)...)
	invoke.Dir = ".."
	invoke.Path = "bin/tidemark"
	invoke.Env = append(os.Environ(), "SAM_CLI_TELEMETRY=0")
	var out, log strings.Builder
	invoke.Stdout, invoke.Stderr = &out, &log
	if err := invoke.Run(); err != nil || !strings.Contains(out.String(), "applied") {
		t.Errorf("%v\n%s\n%s", err, out.String(), log.String())
	}
}
