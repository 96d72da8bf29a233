package tidemarkcdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
)

// modulePath is the module with the functions.
const modulePath = "github.com/tidemark-db/tidemark"

// addCode finds the built functions, or builds them from source into a temporary folder. The CDK
// copies the folder of a function when it creates the function; remove may follow.
func (s *Tidemark) addCode(props Props) (remove func(), err error) {
	remove = func() {}
	if s.code = props.Code; s.code == "" {
		if s.code, err = os.MkdirTemp("", "tidemark-functions-"); err != nil {
			return remove, fmt.Errorf("build the functions: %w", err)
		}
		folder := s.code
		return func() { os.RemoveAll(folder) }, s.build(props.Config)
	}
	for _, f := range s.deployed() {
		for _, file := range []string{"bootstrap", configfile.FileName} {
			path := filepath.Join(s.code, f.name, file)
			if _, err := os.Stat(path); err != nil {
				return remove, fmt.Errorf("%s not found: run make build first", path)
			}
		}
	}
	return remove, nil
}

// build builds each function in the module that the app requires, as its main module: the app
// need not require what only the functions import. The same source makes the same files.
func (s *Tidemark) build(configFile string) error {
	// A folder vendor of the app would hide the module's own folder.
	listed, err := exec.Command("go", "list", "-mod=readonly", "-m", "-json", modulePath).Output()
	var source struct{ Dir, Version string }
	if err == nil {
		err = json.Unmarshal(listed, &source)
	}
	if err == nil && source.Dir == "" {
		err = errors.New("the module is not downloaded")
	}
	if err != nil {
		return fmt.Errorf("find the source of the functions: go list -m %s: %w: "+
			"run go mod download, or name a folder of built functions", modulePath, err)
	}
	var file []byte // empty for the default configuration
	if configFile != "" {
		file, err = os.ReadFile(configFile)
	}
	if err != nil {
		return fmt.Errorf("read the configuration of the functions: %w", err)
	}
	for _, f := range s.deployed() {
		folder := filepath.Join(s.code, f.name)
		build := exec.Command("go", "build", "-C", source.Dir, "-trimpath", "-buildvcs=false", "-tags",
			"lambda.norpc", "-ldflags", "-s -w -X "+modulePath+"/internal/base/release.version="+source.Version,
			"-o", filepath.Join(folder, "bootstrap"), "./functions/"+f.name)
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOWORK=off",
			"GOFLAGS=-mod=readonly")
		if output, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build function %s: %w: %s", f.name, err, output)
		}
		if err := os.WriteFile(filepath.Join(folder, configfile.FileName), file, 0o644); err != nil {
			return fmt.Errorf("write the configuration of function %s: %w", f.name, err)
		}
	}
	return nil
}
