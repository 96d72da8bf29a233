package upgrade

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkout is a commit's programs, built for this machine.
type checkout struct {
	commit    string
	root      string // of its files
	command   string // path of the tidemark command
	functions string // directory with a directory of each function
}

// here returns the working directory with its programs.
func here(ctx context.Context, dir string) (checkout, error) {
	root, err := os.Getwd()
	if err != nil {
		return checkout{}, err
	}
	c := checkout{commit: "this checkout", root: root}
	return c, c.build(ctx, filepath.Join(dir, "new"))
}

// older writes the files of a commit of this repository below dir, and builds their programs.
func older(ctx context.Context, commit, dir string) (checkout, error) {
	name, err := output(ctx, "", "git", "rev-parse", "--short", "--verify", commit+"^{commit}")
	if err != nil {
		return checkout{}, fmt.Errorf("there is no commit %s in this repository: %w", commit, err)
	}
	c := checkout{commit: name, root: filepath.Join(dir, "files")}
	if err := os.Mkdir(c.root, 0o755); err != nil {
		return checkout{}, err
	}
	archive := filepath.Join(dir, "files.tar")
	if _, err := output(ctx, "", "git", "archive", "--format=tar", "--output="+archive, name); err != nil {
		return checkout{}, err
	}
	if _, err := output(ctx, "", "tar", "-xf", archive, "-C", c.root); err != nil {
		return checkout{}, err
	}
	return c, c.build(ctx, filepath.Join(dir, "old"))
}

// build builds the programs of c as make build-local does, into dir.
func (c *checkout) build(ctx context.Context, dir string) error {
	c.command, c.functions = filepath.Join(dir, "tidemark"), filepath.Join(dir, "functions")
	builds := [][]string{{"-o", c.command, "./cmd/tidemark"}}
	all, err := filepath.Glob(filepath.Join(c.root, "functions", "*", "main.go"))
	if err != nil {
		return err
	}
	for _, main := range all {
		name := filepath.Base(filepath.Dir(main))
		bootstrap := filepath.Join(c.functions, name, "bootstrap")
		builds = append(builds, []string{"-tags", "lambda.norpc", "-o", bootstrap, "./functions/" + name})
	}
	for _, args := range builds {
		args = append([]string{"build", "-buildvcs=false"}, args...)
		if _, err := output(ctx, c.root, "go", args...); err != nil {
			return fmt.Errorf("build %s: %w", c.commit, err)
		}
	}
	return nil
}

// output runs a program without the workspace, in a directory, and returns what it prints.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// mixed links functions of two checkouts into dir: ingest of one, and all others of the other. A function
// that the older one does not have yet is the newer one's.
func mixed(dir string, ingest, others, newer checkout) error {
	names, err := os.ReadDir(newer.functions)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, entry := range names {
		of := others
		if entry.Name() == "ingest" {
			of = ingest
		}
		from := filepath.Join(of.functions, entry.Name())
		if _, err := os.Stat(from); err != nil {
			from = filepath.Join(newer.functions, entry.Name())
		}
		to := filepath.Join(dir, entry.Name())
		if err := os.Symlink(from, to); err != nil {
			return err
		}
	}
	return nil
}
