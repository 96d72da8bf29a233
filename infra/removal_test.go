package main

import (
	"path/filepath"
	"testing"

	"github.com/tidemark-db/tidemark/internal/config"
)

// What is retained later is deleted if the deployment that creates it fails.
func TestRetained_ExceptOnCreate(t *testing.T) {
	for _, name := range all {
		kept := 0
		for id, r := range resources(t, name) {
			switch policy := r.Attributes["DeletionPolicy"]; policy {
			case nil, "Delete":
			case "RetainExceptOnCreate":
				kept++
			default:
				t.Errorf("%s: %s has the deletion policy %v", name, id, policy)
			}
		}
		if kept == 0 {
			t.Errorf("%s retains nothing, want at least the secret of the site keys", name)
		}
	}
}

// The first deployment protects nothing: CloudFormation could not delete it after a failure.
func TestFirstDeployment_ProtectsNothing(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	stubs(t, filepath.Join(folder, "build"))
	a, err := newApp(shipped(t), filepath.Join(folder, "build"), filepath.Join(folder, "out"), config.Unprotected)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range a.stacks {
		if *s.TerminationProtection() {
			t.Errorf("%s has termination protection", s.stage.Name)
		}
	}
	templates, err := a.templates()
	if err != nil {
		t.Fatal(err)
	}
	all, err := templates["prod"].resources()
	if err != nil {
		t.Fatal(err)
	}
	if on := all["Table"].Properties["DeletionProtectionEnabled"]; on != false {
		t.Errorf("the table of prod has deletion protection %v", on)
	}
}
