package sessions

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Read adds the events of stored series, which it merges in order, until no later event changes the folds. It
// reads one gap at a time after the range, so that it reads little beyond the end of the last session.
func (f *Folder) Read(ctx context.Context, store storage.EventReader, sources []model.Series,
	consistent bool) error {
	for from, to := f.Start(), f.to; !f.Ended(from); from, to = to, to.Add(f.rule().Gap) {
		for e, err := range storage.MergeEvents(ctx, store, sources,
			storage.Range{From: from, To: to, Consistent: consistent}) {
			if err != nil {
				return err
			}
			f.Add(&e)
		}
	}
	return nil
}

// Walk is where the chain of a key around a time begins and goes on: the first event of the
// chain, and the next event within one gap; ok is false where there is none.
type Walk struct {
	First, Next       model.Time
	HasFirst, HasNext bool
}

// Chains are times of events by key, in ascending order.
type Chains map[string][]model.Time

// Around returns the walk from a time along the chain of a key.
func (c Chains) Around(key string, at model.Time, gap time.Duration) (w Walk) {
	back := at
	for i := len(c[key]) - 1; i >= 0; i-- {
		if t := c[key][i]; t > at {
			w.Next, w.HasNext = t, t <= at.Add(gap)
		} else if t < back && t.Add(gap) >= back {
			w.First = t
			w.HasFirst = true
			back = t
		}
	}
	return w
}
