package layers

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goList runs go list outside the workspace, as a user of the published module does.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func TestWorkspace_HasEveryModule(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	listed, found := strings.Fields(string(out)), 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"node_modules", "build", ".git", "cdk.out"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.Name() == "go.mod" {
			found++
			if !slices.Contains(listed, filepath.Dir(path)) {
				t.Errorf("%s is not in go.work", path)
			}
		}
		return nil
	})
	if err != nil || found < 3 || found != len(listed) {
		t.Errorf("%d modules, %d in go.work, %v", found, len(listed), err)
	}
}

// The CDK runs in Node. Nothing in the root needs it.
func TestRoot_LinksNoCDK(t *testing.T) {
	deps := strings.Fields(goList(t, "-deps", "-test", module+"/..."))
	for _, dep := range deps {
		if strings.Contains(dep, "aws-cdk-go") || strings.Contains(dep, "jsii") {
			t.Errorf("the root links %s", dep)
		}
	}
	if len(deps) < 100 {
		t.Errorf("go list found %d packages, want all of the root", len(deps))
	}
}
