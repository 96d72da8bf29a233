package loggers

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Tolerances of derived values. Counts, sums, extremes, first and last are compared exactly.
const (
	relative   = 1e-9 // of avg and stddev, which have 12 decimals in the oracle
	percentile = 0.01 // of the value at the nearest rank
	decimals   = 1e-12
)

// Result is the result of the comparison of stored rows with the oracle.
type Result struct {
	Buckets int      // in the oracle
	Equal   int      // stored and equal
	Wrong   []string // one sentence for each bucket that is missing, differs, or is not in the oracle
}

// Compare compares rows with the oracle, bucket by bucket.
func Compare(rows []rollup.Row, expects map[rollup.Key]Expect) Result {
	r := Result{Buckets: len(expects)}
	missing := maps.Clone(expects)
	for i := range rows {
		row := &rows[i]
		if row.Empty {
			continue
		}
		want, known := expects[row.Key]
		delete(missing, row.Key)
		if !known {
			r.Wrong = append(r.Wrong, name(row.Key)+": stored, but not in the oracle")
		} else if differs := Differences(row, want); len(differs) > 0 {
			r.Wrong = append(r.Wrong, name(row.Key)+": "+strings.Join(differs, "; "))
		} else {
			r.Equal++
		}
	}
	for key := range missing {
		r.Wrong = append(r.Wrong, name(key)+": missing")
	}
	slices.Sort(r.Wrong)
	return r
}

// Differences lists the differences between a row and the oracle.
func Differences(row *rollup.Row, want Expect) []string {
	var d differences
	m, found := row.Summary.Measure(Measure)
	if !found {
		return []string{"has no measure " + Measure}
	}
	d.check(row.Exact, "says exact: false")
	d.check(m.Count == want.Count, "count %d, want %d", m.Count, want.Count)
	d.check(m.Invalid == want.Invalid, "invalid %d, want %d", m.Invalid, want.Invalid)
	if want.Count == 0 || m.Count == 0 {
		return d
	}
	d.exact("sum", m.Sum, want.Sum)
	d.exact("min", m.Min, want.Min)
	d.exact("max", m.Max, want.Max)
	d.exact("first", m.First, want.First)
	d.exact("last", m.Last, want.Last)
	avg, _ := m.Avg()
	d.near("avg", avg, want.Avg, relative)
	stddev, _ := m.Stddev()
	d.near("stddev", stddev, want.Stddev, relative)
	for _, p := range []struct {
		name string
		q    float64
		want *model.Decimal
	}{{"p50", .50, want.P50}, {"p95", .95, want.P95}, {"p99", .99, want.P99}} {
		got, ok := m.Quantile(p.q)
		d.check(ok, "no %s", p.name)
		d.near(p.name, got, p.want, percentile)
	}
	return d
}

type differences []string

func (d *differences) check(ok bool, format string, args ...any) {
	if !ok {
		*d = append(*d, fmt.Sprintf(format, args...))
	}
}

func (d *differences) exact(what string, got model.Decimal, want *model.Decimal) {
	d.check(got.Cmp(*want) == 0, "%s %s, want %s", what, got, want)
}

func (d *differences) near(what string, got float64, want *model.Decimal, tolerance float64) {
	w := want.Float64()
	// Allow for the last decimal of the oracle if the value is near zero.
	d.check(math.Abs(got-w) <= tolerance*math.Abs(w)+decimals, "%s %v, want %v", what, got, w)
}

func name(k rollup.Key) string { return fmt.Sprintf("%s %s %s", k.Series, k.Tier, k.Start) }

// shown is how many differing buckets are printed.
const shown = 10

// PrintDelivery prints the counts of deliveries and recomputations.
func PrintDelivery(out io.Writer, s stack.Stats) {
	metric := func(m telemetry.Metric) int64 { return int64(s.Metrics[string(m)]) }
	fmt.Fprintf(out, "delivery  %d batches, %d delivered again, %d in pieces; %d invocations, "+
		"%d of them not acknowledged\n",
		s.Batches, s.Again, s.Recut, s.Invocations, s.Failed)
	if s.Kills > 0 {
		fmt.Fprintf(out, "kills     %d of the aggregate function by SIGKILL, %d of them between the last "+
			"write and the acknowledgement\n", s.Kills, s.KillsUnacked)
	}
	fmt.Fprintf(out, "rows      %d recomputed: %d written, %d unchanged, %d repeated after a lost lock\n",
		metric(telemetry.Recomputations), metric(telemetry.RowsWritten), metric(telemetry.RowsUnchanged),
		metric(telemetry.LostLocks))
}

// Print prints how many buckets are equal, and the others.
func (r Result) Print(out io.Writer) {
	fmt.Fprintf(out, "Tidemark: %d of %d buckets equal the oracle\n", r.Equal, r.Buckets)
	for i, sentence := range r.Wrong {
		if i == shown {
			fmt.Fprintf(out, "  … and %d more\n", len(r.Wrong)-shown)
			break
		}
		fmt.Fprintln(out, " ", sentence)
	}
}
