package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command in a folder and returns what it printed.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// A program outside the repository gets both modules by their tags, as from the published repository.
func TestTags_ServeTheRootAndInfra(t *testing.T) {
	const module, version = "github.com/tidemark-db/tidemark", "v0.1.0"
	clone := filepath.Join(t.TempDir(), "tidemark")
	run(t, ".", nil, "git", "clone", "-q", "--no-tags", "../..", clone)
	identity := []string{
		"GIT_AUTHOR_NAME=Release", "GIT_AUTHOR_EMAIL=release@example.com",
		"GIT_COMMITTER_NAME=Release", "GIT_COMMITTER_EMAIL=release@example.com",
	}
	run(t, clone, identity, "scripts/tag.sh", version)
	if got := run(t, clone, nil, "git", "tag"); got != "infra/"+version+"\n"+version+"\n" {
		t.Fatalf("the tags are %q", got)
	}
	if changed := run(t, clone, nil, "git", "diff", "--name-only", version,
		"infra/"+version); changed != "infra/go.mod\ninfra/go.sum\n" {
		t.Errorf("infra's tag changes %q, want its go.mod and go.sum", changed)
	}

	user, modules := t.TempDir(), t.TempDir()
	published := []string{
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + clone + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + module,
		"GOPRIVATE=" + module, "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOMODCACHE=" + modules,
		"GOPROXY=file://" + goEnv(t, "GOMODCACHE") + "/cache/download," + goEnv(t, "GOPROXY"), "GONOSUMDB=*",
	}
	run(t, user, published, "go", "mod", "init", "example.com/user")
	run(t, user, published, "go", "get", module+"@"+version, module+"/infra@"+version)
	list := run(t, user, published, "go", "list", "-m", "-f", "{{.Path}} {{.Version}} {{.Replace}}", module,
		module+"/infra")
	if want := module + " " + version + " <nil>\n" + module + "/infra " + version +
		" <nil>\n"; !strings.HasSuffix(list, want) {
		t.Errorf("the user's modules are %q, want %q", list, want)
	}
	if deps := run(t, user, published, "go", "list", module+"/pkg/timeseries",
		module+"/infra/tidemarkcdk"); strings.Count(deps, "\n") < 2 {
		t.Errorf("the packages are %q", deps)
	}
}
