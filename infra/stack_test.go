package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

func TestStacks_AreProtectedIfTheTableIsRetained(t *testing.T) {
	stage(t, "dev")
	var manifest struct {
		Artifacts map[string]struct {
			Properties struct{ TerminationProtection bool }
		}
	}
	if err := json.Unmarshal([]byte(first.files["manifest.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"dev": false, "prod": true, "full": true} {
		artifact, ok := manifest.Artifacts["tidemark-"+name]
		if !ok || artifact.Properties.TerminationProtection != want {
			t.Errorf("tidemark-%s: exists %v, termination protection %v, want %v", name, ok,
				artifact.Properties.TerminationProtection, want)
		}
	}
}

func TestStacks_TagTheirResources(t *testing.T) {
	for _, name := range all {
		for _, id := range []string{"Table", "IngestFunction", "AggregateFunction", "QueryFunction",
			"OnFailureQueue", "IngestRole", "CursorSecret", "AuthorizeFunction", "SiteSecret"} {
			tags := map[any]any{}
			list, _ := resources(t, name)[id].Properties["Tags"].([]any)
			for _, tag := range list {
				tags[tag.(map[string]any)["Key"]] = tag.(map[string]any)["Value"]
			}
			if tags["application"] != "tidemark" || tags["stage"] != name {
				t.Errorf("%s: %s is tagged %v", name, id, tags)
			}
		}
	}
}

// The first deployment protects nothing: CloudFormation could not delete it after a failure.
func TestFirstDeployment_ProtectsNothing(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	stubs(t, filepath.Join(folder, "build"))
	a, err := newApp(configFile, filepath.Join(folder, "build"), filepath.Join(folder, "out"),
		config.Unprotected)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range a.stacks {
		if *s.TerminationProtection() {
			t.Errorf("%s has termination protection", *s.StackName())
		}
	}
	templates, err := a.templates()
	if err != nil {
		t.Fatal(err)
	}
	all, err := templates["prod"].Resources()
	if err != nil {
		t.Fatal(err)
	}
	if on := all["Table"].Properties["DeletionProtectionEnabled"]; on != false {
		t.Errorf("the table of prod has deletion protection %v", on)
	}
}

// A stage that names account and region is deployed nowhere else: the CDK compares the
// manifest with the credentials.
func TestStages_NameTheirAccountAndRegion(t *testing.T) {
	stage(t, "canary")
	manifest := first.files["manifest.json"]
	for stage, want := range map[string]string{"canary": "aws://123456789012/eu-central-1",
		"prod": "aws://unknown-account/unknown-region"} {
		_, artifact, _ := strings.Cut(manifest, `"tidemark-`+stage+`": {`)
		_, environment, _ := strings.Cut(artifact, `"environment": "`)
		if got, _, _ := strings.Cut(environment, `"`); got != want {
			t.Errorf("%s is deployed to %q, want %q", stage, got, want)
		}
	}
}
