// Package release tests what a user gets who has no checkout: the files of a release, and the
// command line of go install.
package release

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

const version = "v0.0.1-test"

// TestRelease_WorksOutsideACheckout builds the release of this system.
func TestRelease_WorksOutsideACheckout(t *testing.T) {
	testenv.LongOnly(t)
	if _, err := exec.LookPath("zip"); err != nil {
		t.Skip("skipped: a release needs zip")
	}
	build := exec.CommandContext(t.Context(), "../../scripts/release.sh", version,
		runtime.GOOS+"/"+runtime.GOARCH)
	key := signingKey(t)
	build.Env = append(os.Environ(), "RELEASE_KEY="+key)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const files = "../../build/release"
	checkSignature(t, files, key)
	checkSums(t, files)
	checkFunctions(t, files)

	dir := t.TempDir()
	name := filepath.Join(files, "tidemark_"+version+"_"+runtime.GOOS+"_"+runtime.GOARCH)
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", name+".tar.gz", "-C",
		dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(dir, "tidemark")
	checkModules(t, name+".cdx.json", program)
	if page, err := os.ReadFile(filepath.Join(dir, "man", "tidemark-dev.1")); err != nil ||
		!bytes.Contains(page, []byte("tidemark dev")) {
		t.Errorf("the manual page of tidemark dev: %v", err)
	}
	tryDev(t, program, nil, "PATH=/usr/bin:/bin", "XDG_CACHE_HOME="+t.TempDir())
}

func TestRelease_AKeyThatCannotBeReadIsRefusedFirst(t *testing.T) {
	signingKey(t) // needs ssh-keygen
	build := exec.CommandContext(t.Context(), "../../scripts/release.sh", version)
	build.Env = append(os.Environ(), "RELEASE_KEY=/nowhere/key")
	out, err := build.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "/nowhere/key, which cannot be read") {
		t.Errorf("%v: %s", err, out)
	}
}

// signingKey makes an SSH key for one test and returns its file.
func signingKey(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
		path).CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("skipped: a signature needs ssh-keygen")
	} else if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// checkSignature verifies the checksums as DEPLOYING.md says, and that a changed file and another
// key are found.
func checkSignature(t *testing.T, dir, key string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	verify := func(key string, text []byte) error {
		public, err := os.ReadFile(key + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		signers := filepath.Join(t.TempDir(), "signers")
		if err := os.WriteFile(signers, append([]byte("release@tidemark "), public...), 0o600); err != nil {
			t.Fatal(err)
		}
		check := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I",
			"release@tidemark",
			"-n", "tidemark-release", "-s", filepath.Join(dir, "SHA256SUMS.sig"))
		check.Stdin = bytes.NewReader(text)
		return check.Run()
	}
	if err := verify(key, text); err != nil {
		t.Errorf("the signature: %v", err)
	}
	if verify(key, append(text, '\n')) == nil || verify(signingKey(t), text) == nil {
		t.Error("the signature holds for other checksums, or of another key")
	}
	if err := os.Remove(filepath.Join(dir, "SHA256SUMS.sig")); err != nil { // the rest are files with checksums
		t.Fatal(err)
	}
}

// The command line and all that it imports have the types of the other systems. A build would compile the AWS
// SDK for each.
func TestCommandLine_IsValidOnOtherSystems(t *testing.T) {
	testenv.LongOnly(t)
	for _, system := range []string{"windows", "darwin"} {
		all, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles |
				packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
			Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		}, "../../cmd/tidemark")
		if err != nil || len(all) != 1 || all[0].Types == nil {
			t.Fatalf("%s: %d packages, %v", system, len(all), err)
		}
		packages.Visit(all, nil, func(p *packages.Package) {
			for _, e := range p.Errors {
				t.Errorf("%s: %v", system, e)
			}
		})
	}
}

func javaPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("java")
	if err != nil {
		testenv.Missing(t, "java", err)
	}
	return path
}

// tryDev runs a stack in an empty directory, stores a reading and reads it, and returns what dev says.
func tryDev(t *testing.T, program string, flags []string, env ...string) string {
	t.Helper()
	script := `printf 'device,time,temperature\nsensor_01,2026-11-01T00:00:00Z,22.4\n' >in.csv && "$TIDEMARK" replay in.csv && "$TIDEMARK" latest devices/sensor_01`
	dev := exec.CommandContext(t.Context(), program,
		slices.Concat([]string{"dev"}, flags, []string{"--", "sh", "-c", script})...)
	dev.Dir = t.TempDir()
	dev.Env = append(os.Environ(), append(env, "TIDEMARK="+program, "TIDEMARK_CONFIG=", "TIDEMARK_ENDPOINT=")...)
	var out, log bytes.Buffer
	dev.Stdout, dev.Stderr = &out, &log
	if err := dev.Run(); err != nil || !strings.Contains(out.String(), "22.4") {
		t.Fatalf("%v\n%s\n%s", err, out.String(), log.String())
	}
	version, err := exec.CommandContext(t.Context(), program, "version").Output()
	if err != nil || !bytes.Contains(version, []byte("v0.0.1-test")) {
		t.Errorf("tidemark version: %q, %v", version, err)
	}
	return log.String()
}

// checkSums compares each file with its checksum.
func checkSums(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(text)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(dir, name))
		if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s: %v, or it has another checksum", name, err)
		}
		listed++
	}
	if all, _ := os.ReadDir(dir); len(all) != listed+1 || listed < 9 {
		t.Errorf("%d files have checksums, %d are there", listed, len(all))
	}
}

// checkFunctions checks that each function has a zip file as Lambda wants it.
func checkFunctions(t *testing.T, dir string) {
	t.Helper()
	functions, _ := os.ReadDir("../../functions")
	for _, f := range functions {
		archive, err := zip.OpenReader(filepath.Join(dir, "tidemark-function-"+f.Name()+"_"+version+"_arm64.zip"))
		if err != nil {
			t.Fatal(err)
		}
		modes := map[string]os.FileMode{}
		for _, file := range archive.File {
			modes[file.Name] = file.Mode()
		}
		want := []string{"LICENSE", "NOTICES", "bootstrap", "tidemark.yaml"}
		if !slices.Equal(slices.Sorted(maps.Keys(modes)), want) ||
			modes["bootstrap"]&0o111 != 0o111 || modes["tidemark.yaml"]&0o444 != 0o444 {
			t.Errorf("%s has %v, want %q, the program executable", f.Name(), modes, want)
		}
		archive.Close()
	}
}

// checkModules compares the list of modules with the program's modules.
func checkModules(t *testing.T, path, program string) {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	var document struct {
		Components []struct{ Name, Version, Purl string }
	}
	if err != nil || json.Unmarshal(text, &document) != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	listed := map[string]bool{}
	for _, c := range document.Components {
		listed[c.Purl] = true
	}
	for _, m := range info.Deps {
		if !listed["pkg:golang/"+m.Path+"@"+m.Version] {
			t.Errorf("%s@%s is not listed", m.Path, m.Version)
		}
	}
	if len(listed) != len(info.Deps)+1 || len(info.Deps) < 20 {
		t.Errorf("%d modules are listed, want %d and the standard library", len(listed), len(info.Deps))
	}
}

// A program of go install has no functions: its dev says that it fetches them, and fetches DynamoDB Local
// only where that engine is chosen.
func TestGoInstall_DevFetchesWhatItRuns(t *testing.T) {
	testenv.LongOnly(t)
	javaPath(t)
	if _, err := exec.LookPath("npm"); err != nil {
		testenv.Missing(t, "node", err)
	}
	const module = "github.com/tidemark-db/tidemark"
	// The go command indexes a version of a module once, so each run of the test has its own.
	version := fmt.Sprintf("%s.%d", version, time.Now().UnixNano())
	proxy := t.TempDir()
	caches := t.TempDir()
	bin := t.TempDir()
	serveModule(t, filepath.Join(proxy, filepath.FromSlash(module), "@v"), module, version)
	for name, value := range map[string]string{
		"GOPROXY": "file://" + proxy + "," + goEnv(t, "GOPROXY"), "GONOSUMDB": module, "GOFLAGS": "-modcacherw", "GOBIN": bin,
		"GOCACHE": goEnv(t, "GOCACHE"), "GOMODCACHE": goEnv(t, "GOMODCACHE"), "XDG_CACHE_HOME": caches, "TIDEMARK_DYNAMODB_JAR": "",
	} {
		t.Setenv(name, value)
	}
	cache := goEnv(t, "GOMODCACHE")
	t.Cleanup(func() { forget(cache, module, version) })
	install := exec.CommandContext(t.Context(), "go", "install", module+"/cmd/tidemark@"+version)
	install.Dir = caches
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(bin, "tidemark")
	functions, database := "fetch "+module+"@"+version+" with the go command",
		"fetch DynamoDB Local into "+caches
	referee := []string{"--engine", string(stack.DynamoDBLocal)}
	for _, run := range []struct {
		name    string
		flags   []string
		fetches string // empty if all is there
	}{
		{"the first dev", nil, functions},
		{"the second dev", nil, ""},
		{"the first dev with DynamoDB Local", referee, database},
		{"the second dev with DynamoDB Local", referee, ""},
	} {
		said := tryDev(t, program, run.flags)
		if strings.Count(said, "fetch ") != min(1, len(run.fetches)) || !strings.Contains(said, run.fetches) {
			t.Errorf("%s says, want %q and no other fetch:\n%s", run.name, run.fetches, said)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// forget removes a version from the module cache.
func forget(cache, module, version string) {
	os.RemoveAll(filepath.Join(cache, filepath.FromSlash(module)+"@"+version))
	downloads, _ := filepath.Glob(
		filepath.Join(cache, "cache", "download", filepath.FromSlash(module), "@v", version+".*"))
	for _, file := range downloads {
		os.Remove(file)
	}
}

// serveModule writes the files of the checkout's module as a module proxy serves them.
func serveModule(t *testing.T, dir, module, version string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version,
		version + ".info": `{"Version":"` + version + `"}`, version + ".mod": string(goMod)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	for _, path := range moduleFiles(t) {
		content, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		w, err := archive.Create(module + "@" + version + "/" + path)
		if err == nil {
			_, err = io.Copy(w, bytes.NewReader(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
}

// moduleFiles lists the files of the module, without the files of the modules in it.
func moduleFiles(t *testing.T) (files []string) {
	t.Helper()
	list := exec.CommandContext(context.Background(), "git", "ls-files", "--cached", "--others",
		"--exclude-standard")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("skipped: the repository lists the files of the module: %v", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		path := lines.Text()
		if _, err := os.Stat(filepath.Join("../..", path)); err != nil || strings.HasPrefix(path, "infra/") ||
			strings.HasPrefix(path, "bench/") || strings.HasPrefix(path, "test/userprogram/") {
			continue
		}
		files = append(files, path)
	}
	return files
}
