package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const remedy = "if the change is intended, run go test . -update in infra and review the difference"

func TestTemplates_EqualTheGoldenFiles(t *testing.T) {
	for _, name := range []string{"dev", "prod"} {
		checkGolden(t, filepath.Join("testdata", name+".template.json"), stage(t, name))
	}
}

func TestSAM_EqualsTheTemplateInTheRoot(t *testing.T) {
	var text bytes.Buffer
	if err := writeSAM(&text, stage(t, samStage)); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "../template.yaml", text.Bytes())
}

func checkGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs (-golden +synthesized); %s\n%s", path, remedy, diff)
	}
}

// Includes asset hashes and the complete assembly.
func TestSynth_IsDeterministic(t *testing.T) {
	stage(t, "dev")
	second := synth(t)
	if len(second.files) < len(all)+1 {
		t.Fatalf("the assembly has %d files: want a template for each stage, and its manifest", len(second.files))
	}
	if diff := cmp.Diff(first.files, second.files); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}
