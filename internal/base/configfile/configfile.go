// Package configfile reads tidemark.yaml. The functions, the command line, the local stack and the
// infrastructure all read the file through it.
//
// A setting that the file does not have keeps its value of config.Default. Reading reports all
// mistakes at once, each with file, line and column, what is wrong, why, and what to do.
package configfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// How a configuration is found.
const (
	EnvFile  = "TIDEMARK_CONFIG" // environment variable with the path of the file
	FileName = "tidemark.yaml"   // name of the file in the directory of the executable
)

// Load reads the file at path. domains are the kinds that the file may override. The error is
// config.Mistakes if the content is not valid.
func Load(path string, domains ...catalog.Kind) (*config.Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf(
			"read configuration: %w; set %s to the path of a readable file, or unset it for the defaults", err,
			EnvFile)
	}
	return Parse(path, data, domains...)
}

// Parse reads a configuration. name is the file name in error messages. Settings that data does not
// have are taken from config.Default(domains...). The error is config.Mistakes, with all of the data.
func Parse(name string, data []byte, domains ...catalog.Kind) (*config.Config, error) {
	c := config.Default(domains...)
	r := &reader{file: name, at: map[string]position{}}
	if root, ok := r.document(data); ok {
		r.object(root, sections(c))
	}
	for _, m := range c.Mistakes() {
		r.place(m)
	}
	if err := r.mistakes.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// FromEnv returns the configuration of a process: the file that EnvFile names, else FileName
// in the directory of the executable, else config.Default. getenv is os.Getenv outside tests.
func FromEnv(getenv func(string) string, domains ...catalog.Kind) (*config.Config, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the directory of the executable, which may contain %s: %w", FileName, err)
	}
	return find(getenv(EnvFile), filepath.Dir(executable), domains)
}

func find(named, dir string, domains []catalog.Kind) (*config.Config, error) {
	if named != "" {
		return Load(named, domains...)
	}
	adjacent := filepath.Join(dir, FileName)
	if _, err := os.Stat(adjacent); errors.Is(err, fs.ErrNotExist) {
		c := config.Default(domains...)
		if err := c.Validate(); err != nil {
			return nil, err
		}
		return c, nil
	}
	return Load(adjacent, domains...)
}
