package simulation

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// The lines of the report other than operations and faults, under their headings.
const (
	expiring = " where something expires"
	lasting  = " where nothing expires"
)

var headings = []struct {
	title string
	names []string
}{
	{"repairs", []string{
		"batches given up: " + eventsource.RetriesExhausted, "batches given up: " + eventsource.AgeExceeded,
		"records lost: expired before delivery", "timeouts",
		"ranges redriven", "ranges rebuilt", "ranges repaired too late and marked inexact",
	}},
	{"recomputations", []string{
		"recomputations", "rows written", "rows unchanged", "recomputations of sealed rows", "rows marked inexact",
		"rows not created", "buckets left to a sweep", "invalidations written", "sweeps",
		"invalidations worked off", processedInPart, "locks lost", "writes without a result", "writes throttled",
		"expiries dropped",
		"changes quarantined",
	}},
	{"reads of rollups", []string{
		bucketsChecked, bucketsOpen, bucketsMixed, bucketsAhead, bucketsAbsent, changesOnTime, changesUnqueued,
	}},
	{"groups", []string{
		groupRowsChecked, groupRowsExact, groupListsChecked, groupBucketsRead, movesStored, lateMoves,
	}},
	{"reads and processes",
		[]string{unprocessedKeys, brokenPages, suspensions, namesDropped, statesDropped, rowsRecounted, staleReads,
			latestChecked, latestExpired, policyApplied, policyRolledBack, policyRefused, madeDeferred, madeImmediate,
			deferralEnded, generationsAdded, generationsRetired}},
	{"units", []string{unitsRead, unitsRollups, unitsEvents, unitsQuarantine}},
	{"rows checked, in histories" + lasting, rowNames(lasting)},
	{"rows checked, in histories" + expiring, rowNames(expiring)},
	{"why correct rows are inexact", []string{markedUnchanged, inherited, inheritedOnce}},
}

func rowNames(of string) []string {
	return []string{rowsChecked + of, rowsExact + of, rowsInexact + of, rowsUnreadable + of, rowsNeedless + of}
}

// processedInPart counts batches of writes of which the table carried out only some.
const processedInPart = "batches of invalidations processed in part"

// Names of counts of rows.
const (
	rowsChecked    = "rows"
	rowsExact      = "exact rows"
	rowsInexact    = "rows rightly inexact"
	rowsUnreadable = "rows with unreadable events"
	rowsNeedless   = "rows needlessly inexact"

	markedUnchanged = "marked inexact by a change that made no difference in the end"
	inherited       = "folded from an inexact finer row"
	inheritedOnce   = "folded from an inexact finer row that has since expired or become exact"
)

// summary sums up the counts of histories.
type summary struct {
	first     uint64
	histories int
	counts    map[string]int
	failed    []simstream.Result // by seed
	took      time.Duration
}

func (t *summary) add(r simstream.Result) {
	t.histories++
	r.Total(t.counts)
	if r.Failure != nil {
		t.failed = append(t.failed, r)
		slices.SortFunc(t.failed, func(a, b simstream.Result) int { return int(a.Seed) - int(b.Seed) })
	}
}

// needless returns the fraction of the checked rows that are correct but inexact, in one
// sort of histories.
func (t *summary) needless(of string) float64 {
	return float64(t.counts[rowsNeedless+of]) / float64(max(1, t.counts[rowsChecked+of]))
}

// report prints the counts of the simulation.
func (t *summary) report(w io.Writer) {
	fmt.Fprintf(w, "%s histories, seeds %d to %d, in %v: ", grouped(t.histories), t.first,
		t.first+uint64(t.histories)-1, t.took.Round(100*time.Millisecond))
	if len(t.failed) == 0 {
		fmt.Fprintf(w, "at each of %s checks every exact row was correct, and no row was missing\n",
			grouped(t.counts["checks"]))
	} else {
		fmt.Fprintf(w, "%d FAILED\n", len(t.failed))
	}
	fmt.Fprintf(w, "\noperations\n")
	for _, o := range operations {
		t.line(w, o.name, t.counts[operationPrefix+o.name], "")
	}
	fmt.Fprintf(w, "\nfaults\n")
	for _, f := range simstream.Faults() {
		t.line(w, f.String(), t.counts[f.String()], f.Description())
	}
	for _, h := range headings {
		fmt.Fprintf(w, "\n%s\n", h.title)
		for _, name := range h.names {
			t.line(w, strings.TrimSuffix(strings.TrimSuffix(name, lasting), expiring), t.counts[name], "")
		}
	}
	if len(t.unmet()) == 0 {
		fmt.Fprintf(w, "\neach of %d named faults and situations was met at least %d times\n", len(t.required()),
			t.histories/perHundred)
	}
	fmt.Fprintf(w, "\nneedlessly inexact: %.2f %% of the rows%s, %.2f %% of the rows%s\n",
		100*t.needless(lasting), lasting, 100*t.needless(expiring), expiring)
}

func (t *summary) line(w io.Writer, name string, n int, description string) {
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-66s %12s  %s", name, grouped(n), description), " "))
}

// perHundred is how many histories meet each of the named faults once, at least.
const perHundred = 100

// unmet returns the named faults and situations that too few histories met: the checks
// prove nothing about them. Few histories need not meet all.
func (t *summary) unmet() (lines []string) {
	for _, name := range t.required() {
		if least := t.histories / perHundred; t.counts[name] < least {
			lines = append(lines, fmt.Sprintf("%s: %d times, want %d", name, t.counts[name], least))
		}
	}
	return lines
}

// required returns the names of what a run must meet.
func (t *summary) required() []string {
	all := []string{
		bucketsChecked, bucketsOpen, bucketsMixed, bucketsAhead, bucketsAbsent, changesOnTime, changesUnqueued,
		unprocessedKeys, brokenPages, suspensions, namesDropped, statesDropped, latestChecked,
		policyApplied, policyRolledBack, madeDeferred, madeImmediate, deferralEnded, generationsAdded,
		generationsRetired, groupRowsChecked, groupRowsExact, groupListsChecked, groupBucketsRead,
	}
	for _, h := range headings[:2] {
		all = append(all, h.names...)
	}
	for _, f := range simstream.Faults() {
		all = append(all, f.String())
	}
	for _, o := range operations {
		all = append(all, operationPrefix+o.name)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == notMet })
}

// notMet is a count that is listed and need not occur: every simulated change is valid.
const notMet = "changes quarantined"

// unlisted returns the names of counts that have no line in the report.
func (t *summary) unlisted() (names []string) {
	known := map[string]bool{"checks": true}
	for _, o := range operations {
		known[operationPrefix+o.name] = true
	}
	for _, f := range simstream.Faults() {
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

// grouped formats a number with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
