package main

import (
	"path/filepath"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// A dev with a directory of its own has its logs and its on-failure file there.
func TestLocalDir_IsWhereTheClockOfTheDevIs(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	for path, want := range map[string]string{
		"": ".tidemark", filepath.Join(here, ".tidemark/run-7/clock"): ".tidemark/run-7",
		"/elsewhere/dev/clock": "/elsewhere/dev",
	} {
		t.Setenv(clock.Env, path)
		if got := localDir(); filepath.ToSlash(got) != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}

// Both would be found by the same file, which has the last one.
func TestOwnDir_RefusesASecondDevThatStartsAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	_, unlock, err := ownDir(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ownDir(dir, false); !usererr.Is(err) {
		t.Errorf("a second dev: %v, want it refused", err)
	}
	unlock()
	_, unlock, err = ownDir(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
