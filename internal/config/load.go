package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// How a configuration is found.
const (
	EnvFile  = "TIDEMARK_CONFIG" // environment variable with the path of the file
	FileName = "tidemark.yaml"   // name of the file in the directory of the executable
)

// Load reads the file at path. domains are the kinds that the file may override. The error is
// Mistakes if the content is not valid.
func Load(path string, domains ...catalog.Kind) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w; set %s to the path of a readable file, or unset it for the defaults", err, EnvFile)
	}
	return Parse(path, data, domains...)
}

// Parse reads a configuration. name is the file name in error messages. Settings that data
// does not have are those of Default(domains...). The error is Mistakes, with all mistakes of
// the data.
func Parse(name string, data []byte, domains ...catalog.Kind) (*Config, error) {
	c := Default(domains...)
	r := &reader{file: name, at: map[string]position{}}
	if root, ok := r.document(data); ok {
		r.object(root, c.members())
	}
	for _, m := range c.mistakes() {
		r.place(m)
	}
	if err := r.mistakes.sorted(); err != nil {
		return nil, err
	}
	return c, nil
}

// FromEnv returns the configuration of a process: the file that EnvFile names, else FileName
// in the directory of the executable, else Default. getenv is os.Getenv outside tests.
func FromEnv(getenv func(string) string, domains ...catalog.Kind) (*Config, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the directory of the executable, which may contain %s: %w", FileName, err)
	}
	return find(getenv(EnvFile), filepath.Dir(executable), domains)
}

func find(named, dir string, domains []catalog.Kind) (*Config, error) {
	if named != "" {
		return Load(named, domains...)
	}
	adjacent := filepath.Join(dir, FileName)
	if _, err := os.Stat(adjacent); errors.Is(err, fs.ErrNotExist) {
		c := Default(domains...)
		if err := c.Validate(); err != nil {
			return nil, err
		}
		return c, nil
	}
	return Load(adjacent, domains...)
}
