// Package tail shows the newest events of a series and then each new event as it arrives,
// by reading the series again and again.
package tail

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Follower shows the events of a series in the order of their times. An event that is
// older than one already shown is not shown.
type Follower struct {
	Read  func(context.Context, query.History) iter.Seq2[model.Event, error]
	Show  func(*model.Event) error
	Now   func() model.Time
	Sleep func(context.Context, time.Duration) error
	Every time.Duration // between two reads
	For   time.Duration // 0 is until the context ends

	From query.History // names the series and the range; its start moves with what was shown

	last *model.Order // shown last; nil before the first
}

// Follow shows the newest events, at most n, and then each newer one. It returns nil when
// its time or the context ends.
func (f *Follower) Follow(ctx context.Context, n int) error {
	until := f.Now().Add(f.For)
	err := f.showNewest(ctx, n)
	for err == nil && (f.For == 0 || f.Now() < until) {
		if err = f.Sleep(ctx, f.Every); err == nil {
			err = f.showNew(ctx)
		}
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (f *Follower) showNewest(ctx context.Context, n int) error {
	q := f.From
	q.Newest, q.Limit = true, n
	var newest []model.Event
	for e, err := range f.Read(ctx, q) {
		if err != nil {
			return err
		}
		newest = append(newest, e)
	}
	slices.Reverse(newest)
	for i := range newest {
		if err := f.show(&newest[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *Follower) showNew(ctx context.Context) error {
	for e, err := range f.Read(ctx, f.From) {
		if err != nil {
			return err
		}
		if f.last != nil && !f.last.Before(e.Order) {
			continue
		}
		if err := f.show(&e); err != nil {
			return err
		}
	}
	return nil
}

// show shows an event; the next read begins at its time.
func (f *Follower) show(e *model.Event) error {
	order := e.Order
	f.last, f.From.From = &order, e.At
	return f.Show(e)
}
