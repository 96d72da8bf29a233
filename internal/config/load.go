package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Where a configuration is looked for.
const (
	EnvFile  = "TIDEMARK_CONFIG" // environment variable: the path of the file
	FileName = "tidemark.yaml"   // its name, beside the executable
)

// Load reads the file at path. domains are the rows that the file may override.
func Load(path string, domains ...catalog.Kind) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w; set %s to the path of a readable file, or unset it for the defaults", err, EnvFile)
	}
	return Parse(path, data, domains...)
}

// Parse reads a configuration; name is what mistakes call the file. What data does
// not say is as in Default(domains...). The error is Mistakes, with all there are.
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

// FromEnv finds the configuration of a process that starts: the file that EnvFile
// names, else FileName beside the executable, else Default. getenv is os.Getenv
// outside tests.
func FromEnv(getenv func(string) string, domains ...catalog.Kind) (*Config, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the executable, to look for %s beside it: %w", FileName, err)
	}
	return find(getenv(EnvFile), filepath.Dir(executable), domains)
}

func find(named, dir string, domains []catalog.Kind) (*Config, error) {
	if named != "" {
		return Load(named, domains...)
	}
	beside := filepath.Join(dir, FileName)
	if _, err := os.Stat(beside); errors.Is(err, fs.ErrNotExist) {
		c := Default(domains...)
		if err := c.Validate(); err != nil {
			return nil, err
		}
		return c, nil
	}
	return Load(beside, domains...)
}
