package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// source tells where in a range of a series something stands, in the order of time.
type source struct {
	at   model.Time // where its reader is
	read func(ctx context.Context, from model.Time) (found []model.Time, whole bool, err error)

	found []model.Time // read, and not passed yet
	whole bool         // nothing follows found
}

// first is the earliest time at or after from; ok is false where there is none.
// Times are asked for in order: what lies before from is forgotten.
func (s *source) first(ctx context.Context, from model.Time) (at model.Time, ok bool, err error) {
	for {
		for len(s.found) > 0 && s.found[0] < from {
			s.found = s.found[1:]
		}
		if len(s.found) > 0 {
			return s.found[0], true, nil
		}
		if s.whole {
			return 0, false, nil
		}
		if s.found, s.whole, err = s.read(ctx, from); err != nil {
			return 0, false, err
		}
	}
}

// earliest is the first time at or after from that any of the sources tells.
func earliest(ctx context.Context, sources []*source, from model.Time) (least model.Time, any bool, err error) {
	for _, s := range sources {
		at, ok, err := s.first(ctx, from)
		if err != nil {
			return 0, false, err
		}
		if ok && (!any || at < least) {
			least, any = at, true
		}
	}
	return least, any, nil
}

// eventsFrom tells of events, one a request: where many lie in one bucket, none but
// the first is read.
func (w *walk) eventsFrom() *source {
	return &source{at: w.From, read: func(ctx context.Context, from model.Time) ([]model.Time, bool, error) {
		r := model.Range{Series: w.Series, From: from, To: w.To, Limit: 1, Consistent: true}
		for {
			page, err := w.Store.Events(ctx, r)
			if err != nil {
				return nil, false, passes("find events", err)
			}
			if len(page.Events) > 0 {
				return []model.Time{page.Events[0].At}, false, nil
			}
			if r.After = page.Next; r.After == "" {
				return nil, true, nil
			}
		}
	}}
}

// rowsFrom tells of rows of a unit that start in [from, To), a page a request.
func (w *walk) rowsFrom(unit tier.Unit, from model.Time) *source {
	after := ""
	return &source{at: from, read: func(ctx context.Context, _ model.Time) (found []model.Time, whole bool, err error) {
		page, err := w.Store.Rows(ctx, unit, model.Range{Series: w.Series, From: from, To: w.To, After: after, Consistent: true})
		if err != nil {
			return nil, false, passes("find rows", err)
		}
		for i := range page.Rows {
			found = append(found, page.Rows[i].Key.Start)
		}
		after = page.Next
		return found, after == "", nil
	}}
}
