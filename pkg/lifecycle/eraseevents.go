package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// EventStore is the part of the table that EraseEvents needs. Each method is one request.
type EventStore interface {
	// Events reads one page of a series' events.
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
	// DeleteEvent deletes an event as a user delete. It returns ConditionFailed if the
	// event does not exist, or expires so soon that it is left to expire.
	DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (storage.WriteResult, error)
}

// EventSelection selects events of a series.
type EventSelection struct {
	Series   model.Series
	From, To model.Time // half-open
	ID       *string    // if not nil: only the events with this id
	// Where selects events by their fields, such as a visitor; the zero Condition selects all.
	Where   model.Condition
	Catalog *catalog.Catalog // if not nil: Where may have the names that readers see, such as props.plan
	DryRun  bool             // count the events, and delete nothing
}

// EraseResult is what EraseEvents did, or would do in a dry run.
type EraseResult struct {
	Deleted  int64 // deleted events; the rollups of all tiers are recomputed without them
	Expiring int64 // events that expire within minutes, and were left to expire
	// Unreadable counts events that cannot be decoded: with Where they are kept, because nothing is known of
	// them.
	Unreadable int64
	// WithFields counts events that have all fields of Where, whatever their values: none means a wrong name.
	WithFields int64
}

// Add adds the counts of another call.
func (e *EraseResult) Add(o EraseResult) {
	e.Deleted += o.Deleted
	e.Expiring += o.Expiring
	e.Unreadable += o.Unreadable
	e.WithFields += o.WithFields
}

// EraseEvents deletes the selected events. The table stream reports the deletions, and the
// rollups of every tier are recomputed. A rollup that can no longer be recomputed keeps
// its numbers and is marked inexact. The latest item of the series follows. EraseEvents may be interrupted
// and called again.
func (p *Purger) EraseEvents(ctx context.Context, store EventStore,
	s EventSelection) (done EraseResult, err error) {
	r := storage.Range{Series: s.Series, From: s.From, To: s.To, Consistent: true}
	for e, err := range storage.Events(ctx, store, r) {
		attrs := s.named(e.Attrs)
		if err == nil && s.hasFields(attrs) {
			done.WithFields++
		}
		switch {
		case err != nil:
		case s.ID != nil && e.ID != *s.ID:
		case len(s.Where) > 0 && e.Unreadable:
			done.Unreadable++
		case !s.Where.Holds(attrs):
		case s.DryRun:
			done.countDryRun(&e, p.now())
		default:
			err = p.eraseEvent(ctx, store, e.Key(), &done)
		}
		if err != nil {
			return done, fmt.Errorf("erase events of %s: %w", s.Series, err)
		}
	}
	return done, nil
}

// named returns the fields of an event under all their names.
func (s EventSelection) named(attrs model.Attrs) model.Attrs {
	if s.Catalog == nil {
		return attrs
	}
	kind, found := s.Catalog.Kind(s.Series.Kind)
	if !found {
		return attrs
	}
	return kind.AllNames(attrs)
}

// hasFields reports whether an event has all fields of a condition.
func (s EventSelection) hasFields(attrs model.Attrs) bool {
	for _, t := range s.Where {
		if _, has := attrs.Get(t.Field); !has {
			return false
		}
	}
	return len(s.Where) > 0
}

// countDryRun counts an event as its deletion now would.
func (e *EraseResult) countDryRun(event *model.Event, now model.Time) {
	if event.ExpiresAt != 0 && event.ExpiresAt <= now.Add(tier.ExpiryMargin).Seconds() {
		e.Expiring++
		return
	}
	e.Deleted++
}

func (p *Purger) eraseEvent(ctx context.Context, store EventStore, k model.EventKey,
	done *EraseResult) error {
	uncertain := false
	result, err := p.retrier().Do(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := store.DeleteEvent(ctx, k, p.now())
		if result == storage.Unknown {
			uncertain = true
		}
		return result, err
	})
	switch {
	case err != nil:
		return err
	case result == storage.Written || uncertain: // if an attempt was uncertain, it has deleted the event
		done.Deleted++
	default:
		done.Expiring++
	}
	return p.throttle(ctx, 1)
}
