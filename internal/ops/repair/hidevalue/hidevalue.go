// Package hidevalue removes one value of a dimension from the stored rollups of a subject, such as a secret
// in the path of a page. The events of the value count as other values; nothing else of a row changes.
//
// Rows are changed from the finest tier to the coarsest, each on condition of its revision. A recomputation
// at the same time either reads finer rows that lack the value already, or fails its own condition and starts
// over. Events that have the value would bring it back, so they must be deleted first.
package hidevalue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Table is the table whose rows are changed.
type Table interface {
	tablescan.Table
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
	Field   string // of the events
	Value   string
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

// Count returns what Hide would change.
func (h *Hider) Count(ctx context.Context, s Selection) (Report, error) {
	return h.run(ctx, s, func(context.Context, *rollup.Row, string) (bool, error) { return true, nil })
}

// Hide removes the value from all rows, unless stored events have it. After an error, call it again.
func (h *Hider) Hide(ctx context.Context, s Selection) (Report, error) {
	r, err := h.Count(ctx, s)
	if err != nil || r.Events > 0 || r.Unreadable > 0 {
		return r, err
	}
	return h.run(ctx, s, func(ctx context.Context, row *rollup.Row, field string) (bool, error) {
		return h.rewrite(ctx, row.Key, field, s.Value)
	})
}

// change changes a row that has the value in a dimension. done is false if it lacks the value now.
type change func(ctx context.Context, row *rollup.Row, dimension string) (done bool, err error)

func (h *Hider) run(ctx context.Context, s Selection, do change) (r Report, err error) {
	dimensions := h.dimensions(s)
	if len(dimensions) == 0 {
		return r, fmt.Errorf("%w: %s", ErrNoDimension, s.Field)
	}
	all, err := tablescan.Series(ctx, h.Table, h.Catalog, s.Subject)
	if err != nil {
		return r, fmt.Errorf("find the series: %w", err)
	}
	for _, series := range all {
		kind, _ := h.Catalog.Kind(series.Kind)
		if kind == nil || len(dimensions[kind.Name]) == 0 {
			continue
		}
		if err = h.events(ctx, &r, kind, series, s); err != nil {
			return r, err
		}
		for _, t := range kind.Retention.Tiers {
			if err = h.rows(ctx, &r, series, t.Unit, dimensions[kind.Name], s.Value, do); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// dimensions returns the dimensions in which events and their sessions count the field, by kind.
func (h *Hider) dimensions(s Selection) map[string][]string {
	found := map[string][]string{}
	for i := range h.Catalog.Kinds {
		k := &h.Catalog.Kinds[i]
		names := []string{s.Field}
		selected := s.Kind == "" || s.Kind == k.Name
		if k.Sessions != nil {
			selected = selected || s.Kind == k.Sessions.Of
			names = sessionFields(k.Sessions, s.Field)
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

// sessionFields returns the fields of sessions that are copied from a field of their events.
func sessionFields(s *catalog.Sessions, field string) (names []string) {
	for _, f := range slices.Concat(s.First, s.Last) {
		if f.Of == field {
			names = append(names, f.Name)
		}
	}
	return names
}

func (h *Hider) events(ctx context.Context, r *Report, kind *catalog.Kind, series model.Series,
	s Selection) error {
	if !kind.HasEvents() {
		return nil
	}
	for _, shard := range kind.ShardsOf(series) {
		whole := storage.Range{Series: shard, From: model.MinTime, To: model.MaxTime + 1, Consistent: true}
		for e, err := range storage.Events(ctx, h.Table, whole) {
			if err != nil {
				return fmt.Errorf("read events of %s: %w", shard, err)
			}
			x, _ := e.Attrs.Get(s.Field)
			text, ok := x.Plain()
			switch {
			case e.ExpiresAt != 0 && e.ExpiresAt <= h.Now().Seconds(): // not deleted yet; its rows are sealed
			case e.Unreadable:
				r.Unreadable++
			case ok && text == s.Value:
				r.Events++
			}
		}
	}
	return nil
}

// rows changes the rows of one tier of a series.
func (h *Hider) rows(ctx context.Context, r *Report, series model.Series, unit tier.Unit,
	dimensions []string, value string, do change) error {
	whole := storage.Range{Series: series, From: model.MinTime, To: model.MaxTime, Consistent: true}
	read := func(after string) ([]rollup.Row, string, error) {
		whole.After = after
		page, err := h.Table.Rows(ctx, unit, whole)
		return page.Rows, page.Next, err
	}
	for row, err := range paging.Items(read) {
		if err != nil {
			return fmt.Errorf("read rollups of %s: %w", series, err)
		}
		if row.Summary == nil {
			if !row.Empty {
				r.Damaged++
			}
			continue
		}
		for _, dimension := range dimensions {
			if !row.Summary.HasValue(dimension, value) {
				continue
			}
			done, err := do(ctx, &row, dimension)
			if err != nil {
				return fmt.Errorf("change the %s of %s at %s: %w", unit, series, row.Key.Start, err)
			}
			if done {
				r.Rows++
			}
		}
	}
	return nil
}

// changes is how often a row is read again because another process wrote it meanwhile.
const changes = 10

// rewrite writes a row without a value of a dimension.
func (h *Hider) rewrite(ctx context.Context, key rollup.Key, dimension, value string) (bool, error) {
	for range changes {
		row, err := h.Table.Row(ctx, key)
		if err != nil || row == nil || row.Summary == nil || !row.Summary.HideValue(dimension, value) {
			return false, err
		}
		before := row.Rev
		if _, err := io.ReadFull(h.Rand, row.Rev[:]); err != nil {
			return false, err
		}
		row.WrittenAt = h.Now()
		write := func(ctx context.Context) (storage.WriteResult, error) { return h.Table.PutRow(ctx, row, before) }
		result, err := h.Retrier.Do(ctx, write)
		if err != nil || result == storage.Written {
			return err == nil, err
		}
	}
	return false, errors.New("the row changed whenever it was read: try again when fewer events arrive")
}
