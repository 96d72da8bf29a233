// Package hidevalue removes one value of a dimension from the stored rollups of a subject, such as a secret
// in the path of a page. The events of the value count as other values; nothing else of a row changes.
//
// Rows are changed from the finest tier to the coarsest, each on condition of its revision. A recomputation
// at the same time either reads finer rows that lack the value already, or fails its own condition and starts
// over. Events that have the value would bring it back, so they must be deleted first.
//
// The rows of a group count the value for all of its members. They are changed for the group, with the shares
// that they are folded from.
package hidevalue

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Table is the table whose rows are changed.
type Table interface {
	tablescan.PartitionReader
	aggregate.Store
	aggregate.ShareStore
}

// Hider removes values from rows. Set its fields before the first call; it may be used concurrently.
type Hider struct {
	Table   Table
	Catalog *catalog.Catalog // with the fields of the table: see tableconfig.Load
	Now     func() model.Time
	Rand    io.Reader // of revisions
	Retrier retry.Retrier
}

// Selection is the value to remove.
type Selection struct {
	Subject model.Subject
	Kind    string // "" is all kinds of the subject; sessions of the kind are included
	Field   string // of the events, as readers see it: path, or props.plan
	Value   string
	DryRun  bool // only count
}

// Report is what was found. Nothing was changed if Events, Unreadable or Shares is above 0.
type Report struct {
	Events     int // stored events that have the value
	Unreadable int // stored events that cannot be decoded, so that they may have it
	Shares     int // of a group: buckets of members that have the value, and are folded of stored events
	Rows       int // rows that had the value
	Damaged    int // rows that cannot be decoded or are of a newer release: not changed
	// Groups are the groups in which events of these rows count. Their rows have the value too, until it is
	// removed from each group. AllGroups is set if a row does not name its groups.
	Groups    []model.Subject
	AllGroups bool
}

// Stored reports whether a fold of what is stored may bring the value back, so that nothing was changed.
func (r *Report) Stored() bool { return r.Events > 0 || r.Unreadable > 0 || r.Shares > 0 }

// ErrNoDimension is returned if no kind of the selection counts the values of the field.
var ErrNoDimension = errors.New("no dimension counts the values of this field")

// Hide reads all events of the selection, and then removes the value from all rows, unless stored events have
// it. It begins at the position at, the zero value at first, and moves at with what is done. After an error,
// call it again with the same selection and position.
func (h *Hider) Hide(ctx context.Context, s Selection, at *Position) (r Report, err error) {
	all, err := h.steps(ctx, s)
	if err != nil {
		return r, err
	}
	run := run{Hider: h, Selection: s, report: &r}
	for _, step := range all {
		if step.name < at.Step {
			continue
		}
		if step.changes && !s.DryRun && r.Stored() {
			return r, nil
		}
		if err := run.step(ctx, step, at.enter(step.name)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// run is one call of Hide.
type run struct {
	*Hider
	Selection
	report *Report
}

// step reads the pages of a step from after, and moves it.
func (r *run) step(ctx context.Context, s step, after *string) error {
	for {
		next, err := s.page(r, ctx, s, *after)
		if *after = next; err != nil || next == "" {
			return err
		}
	}
}

// events counts the events of a page that have the value.
func (r *run) events(ctx context.Context, s step, after string) (next string, err error) {
	page, err := r.Table.Events(ctx, s.whole(after))
	if err != nil {
		return after, fmt.Errorf("read events of %s: %w", s.series, err)
	}
	kind, _ := r.Catalog.Kind(s.series.Kind) // see steps
	for i := range page.Events {
		e := &page.Events[i]
		x, _ := kind.AllNames(e.Attrs).Get(r.Field)
		text, ok := x.Plain()
		switch {
		case e.ExpiresAt != 0 && e.ExpiresAt <= r.Now().Seconds(): // not deleted yet; its rows are sealed
		case e.Unreadable:
			r.report.Unreadable++
		case ok && text == r.Value:
			r.report.Events++
		}
	}
	return page.Next, nil
}
