// Package requests counts the requests of each kind of invocation, and holds them against a golden table. "3
// in 2" are three requests, of which two wait for each other. To write the table after they have become
// fewer:
//
//	go test ./test/requests -update
package requests

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden table")

// The requests of an invocation do not become more, and the table says why they are not fewer.
func TestRequests_OfEachInvocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var table strings.Builder
		for _, i := range invocations {
			if i.before != nil {
				if err := i.before(w); err != nil {
					t.Fatalf("before %s: %v", i.name, err)
				}
			}
			sent, err := w.counter.of(func() error { return i.invoke(w) })
			switch total := sent.total(); {
			case err != nil:
				t.Fatalf("%s: %v", i.name, err)
			case total < i.least.requests || sent.trips < i.least.trips:
				t.Errorf("%s: %s is less than the minimum of %d in %d", i.name, sent, i.least.requests, i.least.trips)
			case (i.why == "") != (total == i.least.requests && sent.trips == i.least.trips):
				t.Errorf("%s: %s, minimum %d in %d: say why if it is more, and only then",
					i.name, sent, i.least.requests, i.least.trips)
			}
			fmt.Fprintf(&table, "%s\n    %s\n", i.name, sent)
			if i.why != "" {
				fmt.Fprintf(&table, "    minimum %d in %d: %s\n", i.least.requests, i.least.trips, i.why)
			}
		}
		compare(t, table.String())
	})
}

func compare(t *testing.T, got string) {
	t.Helper()
	path := filepath.Join("testdata", "requests.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the requests differ from %s: if they are fewer, "+
			"go test ./test/requests -update (-table +code):\n%s", path, diff)
	}
}
