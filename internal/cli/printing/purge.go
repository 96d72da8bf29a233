package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PurgeCounts prints the items of each class, and their sum.
func PurgeCounts(out io.Writer, counts []storage.PurgeCount) error {
	table := terminal.NewTable(out, 0, 1, 2)
	var items, bytes int64
	for _, c := range counts {
		table.Add(c.Class, terminal.Grouped(int(c.Items)), terminal.Bytes(c.Bytes))
		items, bytes = items+c.Items, bytes+c.Bytes
	}
	table.Add("total", terminal.Grouped(int(items)), terminal.Bytes(bytes))
	return table.Print()
}

// Erased prints what a removal of events did, or would do.
func Erased(out io.Writer, r lifecycle.EraseResult, dryRun bool) {
	verb := "deleted"
	if dryRun {
		verb = "would delete"
	}
	fmt.Fprintf(out, "%s %s events; the rollups follow within the mapping's window\n", verb,
		terminal.Grouped(int(r.Deleted)))
	if r.Expiring > 0 {
		fmt.Fprintf(out, "%s events were not deleted because they expire within minutes\n",
			terminal.Grouped(int(r.Expiring)))
	}
	if r.Unreadable > 0 {
		fmt.Fprintf(out, "%s events were not deleted because they cannot be decoded: see tidemark verify\n",
			terminal.Grouped(int(r.Unreadable)))
	}
}

// ErasedBehind says that rollups may still have events that were removed, if the table stream is behind.
func ErasedBehind(w io.Writer, subject model.Subject, p query.Progress, now model.Time) {
	if len(p.Warnings(now)) == 0 {
		return
	}
	Progress(w, p, now)
	fmt.Fprintf(w, "rollups may still have the events that were removed: tidemark verify compares them with "+
		"the events of %s, and tidemark rebuild recomputes those that differ\n", subject)
}

// Hidden prints from how many rollups a value was removed, or would be.
func Hidden(out io.Writer, r hidevalue.Report, dryRun bool) {
	verb := "removed the value from"
	if dryRun {
		verb = "would remove the value from"
	}
	fmt.Fprintf(out, "%s %s rollups; its events count as other values\n", verb, terminal.Grouped(r.Rows))
	if r.Damaged > 0 {
		fmt.Fprintf(out, "%s rollups cannot be decoded and were not changed\n", terminal.Grouped(r.Damaged))
	}
}

// HiddenGroups prints the groups whose rollups have a value that was removed from their members, as a command
// accepts them. all is whether there may be others.
func HiddenGroups(out io.Writer, groups []string, all bool) {
	if len(groups) == 0 && !all {
		return
	}
	fmt.Fprintln(out, "rollups of groups may keep the value, until the same command removes it from each:")
	for _, group := range groups {
		fmt.Fprintf(out, "  %s\n", group)
	}
	if all {
		fmt.Fprintln(out, "  other groups of these events, which are too many to name in a rollup")
	}
}

// Copies prints where copies of what was removed remain, and until when.
func Copies(out io.Writer, copies []lifecycle.RemainingCopy) {
	fmt.Fprintln(out, "copies may remain in")
	for _, c := range copies {
		until := "until its owner deletes it"
		if c.Until != nil {
			until = "until " + c.Until.String()
		}
		fmt.Fprintf(out, "  %s, %s\n", c.Where, until)
	}
}

// PurgeSteps describe the steps of a purge.
var PurgeSteps = map[storage.PurgeStep]string{
	storage.PurgeRequested:     "it begins within a minute",
	storage.PurgeSubjectLocked: "the subject is locked; waiting for writes that began before",
	storage.PurgeLatestLocked:  "the latest items are locked; waiting for writes that read them before",
	storage.PurgeErased:        "removed once; waiting for recomputations that have begun",
}

// NewPurgeProgress returns a display of a purge on w. Done ends it.
func NewPurgeProgress(w io.Writer) *PurgeProgress {
	return &PurgeProgress{Progress: terminal.NewProgress(w, "removed", "item", 0), w: w}
}

// PurgeProgress shows the steps of a purge and the items removed.
type PurgeProgress struct {
	terminal.Progress
	w    io.Writer
	step storage.PurgeStep
	n    int64 // items shown
}

// Show shows the present state.
func (p *PurgeProgress) Show(purge storage.Purge) {
	var n int64
	for _, c := range purge.Counts {
		n += c.Items
	}
	p.Add(int(n - p.n))
	p.n = n
	if text := PurgeSteps[purge.Step]; purge.Step != p.step && text != "" {
		fmt.Fprintln(p.w, text)
	}
	p.step = purge.Step
}
