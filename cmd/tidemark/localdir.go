package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
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

// ownDir returns the directory for the logs, the clock and the on-failure file, and locks it until unlock is
// called. If another dev has locked it, this one has a directory of its own below. A dev without a command is
// refused if another one runs: commands would find only one of both.
func ownDir(dir string, forCommand bool) (own string, unlock func(), err error) {
	other, running := devfile.Running(filepath.Join(dir, filepath.Base(devfile.Path)))
	if running && !forCommand {
		return "", nil, usagef("a tidemark dev runs in this directory already, at %s (process %d): "+
			"end it, or start this one in another directory",
			other.URL, other.PID)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, noDir(err)
	}
	alone := func() {}
	if !forCommand {
		if alone, err = lockAlone(dir); err != nil {
			return "", nil, err
		}
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if free, err := lock.TryLock(); err != nil || running || !free {
		_ = lock.Unlock()
		return filepath.Join(dir, fmt.Sprint("run-", os.Getpid())), alone, noDir(err)
	}
	return dir, func() {
		_ = lock.Unlock()
		alone()
	}, nil
}

// lockAlone locks a directory for the one dev without a command in it: another one may be starting, and its
// file is not written yet.
func lockAlone(dir string) (unlock func(), err error) {
	lock := flock.New(filepath.Join(dir, ".dev.lock"))
	switch free, err := lock.TryLock(); {
	case err != nil:
		return nil, noDir(err)
	case !free:
		return nil, usagef("a tidemark dev starts in this directory: end it, or start this one elsewhere")
	}
	return func() { _ = lock.Unlock() }, nil
}

// noDir returns the error of a directory for logs that cannot be written; nil for none.
func noDir(err error) error {
	if err == nil {
		return nil
	}
	return usagef("the directory for logs cannot be written: %w: choose another one with --dir", err)
}
