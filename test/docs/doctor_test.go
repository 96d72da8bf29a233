package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What Debian 12 has of its own: Go and Node are too old there, Java is not.
func TestDoctor_NamesAWayForWhatTheSystemsPackagesAreTooOldFor(t *testing.T) {
	said, status := doctor(t, "go1.19.8", "v18.20.4", `openjdk version "17.0.16" 2025-07-15`)
	for _, line := range []string{
		"missing: Go 1.21 or newer (found: 19)", "https://go.dev/dl",
		"missing: Node 20 or newer (found: 18)", "https://nodejs.org/en/download",
	} {
		if !strings.Contains(said, line) {
			t.Errorf("%q is not said:\n%s", line, said)
		}
	}
	if status != 1 || strings.Contains(said, "Java") {
		t.Errorf("ended in %d and said\n%s", status, said)
	}
}

// Where Java is installed by Homebrew under its version, it stays off the PATH.
func TestDoctor_TellsThePathOfJavaWithItsInstallation(t *testing.T) {
	said, status := doctor(t, "go1.26.0", "v20.19.2", "")
	for _, line := range []string{"missing: Java 17 or newer (found: none)", "default-jre-headless", `brew install openjdk@17 && export PATH="$(brew --prefix openjdk@17)/bin:$PATH"`} {
		if !strings.Contains(said, line) {
			t.Errorf("%q is not said:\n%s", line, said)
		}
	}
	if status != 1 || strings.Contains(said, "Go") || strings.Contains(said, "Node") {
		t.Errorf("ended in %d and said\n%s", status, said)
	}
}

func TestDoctor_IsSilentWhereNothingIsMissing(t *testing.T) {
	if said, status := doctor(t, "go1.21.0", "v24.1.0", `openjdk version "21.0.4" 2024-07-16`); said != "" || status != 0 {
		t.Errorf("ended in %d and said\n%s", status, said)
	}
}

// doctor asks of a machine that has these versions; "" has a tool fail, as where it is
// not there.
func doctor(t *testing.T, golang, node, java string) (said string, status int) {
	t.Helper()
	tools := t.TempDir()
	for name, version := range map[string]string{"go": golang, "node": node, "java": java} {
		script := "#!/bin/sh\nexit 127\n"
		if version != "" {
			script = "#!/bin/sh\necho '" + version + "'\n"
		}
		if err := os.WriteFile(filepath.Join(tools, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	read(t, "scripts/doctor.sh") // a change to it runs this anew
	cmd := exec.Command(filepath.Join(root, "scripts/doctor.sh"))
	cmd.Env = append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}
