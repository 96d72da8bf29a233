package testenv

import "testing"

func TestHistories_DependOnTheSuiteUnlessSet(t *testing.T) {
	for _, c := range []struct {
		long, set string
		want      int
	}{{"", "", 10}, {"1", "", 100}, {"", "7", 7}, {"1", "7", 7}, {"", "many", 10}} {
		t.Setenv("TIDEMARK_LONG", c.long)
		t.Setenv("TIDEMARK_HISTORIES", c.set)
		if n := Histories(10, 100); n != c.want {
			t.Errorf("long %q, histories %q: %d, want %d", c.long, c.set, n, c.want)
		}
	}
}

// recorder records how a test ends.
type recorder struct {
	testing.TB
	failed, skipped bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }

func TestMissing_FailsIfTheToolIsRequired(t *testing.T) {
	for require, fails := range map[string]bool{"": false, "node": false, "java": true, "node,java": true} {
		t.Setenv("TIDEMARK_REQUIRE", require)
		var r recorder
		func() {
			defer func() { _ = recover() }()
			Missing(&r, "java", "no Java")
		}()
		if r.failed != fails || r.skipped == fails {
			t.Errorf("TIDEMARK_REQUIRE=%s: failed %t, skipped %t", require, r.failed, r.skipped)
		}
	}
}
