package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

// PurgeCounts prints the items of each class, and their sum.
func PurgeCounts(out io.Writer, counts []entity.PurgeCount) error {
	table := terminal.NewTable(out, 0, 1, 2)
	var items, bytes int64
	for _, c := range counts {
		table.Add(c.Class, terminal.Grouped(int(c.Items)), terminal.Bytes(c.Bytes))
		items, bytes = items+c.Items, bytes+c.Bytes
	}
	table.Add("total", terminal.Grouped(int(items)), terminal.Bytes(bytes))
	return table.Print()
}

// PurgeSteps describe the steps of a purge.
var PurgeSteps = map[entity.PurgeStep]string{
	entity.PurgeRequested:     "it begins within a minute",
	entity.PurgeSubjectLocked: "the subject is locked; waiting for writes that began before",
	entity.PurgeLatestLocked:  "the latest items are locked; waiting for writes that read them before",
	entity.PurgeErased:        "removed once; waiting for recomputations that have begun",
}

// NewPurgeProgress returns a display of a purge on w. Done ends it.
func NewPurgeProgress(w io.Writer) *PurgeProgress {
	return &PurgeProgress{Progress: terminal.NewProgress(w, "removed", "item", 0), w: w}
}

// PurgeProgress shows the steps of a purge and the items removed.
type PurgeProgress struct {
	terminal.Progress
	w    io.Writer
	step entity.PurgeStep
	n    int64 // items shown
}

// Show shows the present state.
func (p *PurgeProgress) Show(purge entity.Purge) {
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
