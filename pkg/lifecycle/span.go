package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Events is the table as the purge of single events sees it. Each method is one
// request.
type Events interface {
	// Events reads one page of a series' events.
	Events(ctx context.Context, r model.Range) (model.EventPage, error)
	// DeleteEvent removes an event as somebody does: Refused where it is not there, or
	// expires so soon that it is left to expire.
	DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (model.Answer, error)
}

// Span is a part of a series: one event, or all in a range of time.
type Span struct {
	Series   model.Series
	From, To model.Time // half-open
	ID       *string    // where set: only the events of this id
	DryRun   bool       // count what would go, and delete nothing
}

// Erased is what became of a span.
type Erased struct {
	Deleted  int64 // their rollups follow in all tiers, as after any deletion
	Expiring int64 // left to expire within minutes, and so not deleted from rollups
}

// EraseSpan deletes the events of a span. The table stream brings every tier up to date
// with that: rows that can still be folded lose what was deleted; one that is sealed
// keeps its numbers and is marked exact: false. The series' current keeps its fields
// until a newer event comes. It may be interrupted and asked for again.
func (p *Purger) EraseSpan(ctx context.Context, table Events, s Span) (done Erased, err error) {
	r := model.Range{Series: s.Series, From: s.From, To: s.To, Consistent: true}
	for {
		page, err := table.Events(ctx, r)
		if err != nil {
			return done, fmt.Errorf("erase of %s: %w", s.Series, err)
		}
		for i := range page.Events {
			if s.ID != nil && page.Events[i].ID != *s.ID {
				continue
			}
			if s.DryRun {
				done.would(&page.Events[i], p.Now())
				continue
			}
			if err := p.eraseEvent(ctx, table, page.Events[i].Key(), &done); err != nil {
				return done, fmt.Errorf("erase of %s: %w", s.Series, err)
			}
		}
		if r.After = page.Next; r.After == "" {
			return done, nil
		}
	}
}

// would counts what deleting an event now would come to.
func (e *Erased) would(event *model.Event, now model.Time) {
	if event.ExpiresAt != 0 && event.ExpiresAt <= now.Add(tier.ExpiryMargin).Seconds() {
		e.Expiring++
		return
	}
	e.Deleted++
}

func (p *Purger) eraseEvent(ctx context.Context, table Events, k model.EventKey, done *Erased) error {
	uncertain := false
	answer, err := p.waiter().Insist(ctx, func(ctx context.Context) (model.Answer, error) {
		answer, err := table.DeleteEvent(ctx, k, p.Now())
		if answer == model.Uncertain {
			uncertain = true
		}
		return answer, err
	})
	switch {
	case err != nil:
		return err
	case answer == model.Written || uncertain: // what is refused then was deleted before
		done.Deleted++
	default:
		done.Expiring++
	}
	return (&eraser{Purger: p}).pace(ctx, 1)
}
