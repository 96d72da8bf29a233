package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/release"
	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

// ErrNoBinaries reports that the functions are not built for this machine and that the sources or
// the go command to build them are missing. A failed build is a different error.
var ErrNoBinaries = errors.New("the functions are not built for this machine")

// module is the module path.
const module = "github.com/tidemark-db/tidemark"

// BinaryDir is the directory of the functions built for this machine, in a checkout. Its parent
// contains the binaries for Lambda.
const BinaryDir = "build/local"

// FindBinaries returns the path of the bootstrap of each named function, for this machine. In a checkout with
// the go command it builds them with the deployed tags and flags, so that they match the sources. Otherwise
// it searches dir or, if dir is empty, build/local in the working directory and its parents and next to the
// program, and functions next to the program, as a release has them.
func FindBinaries(ctx context.Context, dir string, names ...string) (map[string]string, error) {
	goTool, err := exec.LookPath("go")
	if root, ok := sourceRoot(); dir == "" && ok && err == nil {
		if err := ownmachine.MayRun(filepath.Join(root, "go.mod")); err != nil {
			return nil, fmt.Errorf("%w: %w, with --functions", ErrNoBinaries, err)
		}
		return build(ctx, goTool, root, names)
	}
	var absent []string
	for _, root := range binaryRoots(dir) {
		found, missing := binariesUnder(root, names)
		if len(missing) == 0 {
			if err := ownmachine.MayRun(slices.Collect(maps.Values(found))...); err != nil && dir == "" {
				return nil, fmt.Errorf("%w: %w, with --functions", ErrNoBinaries, err)
			}
			return found, nil
		}
		absent = append(absent, fmt.Sprintf("no %s under %s", strings.Join(missing, ", "), root))
	}
	if len(absent) == 0 {
		absent = []string{"no directory " + BinaryDir + " here or above"}
	}
	return nil, fmt.Errorf("%w: %s; run \"make build\" in a checkout of Tidemark", ErrNoBinaries,
		strings.Join(absent, "; "))
}

// FindStackBinaries returns the directory of the binaries of all functions that a configuration runs. It
// builds or searches them as FindBinaries does.
func FindStackBinaries(ctx context.Context, c *config.Config) (dir string, err error) {
	names := functionNames(servedBy(c))
	found, err := FindBinaries(ctx, "", names...)
	if err != nil {
		return "", err
	}
	return filepath.Dir(filepath.Dir(found[names[0]])), nil
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
		roots = append(roots, filepath.Join(filepath.Dir(self), "..", BinaryDir),
			filepath.Join(filepath.Dir(self), "functions"))
	}
	return roots
}

// binariesUnder returns the bootstraps of the functions that a directory has, and the paths of the missing
// ones from there.
func binariesUnder(root string, names []string) (found map[string]string, missing []string) {
	found = map[string]string{}
	for _, name := range names {
		at := filepath.Join(name, "bootstrap")
		path, err := filepath.Abs(filepath.Join(root, at))
		if err != nil {
			missing = append(missing, at)
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			missing = append(missing, at)
			continue
		}
		found[name] = path
	}
	return found, missing
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
	if err := os.MkdirAll(filepath.Join(root, BinaryDir), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(root, BinaryDir, ".lock"))
	if err := lock.Lock(); err != nil {
		return nil, fmt.Errorf("build the functions: %w", err)
	}
	defer lock.Unlock() // it ends with the process, too
	built := map[string]string{}
	var group errgroup.Group
	for _, name := range names {
		out := filepath.Join(root, BinaryDir, name, "bootstrap")
		built[name] = out
		group.Go(func() error { return compile(ctx, goTool, root, nil, "build", "-o", out, "./functions/"+name) })
	}
	return built, group.Wait()
}

// compile runs go build or go install with the flags of deployed functions, and the release of this program.
func compile(ctx context.Context, goTool, dir string, env []string, command string, args ...string) error {
	flags := []string{command, "-trimpath", "-buildvcs=false", "-tags", "lambda.norpc", "-ldflags",
		"-s -w -X " + module + "/internal/base/release.version=" + release.Version()}
	cmd := exec.CommandContext(ctx, goTool, append(flags, args...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s %s: %w\n%s", command, args[len(args)-1], err, output)
	}
	return nil
}

// findOrInstall is FindBinaries for dev. A program of go install gets the functions as it was got
// itself: the go command fetches the same version of the module, and builds them in the user's
// cache. say is called before that.
func findOrInstall(ctx context.Context, say func(string), dir string,
	names ...string) (map[string]string, error) {
	found, err := FindBinaries(ctx, dir, names...)
	version := release.Module()
	goTool, missing := exec.LookPath("go")
	if !errors.Is(err, ErrNoBinaries) || dir != "" || version == "" || missing != nil {
		return found, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	root := filepath.Join(cache, "tidemark", "functions-"+version)
	if found, missing := binariesUnder(root, names); len(missing) == 0 {
		return found, nil
	}
	say("fetch " + module + "@" + version + " with the go command, and build its functions in " + root)
	for _, name := range names {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if err := compile(ctx, goTool, dir, []string{"GOBIN=" + dir}, "install",
			module+"/functions/"+name+"@"+version); err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, "bootstrap")); err != nil {
			return nil, err
		}
	}
	found, _ = binariesUnder(root, names)
	return found, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
