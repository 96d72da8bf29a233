package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

const root = "../.."

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The expected configuration contains every queue, every reader of the table stream and every IoT rule.
func TestRun_NamesEachQueueMappingAndRuleOfTheTemplate(t *testing.T) {
	t.Chdir(root)
	for _, stage := range []string{"dev", "prod"} {
		var out bytes.Buffer
		if err := run([]string{stage}, &out); err != nil {
			t.Fatal(err)
		}
		var expected map[string]map[string]any
		if err := json.Unmarshal(out.Bytes(), &expected); err != nil {
			t.Fatal(err)
		}
		for section, kind := range map[string]string{
			"queues": "AWS::SQS::Queue", "mappings": "AWS::Lambda::EventSourceMapping", "rules": "AWS::IoT::TopicRule",
		} {
			want, got := resources(t, stage, kind), []string{}
			for id := range expected[section] {
				got = append(got, id)
			}
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %s expected %q, the template has %q", stage, section, got, want)
			}
		}
	}
}

// resources returns the resources of a type in the golden template of a stage, sorted: rules by name, others
// by logical id. Call it in the root of the repository.
func resources(t *testing.T, stage, kind string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile("infra/testdata/" + stage + ".template.json")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string
			Properties struct{ RuleName string }
		}
	}
	if err := json.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	for id, r := range template.Resources {
		if r.Type == kind {
			ids = append(ids, cmp.Or(r.Properties.RuleName, id))
		}
	}
	slices.Sort(ids)
	return ids
}

// A new clone has no build directory, and a machine may have no access to packages.
func TestScript_IsSkippedIfTheMockCannotBeInstalled(t *testing.T) {
	clone := t.TempDir()
	script := place(t, clone, "scripts/mockcloud/run.sh", read(t, "scripts/mockcloud/run.sh"))
	for _, file := range []string{"scripts/venv.sh", "scripts/requirements.txt"} {
		place(t, clone, file, read(t, file))
	}
	place(t, clone, "infra/testdata/dev.template.json", []byte("{}"))
	tools := filepath.Dir(
		place(t, clone, "tools/python3", []byte("#!/bin/sh\necho no packages here >&2\nexit 1\n")))
	cmd := exec.Command(script, "dev")
	cmd.Env = append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "skipped: ") {
		t.Errorf("%v: %s", err, out)
	}
	if log, err := os.ReadFile(filepath.Join(clone, "build", "venv.log")); !bytes.Contains(log,
		[]byte("no packages here")) {
		t.Errorf("the log is %q, %v", log, err)
	}
}

func place(t *testing.T, dir, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScript_MockHasTheConfiguration(t *testing.T) {
	if _, err := os.Stat(filepath.Join(root, "build/venv/installed")); err != nil {
		testenv.Missing(t, "python",
			"the mock of AWS is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	for _, input := range []string{"scripts/mockcloud/run.sh", "scripts/mockcloud/deploy.py",
		"infra/testdata/prod.template.json", "tidemark.yaml"} {
		read(t, input) // so that a change of it invalidates the cached result
	}
	out, err := exec.Command(filepath.Join(root, "scripts/mockcloud/run.sh"), "prod",
		"infra/testdata/prod.template.json").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "CREATE_COMPLETE") ||
		strings.Contains(string(out), "DIFFERENT") {
		t.Errorf("%v:\n%s", err, out)
	}
}
