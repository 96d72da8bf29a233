package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The packages of Debian 12: Go and Node are too old, Java is not.
func TestDoctor_NamesTheDownloadsOfToolsThatAreTooOld(t *testing.T) {
	output, status := doctor(t, "go1.19.8", "v18.20.4", `openjdk version "17.0.16" 2025-07-15`)
	for _, line := range []string{
		"missing: Go 1.21 or newer (found: 19)", "https://go.dev/dl",
		"missing: Node 20 or newer (found: 18)", "https://nodejs.org/en/download",
	} {
		if !strings.Contains(output, line) {
			t.Errorf("%q is missing in the output:\n%s", line, output)
		}
	}
	if status != 1 || strings.Contains(output, "Java") {
		t.Errorf("status %d, output:\n%s", status, output)
	}
}

// Homebrew does not add a versioned Java to the PATH.
func TestDoctor_NamesThePathOfJava(t *testing.T) {
	output, status := doctor(t, "go1.26.0", "v20.19.2", "")
	for _, line := range []string{"missing: Java 17 or newer (found: none)", "default-jre-headless",
		`brew install openjdk@17 && export PATH="$(brew --prefix openjdk@17)/bin:$PATH"`} {
		if !strings.Contains(output, line) {
			t.Errorf("%q is missing in the output:\n%s", line, output)
		}
	}
	if status != 1 || strings.Contains(output, "Go") || strings.Contains(output, "Node") {
		t.Errorf("status %d, output:\n%s", status, output)
	}
}

func TestDoctor_PrintsNothingIfNothingIsMissing(t *testing.T) {
	if output, status := doctor(t, "go1.21.0", "v24.1.0", `openjdk version "21.0.4" 2024-07-16`); output != "" ||
		status != 0 {
		t.Errorf("status %d, output:\n%s", status, output)
	}
}

// doctor runs scripts/doctor.sh with tools of these versions; "" is a missing tool.
func doctor(t *testing.T, golang, node, java string) (output string, status int) {
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
	read(t, "scripts/doctor.sh") // so that go test does not use a cached result after a change
	cmd := exec.Command(filepath.Join(root, "scripts/doctor.sh"))
	cmd.Env = append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}
