package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/release"
)

// ErrNoBinaries reports that the functions are not built for this machine and that the sources or
// the go command to build them are missing. A failed build is a different error.
var ErrNoBinaries = errors.New("the functions are not built for this machine")

// module is the module path.
const module = "github.com/tidemark-db/tidemark"

// BinaryDir is the directory of the functions built for this machine, in a checkout. Its parent
// contains the binaries for Lambda.
const BinaryDir = "build/local"

// FindBinaries returns the path of the bootstrap of each named function, for this machine. In a
// checkout with the go command it builds them with the deployed tags and flags, so that they match
// the sources. Otherwise it searches dir or, if dir is empty, build/local in the working directory
// and its parents and next to the program.
func FindBinaries(ctx context.Context, dir string, names ...string) (map[string]string, error) {
	goTool, err := exec.LookPath("go")
	if root, ok := sourceRoot(); dir == "" && ok && err == nil {
		return build(ctx, goTool, root, names)
	}
	roots := binaryRoots(dir)
	for _, root := range roots {
		if found := allThere(root, names); found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%w: no %s under %s; run \"make build\" in a checkout of Tidemark",
		ErrNoBinaries, filepath.Join(names[0], "bootstrap"), strings.Join(roots, " or "))
}

func binaryRoots(dir string) []string {
	if dir != "" {
		return []string{dir}
	}
	var roots []string
	if wd, err := os.Getwd(); err == nil {
		for at := wd; ; at = filepath.Dir(at) {
			if isDir(filepath.Join(at, BinaryDir)) {
				roots = append(roots, filepath.Join(at, BinaryDir))
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	if self, err := os.Executable(); err == nil {
		roots = append(roots, filepath.Join(filepath.Dir(self), "..", BinaryDir))
	}
	return roots
}

func allThere(root string, names []string) map[string]string {
	found := map[string]string{}
	for _, name := range names {
		path, err := filepath.Abs(filepath.Join(root, name, "bootstrap"))
		if err != nil {
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		found[name] = path
	}
	return found
}

// sourceRoot returns the checkout that contains the working directory.
func sourceRoot() (string, bool) {
	at, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module "+module+"\n") {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
		at = filepath.Dir(at)
	}
}

// build builds the binaries. A file lock serializes concurrent builds.
func build(ctx context.Context, goTool, root string, names []string) (map[string]string, error) {
	unlock, err := lock(filepath.Join(root, BinaryDir, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("build the functions: %w", err)
	}
	defer unlock()
	built := map[string]string{}
	flags := "-s -w -X " + module + "/internal/release.version=" + release.Version() // the release of this program
	var group errgroup.Group
	for _, name := range names {
		out := filepath.Join(root, BinaryDir, name, "bootstrap")
		built[name] = out
		group.Go(func() error {
			cmd := exec.CommandContext(ctx, goTool, "build", "-trimpath", "-buildvcs=false",
				"-tags", "lambda.norpc", "-ldflags", flags, "-o", out, "./functions/"+name)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
			if output, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("go build ./functions/%s: %w\n%s", name, err, output)
			}
			return nil
		})
	}
	return built, group.Wait()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
