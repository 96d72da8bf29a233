// Package hidevalue removes one value of a dimension from the stored rollups of a subject, such as a secret
// in the path of a page. The events of the value count as other values; nothing else of a row changes.
//
// Rows are changed from the finest tier to the coarsest, each on condition of its revision. A recomputation
// at the same time either reads finer rows that lack the value already, or fails its own condition and starts
// over. Events that have the value would bring it back, so they must be deleted first.
package hidevalue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Table is the table whose rows are changed.
type Table interface {
	tablescan.PartitionReader
	aggregate.Store
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

// Report is what was found. Nothing was changed if Events or Unreadable is above 0.
type Report struct {
	Events     int // stored events that have the value
	Unreadable int // stored events that cannot be decoded, so that they may have it
	Rows       int // rows that had the value
	Damaged    int // rows that cannot be decoded or are of a newer release: not changed
}

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
		if !s.DryRun && step.unit != nil && (r.Events > 0 || r.Unreadable > 0) {
			return r, nil
		}
		if err := run.step(ctx, step, at.enter(step.name)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// step is the events of a series, or the rows of one of its tiers.
type step struct {
	name       string // orders the steps: events before rows, rows from the finest tier
	series     model.Series
	unit       *tier.Unit // nil: events
	dimensions []string
}

// steps returns the steps of a selection by name.
func (h *Hider) steps(ctx context.Context, s Selection) (all []step, err error) {
	dimensions := h.dimensions(s)
	if len(dimensions) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoDimension, s.Field)
	}
	stored, err := tablescan.SubjectSeries(ctx, h.Table, h.Catalog, s.Subject)
	if err != nil {
		return nil, fmt.Errorf("find the series: %w", err)
	}
	for _, series := range stored {
		kind, _ := h.Catalog.Kind(series.Kind)
		if kind == nil || len(dimensions[kind.Name]) == 0 {
			continue
		}
		if kind.HasEvents() {
			for _, shard := range kind.ShardSeries(series) {
				all = append(all, step{name: stepName("events", shard, shard.Shard), series: shard})
			}
		}
		for i, t := range kind.Retention.Tiers {
			all = append(all, step{
				name: stepName("rows", series, i), series: series, unit: &t.Unit,
				dimensions: dimensions[kind.Name],
			})
		}
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// whole returns the range of all times, from a position on.
func (s *step) whole(after string) storage.Range {
	return storage.Range{
		Series: s.series, From: model.MinTime, To: model.MaxTime + 1, Consistent: true, After: after,
	}
}

func stepName(class string, s model.Series, n int) string {
	return fmt.Sprintf("%s %s %s %04d", class, s.Kind, s.Stream, n)
}

// dimensions returns the dimensions in which events and their sessions count the field, by kind.
func (h *Hider) dimensions(s Selection) map[string][]string {
	found := map[string][]string{}
	for i := range h.Catalog.Kinds {
		k := &h.Catalog.Kinds[i]
		names := s.fields(k)
		selected := s.Kind == "" || s.Kind == k.Name
		if k.Sessions != nil {
			selected = selected || s.Kind == k.Sessions.Of
			of, _ := h.Catalog.Kind(k.Sessions.Of) // of the same catalog
			names = sessionFields(k.Sessions, s.fields(of))
		}
		if k.Subject.Name != s.Subject.Type || !selected {
			continue
		}
		for _, d := range k.Dimensions {
			pair := func(name string) bool { return slices.Contains(d.Of[:], name) }
			if slices.Contains(names, d.Name) || slices.ContainsFunc(names, pair) {
				found[k.Name] = append(found[k.Name], d.Name)
			}
		}
	}
	return found
}

// fields returns the fields in which events of a kind may have the value.
func (s Selection) fields(k *catalog.Kind) []string {
	if s.property() != "" {
		return k.Properties
	}
	return []string{s.Field}
}

// sessionFields returns the fields of sessions that are copied from fields of their events.
func sessionFields(s *catalog.Sessions, of []string) (names []string) {
	for _, f := range slices.Concat(s.First, s.Last) {
		if slices.Contains(of, f.Of) {
			names = append(names, f.Name)
		}
	}
	return names
}

// run is one call of Hide.
type run struct {
	*Hider
	Selection
	report *Report
}

// step reads the pages of a step from after, and moves it.
func (r *run) step(ctx context.Context, s step, after *string) error {
	page := r.events
	if s.unit != nil {
		page = r.rows
	}
	for {
		next, err := page(ctx, s, *after)
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
