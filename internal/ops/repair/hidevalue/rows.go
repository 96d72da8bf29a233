package hidevalue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// rows changes the rows of a page that have the value.
func (r *run) rows(ctx context.Context, s step, after string) (next string, err error) {
	page, err := r.Table.Rows(ctx, s.unit, s.whole(after))
	if err != nil {
		return after, fmt.Errorf("read rollups of %s: %w", s.series, err)
	}
	for i := range page.Rows {
		row := &page.Rows[i]
		if s.shares {
			err = r.hideShares(ctx, row.Key, s)
		}
		had := false
		if err == nil {
			had, err = r.row(ctx, row, s.dimensions)
		}
		switch {
		case err != nil:
			return after, fmt.Errorf("change the %s of %s at %s: %w", s.unit, s.series, row.Key.Start, err)
		case had:
			r.report.add(row)
		case item.DamagedRow(row):
			r.report.Damaged++
		}
	}
	return page.Next, nil
}

// add counts a row that had the value.
func (r *Report) add(row *rollup.Row) {
	r.Rows++
	r.AllGroups = r.AllGroups || slices.Contains(row.Groups, rollup.AllGroups)
	for _, group := range tablekeys.GroupRows(row.Key, row.Groups) {
		if subject := group.Series.Subject; !slices.Contains(r.Groups, subject) {
			r.Groups = append(r.Groups, subject)
		}
	}
}

// has reports whether a row has the value.
func (r *run) has(row *rollup.Row, dimensions []string) bool {
	return row.Summary != nil && slices.ContainsFunc(dimensions, func(dimension string) bool {
		return len(r.storedAs(row.Summary, dimension)) > 0
	})
}

// row removes the value from the dimensions of a row, and reports whether it had it.
func (r *run) row(ctx context.Context, row *rollup.Row, dimensions []string) (had bool, err error) {
	if row.Summary == nil {
		return false, nil
	}
	for _, dimension := range dimensions {
		for _, value := range r.storedAs(row.Summary, dimension) {
			done := r.DryRun
			if !done {
				done, err = r.rewrite(ctx, row.Key, dimension, value)
			}
			if had = had || done; err != nil {
				return had, err
			}
		}
	}
	return had, nil
}

// property returns the name of the property whose value is removed; "" if it is one of another field.
func (s Selection) property() string {
	name, found := strings.CutPrefix(s.Field, webfield.PropertyPrefix)
	if !found {
		return ""
	}
	return name
}

// storedAs returns the values of a dimension of a row to remove: a property is stored with the name of its
// event, of which there may be several.
func (s Selection) storedAs(row *rollup.Summary, dimension string) (all []string) {
	if s.property() == "" {
		if row.HasValue(dimension, s.Value) {
			all = append(all, s.Value)
		}
		return all
	}
	d, _ := row.Dimension(dimension)
	half := strings.ReplaceAll(s.Value, rollup.PairSeparator, " ") // of a pair
	for _, v := range d.Values {
		// A value that is no pair may have the separator.
		for _, part := range append(strings.Split(v.Value, rollup.PairSeparator), v.Value) {
			p, ok := webfield.ParseProp(part)
			same := ok && p.Name == s.property() && (p.Value == s.Value || p.Value == half)
			if same && !slices.Contains(all, part) {
				all = append(all, part)
			}
		}
	}
	return all
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
