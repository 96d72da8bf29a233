package docs

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The example workflow has no stored credentials, waits for a reviewer before it deploys, and
// runs targets and variables of the Makefile.
func TestWorkflow_DeploysWithTheMakefileAndWithoutStoredCredentials(t *testing.T) {
	text := read(t, "docs/examples/deploy.github.yml")
	var w struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Needs, Environment string
			Steps              []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	if w.Permissions["id-token"] != "write" || strings.Contains(text, "secrets.") {
		t.Errorf("permissions %v: want OIDC, and no secrets", w.Permissions)
	}
	if d := w.Jobs["deploy"]; d.Needs != "review" || d.Environment == "" {
		t.Errorf("deploy needs %q in environment %q: want the review and an environment", d.Needs, d.Environment)
	}
	makefile, ran := read(t, "Makefile"), 0
	for _, job := range w.Jobs {
		for _, step := range job.Steps {
			words := strings.Fields(step.Run)
			if len(words) < 2 || words[0] != "make" {
				continue
			}
			ran++
			if !strings.Contains(makefile, "\n"+words[1]+":") {
				t.Errorf("%s: no such target", step.Run)
			}
			for _, variable := range words[2:] {
				if name, _, _ := strings.Cut(variable, "="); !strings.Contains(makefile, "$("+name+")") && !strings.Contains(makefile, "$(if $("+name+")") {
					t.Errorf("%s: the Makefile does not use %s", step.Run, name)
				}
			}
		}
	}
	if ran < 4 {
		t.Errorf("%d steps run make", ran)
	}
}
