// Package testenv reads the environment variables that select what the tests run.
//
//   - TIDEMARK_LONG=1 selects the longer suite: more histories, and the tests that take long.
//   - TIDEMARK_SEED=N is the seed from which simulations of the longer suite begin, beside their usual one.
//   - TIDEMARK_HISTORIES=N sets the number of histories of each simulation.
//   - TIDEMARK_REQUIRE=java,node names tools that must be installed: without one, a test
//     that needs it fails instead of being skipped.
package testenv

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Long reports whether the longer suite runs.
func Long() bool { return os.Getenv("TIDEMARK_LONG") != "" }

// LongOnly skips a test that only the longer suite runs.
func LongOnly(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("skipped: this test takes long; make test-long runs it")
	}
}

// Histories returns the number of histories that a simulation plays: short or long,
// depending on the suite, or the number that TIDEMARK_HISTORIES sets.
func Histories(short, long int) int {
	if n, err := strconv.Atoi(os.Getenv("TIDEMARK_HISTORIES")); err == nil && n > 0 {
		return n
	}
	if Long() {
		return long
	}
	return short
}

// Seed returns the seed that TIDEMARK_SEED sets, which changes by the day in CI and make test-long, and
// prints it. Without one the test is skipped.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("TIDEMARK_SEED"), 10, 64)
	if err != nil {
		t.Skip("skipped: TIDEMARK_SEED is not set; CI and make test-long set it to the date")
	}
	t.Logf("TIDEMARK_SEED=%d", seed)
	return seed
}

// Required reports whether TIDEMARK_REQUIRE names the tool.
func Required(tool string) bool {
	return slices.Contains(strings.Split(os.Getenv("TIDEMARK_REQUIRE"), ","), tool)
}

// Missing ends a test that needs a tool that is not installed. The test is skipped, or
// fails if the tool is required. The reason is one sentence with what to install.
func Missing(t testing.TB, tool string, reason any) {
	t.Helper()
	if Required(tool) {
		t.Fatalf("TIDEMARK_REQUIRE names %s: %v", tool, reason)
	}
	t.Skipf("skipped: %v", reason)
}
