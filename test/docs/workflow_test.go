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
			Permissions        map[string]string
			Steps              []struct {
				Run  string
				With struct {
					Role string `yaml:"role-to-assume"`
				}
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	if w.Permissions["id-token"] != "" || strings.Contains(text, "secrets.") {
		t.Errorf("permissions %v: want OIDC in the jobs that need it, and no secrets", w.Permissions)
	}
	jobs := map[string]string{} // by their roles
	for name, job := range w.Jobs {
		for _, step := range job.Steps {
			role := step.With.Role
			if role == "" {
				continue
			}
			if other, used := jobs[role]; used || job.Permissions["id-token"] != "write" {
				t.Errorf("job %s assumes %s with %v, as job %q does: want a role of its own", name, role,
					job.Permissions, other)
			}
			jobs[role] = name
		}
	}
	if len(jobs) != 2 {
		t.Errorf("roles of jobs: %v, want one that reads and one that deploys", jobs)
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
				if name, _, _ := strings.Cut(variable, "="); !strings.Contains(makefile, "$("+name+")") &&
					!strings.Contains(makefile, "$(if $("+name+")") {
					t.Errorf("%s: the Makefile does not use %s", step.Run, name)
				}
			}
		}
	}
	if ran < 3 {
		t.Errorf("%d steps run make", ran)
	}
}
