package main

import (
	"os"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/base/clock"
)

// localDir returns the directory with the logs and the on-failure file of the dev that a command works on:
// its clock is there.
func localDir() string {
	path := clock.FromEnv().Path()
	if path == "" {
		return devDir
	}
	dir := filepath.Dir(path)
	if here, err := os.Getwd(); err == nil {
		if below, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(below) {
			return below
		}
	}
	return dir
}
