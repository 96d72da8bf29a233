package oracle

import (
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The first days of the extract through the running stack, with disturbed delivery, in random order, and
// with events that are deleted and put back.
func TestSite_InRandomOrderWithDeletionsEqualsTheOracle(t *testing.T) {
	rig, err := loggers.StartRig(t.Context(), loggers.Options{Root: root, Table: "oracle-web",
		Faults: stack.Faults{Seed: 1, Again: 5, Recut: 5}})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Stop()
	lines, err := ByKind(extract)
	if err != nil {
		t.Fatal(err)
	}
	const end = "2025-12-22"
	for kind := range lines {
		lines[kind] = slices.DeleteFunc(lines[kind], func(l Line) bool { return l.At >= end })
	}
	expected := expects(t)
	maps.DeleteFunc(expected, func(b Bucket, _ *Expect) bool {
		return b.Start.String() >= end || b.Tier == tier.Month
	})
	result, err := replayAndCompareSites(t.Context(), rig, lines, disturbance{seed: 1, random: true, deleted: 5},
		expected, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	// The month lacks its later days, so it is not expected, and is listed.
	if n := len(expected); result.Equal != n || len(result.Wrong) != 1 ||
		!strings.Contains(result.Wrong[0], " month ") || result.Tops != 3*n || n < 30 {
		t.Errorf("%d of %d buckets equal, %d tops; %q", result.Equal, n, result.Tops, result.Wrong)
	}
}
