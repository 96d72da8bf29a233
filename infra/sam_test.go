package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/testenv"
)

type samTemplate struct {
	Transform string `yaml:"Transform"`
	Resources map[string]struct {
		Type       string         `yaml:"Type"`
		Properties map[string]any `yaml:"Properties"`
		Metadata   map[string]any `yaml:"Metadata"`
	} `yaml:"Resources"`
}

func TestSAM_FunctionsAreTheBuildFolders(t *testing.T) {
	text, err := os.ReadFile("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template samTemplate
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	if template.Transform != "AWS::Serverless-2016-10-31" {
		t.Errorf("the transform is %q", template.Transform)
	}
	for _, f := range shippedFunctions {
		r := template.Resources[f.id+"Function"]
		if r.Type != "AWS::Serverless::Function" || r.Properties["CodeUri"] != "build/"+f.name || r.Metadata["SkipBuild"] != true {
			t.Errorf("%s is %+v", f.name, r)
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
	sample, _, _ = strings.Cut(sample, "\n")
	if _, err := os.Stat("../" + sample); err != nil {
		t.Errorf("the header names sample %q: %v", sample, err)
	}
}

func TestSAM_ValidatesAndBuilds(t *testing.T) {
	sam, err := exec.LookPath("sam")
	if errors.Is(err, exec.ErrNotFound) {
		testenv.Missing(t, "sam", "sam is not installed: run python3 -m pip install aws-sam-cli==1.170.0")
	}
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
