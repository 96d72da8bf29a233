package printing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/reshape"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Rebuild prints the report of a rebuild.
func Rebuild(w io.Writer, r *repair.RebuildReport, dryRun bool, took time.Duration) {
	changed := "changed"
	if dryRun {
		changed = "would change"
	}
	fmt.Fprintf(w, "recomputed %s buckets of %s series in %s: %s %s, %s sealed, %s not created\n",
		terminal.Grouped(r.Recomputed), terminal.Grouped(r.Series), took.Round(10*time.Millisecond),
		terminal.Grouped(r.Changed), changed, terminal.Grouped(r.Sealed), terminal.Grouped(r.NotCreated))
	printNotes(w, r.Notes, r.Changed)
	for _, f := range r.Failures {
		fmt.Fprintf(w, "skipped: %v\n", f.Err)
	}
	if dryRun && r.Changed > 0 {
		fmt.Fprintln(w, "nothing was written; coarser rows over these would change too")
	}
}

// Arrivals prints the report of the repair of what arrived in ranges of time.
func Arrivals(w io.Writer, r *repair.ArrivalReport, dryRun bool) {
	for _, g := range r.Ranges {
		fmt.Fprintf(w, "events that arrived in %s..%s\n", g.From, g.To)
	}
	fmt.Fprintf(w, "audited %s items: %s buckets to recompute\n", terminal.Grouped(r.Items),
		terminal.Grouped(r.Suspects))
	changed := "changed"
	if dryRun {
		changed = "would change; nothing was written"
	}
	fmt.Fprintf(w, "recomputed %s buckets: %s sealed, %s not created, %s %s\n", terminal.Grouped(r.Recomputed),
		terminal.Grouped(r.Sealed), terminal.Grouped(r.NotCreated), terminal.Grouped(r.Changed), changed)
	printNotes(w, r.Notes, r.Changed)
}

// printNotes prints the notes about rows, sorted, and how many rows of all were left out.
func printNotes(w io.Writer, notes []aggregate.Note, all int) {
	lines := lists.Map(notes, func(n aggregate.Note) string {
		return fmt.Sprintf("%s %s %s: %s", n.Key.Series, n.Key.Tier, n.Key.Start, n.Text)
	})
	for _, line := range slices.Sorted(slices.Values(lines)) {
		fmt.Fprintln(w, line)
	}
	if more := all - len(lines); more > 0 {
		fmt.Fprintf(w, "… and %s more\n", terminal.Grouped(more))
	}
}

// Reshape prints the report of a reshape, and what to do if nothing was written.
func Reshape(w io.Writer, r *reshape.Report, written bool) error {
	table := terminal.NewTable(w, 1, 2, 3)
	table.Add("TIER", "ROWS", "PARTIAL BEFORE", "PARTIAL AFTER")
	for _, t := range r.Tiers {
		table.Add(t.Tier, terminal.Grouped(t.Rows), terminal.Grouped(t.Before), terminal.Grouped(t.After))
	}
	if err := table.Print(); err != nil {
		return err
	}
	for _, f := range r.Fields {
		fmt.Fprintf(w, "%s %s: %s\n", f.Role, f.Name, wholeFrom(f))
	}
	if !written {
		fmt.Fprintln(w, "nothing was written: omit --dry-run to write the rows")
	}
	return nil
}

func wholeFrom(f rollup.AddedField) string {
	if f.WholeFrom == model.MinTime {
		return "whole in every bucket"
	}
	return "whole in buckets that begin at " + f.WholeFrom.String() + " or later"
}

// Changes prints the changes of a configuration, the refused ones first: they prevent the
// deployment. It returns how many are refused.
func Changes(w io.Writer, changes []config.Change) (refused int) {
	count := map[config.Class]int{}
	for _, class := range []config.Class{config.Refused, config.NeedsRebuild, config.Safe} {
		for _, c := range changes {
			if c.Class == class {
				count[class]++
				fmt.Fprintln(w, c)
			}
		}
	}
	fmt.Fprintf(w, "%d changes: %d safe, %d need a rebuild, %d refused\n", len(changes), count[config.Safe],
		count[config.NeedsRebuild], count[config.Refused])
	return count[config.Refused]
}

// RedriveMessage prints what was done with one message.
func RedriveMessage(w io.Writer, m repair.MessageResult, dryRun bool) {
	g := m.Range
	what := fmt.Sprintf("shard %s from %s to %s (%s to %s)", g.Shard, g.First, g.Last, g.FirstAt, g.LastAt)
	switch {
	case m.Err != nil:
		fmt.Fprintf(w, "message %s: not processed: %v\n", m.ID, m.Err)
	case m.Trimmed != nil:
		fmt.Fprintf(w, "message %s: the table stream no longer has %s to %s: repairing by arrival%s\n", m.ID,
			g.FirstAt, g.LastAt, deadline(m.Trimmed))
	case dryRun:
		fmt.Fprintf(w, "message %s: %s changes to process of %s\n", m.ID, terminal.Grouped(m.Changes), what)
	default:
		fmt.Fprintf(w, "message %s: processed %s changes of %s: %s rows written, %s unchanged, %s sealed\n", m.ID,
			terminal.Grouped(m.Changes), what, terminal.Grouped(m.Counts.Written),
			terminal.Grouped(m.Counts.Unchanged),
			terminal.Grouped(m.Counts.Sealed))
	}
}

// deadline says by when a trimmed range must be repaired.
func deadline(t *repair.Trimmed) string {
	switch {
	case t.ExpiresAt == 0:
		return ""
	case t.Expired:
		return fmt.Sprintf("; its raw events began to expire on %s: rows that may miss one are marked exact: false",
			t.ExpiresAt)
	}
	return fmt.Sprintf("; it must be done before its raw events expire, on %s", t.ExpiresAt)
}

// Redrive prints the report of a redrive that ended with err.
func Redrive(w io.Writer, r *repair.RedriveReport, dryRun bool, err error) {
	if r.Arrival != nil && (err == nil || r.Arrival.Items > 0) {
		Arrivals(w, r.Arrival, dryRun)
	}
	for _, m := range r.Marked {
		fmt.Fprintf(w, "marked the rows that may miss an event of %s to %s exact: false: "+
			"%s buckets recomputed, %s rows changed\n",
			m.Range.FirstAt, m.Range.LastAt, terminal.Grouped(m.Recomputed), terminal.Grouped(m.Changed))
	}
	switch {
	case err != nil:
	case r.Found == 0:
		fmt.Fprintln(w, "batches: there are none")
	case dryRun:
		fmt.Fprintf(w, "batches: %s to process; nothing was changed\n", terminal.Grouped(r.Found))
	default:
		fmt.Fprintf(w, "batches: %s processed and removed\n", terminal.Grouped(r.Processed))
	}
}

// Verify prints the report of a verification, at most MaxDifferences of its differences.
func Verify(w io.Writer, r *verify.Report, took time.Duration, now model.Time) {
	fmt.Fprintln(w, r.Processed.Text(now))
	for _, text := range r.Processed.Warnings(now) {
		fmt.Fprintln(w, text)
	}
	if r.Audit != nil {
		fmt.Fprintf(w, "audited %s items by digest: %s series to recount\n", terminal.Grouped(r.Audit.Items),
			terminal.Grouped(len(r.Audit.Series())))
	}
	fmt.Fprintf(w, "recounted %s events of %s series in %s\n", terminal.Grouped(r.Events),
		terminal.Grouped(r.Series), took.Round(10*time.Millisecond))
	printTierCounts(w, r.Tiers)
	for _, f := range r.Differences[:min(len(r.Differences), MaxDifferences)] {
		fmt.Fprintf(w, "%s %s %s: %s: %s\n", f.Key.Series, f.Key.Tier, f.Key.Start, f.Status, f.Detail)
		if f.Events != "" {
			fmt.Fprintf(w, "    %s\n", f.Events)
		}
	}
	if more := len(r.Differences) - MaxDifferences; more > 0 {
		fmt.Fprintf(w, "… and %s more\n", terminal.Grouped(more))
	}
	for _, s := range r.Undeclared {
		fmt.Fprintf(w, "%s: %s\n", s, UndeclaredKind)
	}
	printPartial(w, r.Partial)
	busy, pending := r.Count(verify.Busy), r.Count(verify.Pending)
	if busy > 0 {
		fmt.Fprintf(w, "buckets that changed whenever they were read: %d; verify later\n", busy)
	}
	if pending > 0 {
		fmt.Fprintf(w, "buckets whose changes are not processed yet: %d; verify later\n", pending)
	}
	fmt.Fprint(w, verified(r, busy+pending, now))
}

// verified returns the last line of a report, which says whether rows equal their events. unsure is how
// many buckets the verification could not decide. The line is empty if the differences say all.
func verified(r *verify.Report, unsure int, now model.Time) string {
	switch {
	case !r.OK() && r.Processed.KnownThrough(now) == model.MinTime:
		return `nothing was processed yet: rows of a new table follow its first events; verify again, ` +
			`and "tidemark status" says whether the table stream is read` + "\n"
	case !r.OK() && r.Processed.ProcessedThrough != nil:
		return "a correction or deletion of the last minutes differs until it is processed: verify again\n"
	case !r.OK():
		return ""
	case unsure > 0:
		return "every other rollup equals its events\n"
	case r.Checked():
		return "every rollup equals its events\n"
	}
	return "nothing was recounted: no bucket was found\n"
}

// printPartial prints the fields that some rows of a kind lack.
func printPartial(w io.Writer, partial map[string]rollup.AddedFields) {
	for _, kind := range slices.Sorted(maps.Keys(partial)) {
		for _, f := range partial[kind] {
			text := "%s: some rows were computed before %s %s was declared and are partial: " +
				"tidemark rebuild --fields %[1]s\n"
			if f.Since == model.MaxTime {
				text = "%s: %s %s is not declared any more, or not applied yet: its figures are partial, " +
					"and rows that differ need tidemark rebuild --all\n"
			}
			fmt.Fprintf(w, text, kind, f.Role, f.Name)
		}
	}
}

// printTierCounts prints a table of numbers, indented by two spaces.
func printTierCounts(w io.Writer, tiers []verify.TierCounts) {
	header, right := []string{"  tier"}, []int{0}
	for i, s := range verify.Statuses {
		header, right = append(header, string(s)), append(right, i+1)
	}
	table := terminal.NewTable(w, append(right, len(header), len(header)+1)...)
	table.Add(append(header, "inexact", "partial")...)
	for _, t := range tiers {
		counts := lists.Map(verify.Statuses, func(s verify.Status) string { return terminal.Grouped(t.Status[s]) })
		table.Add(append(append([]string{"  " + t.Tier}, counts...), terminal.Grouped(t.Inexact),
			terminal.Grouped(t.Partial))...)
	}
	table.Print()
}

// MaxDifferences is how many differing buckets are printed.
const MaxDifferences = 20

// UndeclaredKind says what to do about a series of an undeclared kind.
const UndeclaredKind = "its kind is not declared: pass the tidemark.yaml that declares it with --config"
