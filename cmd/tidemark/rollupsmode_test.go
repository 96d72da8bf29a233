package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
)

// The file decides which tiers are deferred, and the table of a bench is immediate: to defer
// takes one command, the way back two of them an hour apart.
func TestRollupsModes_FollowTheFileAndCanBeRunAgain(t *testing.T) {
	b := newBench(t)
	immediate := filepath.Join(t.TempDir(), "tidemark.yaml")
	text := "tiers: {raw: 30d, hour: {retention: 90d, mode: immediate}, day: {retention: 2y, mode: " +
		"immediate}, month: {retention: forever, mode: immediate}}\n"
	if err := os.WriteFile(immediate, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b.expect(2, words("config immediate READING"), "declares tiers.hour of READING deferred",
		"change its mode there")
	b.expect(2, words("config defer READING --config "+immediate), "declares tiers.hour of READING immediate")
	b.expect(2, words("config defer READING week"), `kind READING has no tier "week"`)
	b.expect(2, words("config defer UNKNOWN"), "UNKNOWN")
	b.expect(2, words("config defer"))
	b.expect(0, words("config immediate READING --config "+immediate), "0 were written")
	began := wallClock()
	for range 2 {
		b.expect(0, words("config defer READING"), "READING: ")
	}
	stored, err := b.table.KindConfig(t.Context(), "READING")
	if err != nil || stored == nil || !stored.Tiers[0].Deferred ||
		stored.Tiers[0].DeferredFrom < began.Add(tableconfig.Lead) {
		t.Fatalf("stored %+v, %v; want hours deferred an hour after the command", stored, err)
	}
	for range 2 {
		b.expect(1, words("config immediate READING --config "+immediate), "run the command again after that")
	}
}
