package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// What is counted beside the faults, each under the heading of its report.
const (
	expiring = " where something expires"
	lasting  = " where nothing expires"
)

var headings = []struct {
	title string
	names []string
}{
	{"repairs", []string{
		"batches given up: " + streamtest.RetriesExhausted, "batches given up: " + streamtest.AgeExceeded,
		"records lost: not kept until delivered", "timeouts",
		"ranges redriven", "ranges rebuilt", "ranges repaired too late, and marked",
	}},
	{"the rule", []string{
		"looks", "folds resumed", "rows written", "looks unchanged", "looks at sealed rows", "rows marked", "rows not made",
		"locks lost", "writes uncertain", "writes throttled", "expiries dropped", "set aside",
	}},
	{"units", []string{unitsRead, unitsRollups, unitsEvents, unitsQuarantine}},
	{"rows checked, in histories" + lasting, rowNames(lasting)},
	{"rows checked, in histories" + expiring, rowNames(expiring)},
	{"why right rows say that they are not exact", []string{marked, inherited, inheritedOnce}},
}

func rowNames(of string) []string {
	return []string{rowsChecked + of, rowsExact + of, rowsInexact + of, rowsUnreadable + of, rowsNeedless + of}
}

// Names of counts of rows.
const (
	rowsChecked    = "rows"
	rowsExact      = "exact rows"
	rowsInexact    = "rows that rightly say inexact"
	rowsUnreadable = "rows with unreadable events"
	rowsNeedless   = "rows needlessly inexact"

	marked        = "marked when sealed, by a change that changed nothing in the end"
	inherited     = "folded from a finer row that says so"
	inheritedOnce = "folded from a finer row that said so and has gone or healed"
)

// tally sums up what histories counted.
type tally struct {
	first     uint64
	histories int
	counts    map[string]int
	failed    []streamtest.Result // by seed
	took      time.Duration
}

func (t *tally) add(r streamtest.Result) {
	t.histories++
	r.Total(t.counts)
	if r.Failure != nil {
		t.failed = append(t.failed, r)
		slices.SortFunc(t.failed, func(a, b streamtest.Result) int { return int(a.Seed) - int(b.Seed) })
	}
}

// needless is the part of the rows checked that are right and say that they are not
// exact, in histories of a sort.
func (t *tally) needless(of string) float64 {
	return float64(t.counts[rowsNeedless+of]) / float64(max(1, t.counts[rowsChecked+of]))
}

// report prints what was simulated and what came of it.
func (t *tally) report(w io.Writer) {
	fmt.Fprintf(w, "%s histories, seeds %d to %d, in %v: ", grouped(t.histories), t.first, t.first+uint64(t.histories)-1, t.took.Round(100*time.Millisecond))
	if len(t.failed) == 0 {
		fmt.Fprintf(w, "every row that said exact was right, and none was missing, at each of %s checks\n", grouped(t.counts["checks"]))
	} else {
		fmt.Fprintf(w, "%d FAILED\n", len(t.failed))
	}
	fmt.Fprintf(w, "\noperations\n")
	for _, o := range operations {
		t.line(w, o.name, t.counts[operationPrefix+o.name], "")
	}
	fmt.Fprintf(w, "\nfaults\n")
	for _, f := range streamtest.Faults() {
		t.line(w, f.String(), t.counts[f.String()], f.What())
	}
	for _, h := range headings {
		fmt.Fprintf(w, "\n%s\n", h.title)
		for _, name := range h.names {
			t.line(w, strings.TrimSuffix(strings.TrimSuffix(name, lasting), expiring), t.counts[name], "")
		}
	}
	fmt.Fprintf(w, "\nneedlessly inexact: %.2f %% of the rows%s, %.2f %% of the rows%s\n",
		100*t.needless(lasting), lasting, 100*t.needless(expiring), expiring)
}

func (t *tally) line(w io.Writer, name string, n int, what string) {
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-66s %12s  %s", name, grouped(n), what), " "))
}

// strangers are counts that no heading names.
func (t *tally) strangers() (names []string) {
	known := map[string]bool{"checks": true}
	for _, o := range operations {
		known[operationPrefix+o.name] = true
	}
	for _, f := range streamtest.Faults() {
		known[f.String()] = true
	}
	for _, h := range headings {
		for _, name := range h.names {
			known[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.counts)) {
		if !known[name] {
			names = append(names, name)
		}
	}
	return names
}

// grouped is a number with its thousands apart.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
