package printing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/repair/verify"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

// Verify prints the report of a verification, at most MaxDifferences of its differences.
func Verify(w io.Writer, r *verify.Report, took time.Duration) {
	if r.Audit != nil {
		fmt.Fprintf(w, "audited %s items by digest: %s series to recount\n", terminal.Grouped(r.Audit.Items), terminal.Grouped(len(r.Audit.Series())))
	}
	fmt.Fprintf(w, "recounted %s events of %s series in %s\n", terminal.Grouped(r.Events), terminal.Grouped(r.Series), took.Round(10*time.Millisecond))
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
	for _, kind := range slices.Sorted(maps.Keys(r.Partial)) {
		for _, f := range r.Partial[kind] {
			fmt.Fprintf(w, "%s: some rows were computed before %s %s was declared and are partial: tidemark reshape %s\n", kind, f.Role, f.Name, kind)
		}
	}
	switch {
	case !r.OK():
	case r.Checked():
		fmt.Fprintln(w, "every rollup equals its events")
	default:
		fmt.Fprintln(w, "nothing was recounted: no bucket was found")
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
		row := []string{"  " + t.Tier}
		for _, s := range verify.Statuses {
			row = append(row, terminal.Grouped(t.Status[s]))
		}
		table.Add(append(row, terminal.Grouped(t.Inexact), terminal.Grouped(t.Partial))...)
	}
	table.Print()
}

// MaxDifferences is how many differing buckets are printed.
const MaxDifferences = 20

// UndeclaredKind says what to do about a series of an undeclared kind.
const UndeclaredKind = "its kind is not declared: pass the tidemark.yaml that declares it with --config"
