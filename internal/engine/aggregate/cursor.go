package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// cursor finds the times at which a range of a series has an item, in order of time.
type cursor struct {
	at   model.Time // position of the cursor's user
	read func(ctx context.Context, from model.Time) (found []model.Time, last bool, err error)

	found []model.Time // read, and not passed yet
	last  bool         // nothing follows found
}

// next returns the first time at or after from; ok is false where there is none. It must
// be called with increasing times: earlier ones are dropped.
func (c *cursor) next(ctx context.Context, from model.Time) (at model.Time, ok bool, err error) {
	for {
		for len(c.found) > 0 && c.found[0] < from {
			c.found = c.found[1:]
		}
		if len(c.found) > 0 {
			return c.found[0], true, nil
		}
		if c.last {
			return 0, false, nil
		}
		if c.found, c.last, err = c.read(ctx, from); err != nil {
			return 0, false, err
		}
	}
}

// earliest returns the first time at or after from that any of the cursors finds.
func earliest(ctx context.Context, cursors []*cursor,
	from model.Time) (first model.Time, found bool, err error) {
	for _, c := range cursors {
		at, ok, err := c.next(ctx, from)
		if err != nil {
			return 0, false, err
		}
		if ok && (!found || at < first) {
			first, found = at, true
		}
	}
	return first, found, nil
}

// events finds one event of a series per request: of many events in one bucket only the first is read.
func (r *rebuildRun) events(s model.Series) *cursor {
	return &cursor{at: r.from, read: func(ctx context.Context, from model.Time) ([]model.Time, bool, error) {
		pages := storage.Range{Series: s, From: from, To: r.to, Limit: 1, Consistent: true}
		for e, err := range storage.Events(ctx, r.agg.Store, pages) {
			if err != nil {
				return nil, false, readError("find events", err)
			}
			return []model.Time{e.At}, false, nil
		}
		return nil, true, nil
	}}
}

// rows finds the rows of a unit that start at or after from, one page per request.
func (r *rebuildRun) rows(unit tier.Unit, from model.Time) *cursor {
	after := ""
	return &cursor{at: from,
		read: func(ctx context.Context, _ model.Time) (found []model.Time, last bool, err error) {
			page, err := r.agg.Store.Rows(ctx, unit,
				storage.Range{Series: r.request.Series, From: from, To: r.to, After: after, Consistent: true})
			if err != nil {
				return nil, false, readError("find rows", err)
			}
			for i := range page.Rows {
				found = append(found, page.Rows[i].Key.Start)
			}
			after = page.Next
			return found, after == "", nil
		}}
}
