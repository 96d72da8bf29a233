package lifecycle

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
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
	// Latest is where the latest item of the series is, of a kind of Catalog. If it is nil, the item follows
	// when the table stream has delivered the deletions.
	Latest latest.Store
	// Queue makes sure that sweeps find the buckets of events of a kind of Catalog, before the events are
	// deleted. If it is nil, the rollups follow when the table stream has delivered the deletions.
	Queue *queue.Writer
	// OnUnqueued is called at the end with the events that are deleted although their buckets may not be
	// queued, if there are any, and with an error of one of them. It may be nil.
	OnUnqueued func(events []model.EventKey, cause error)
	DryRun     bool // count the events, and delete nothing
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
// rollups of every tier are recomputed. If Catalog and Queue are set, the rollup of a bucket that is open and
// left to a sweep is without the events whatever the table stream does. A rollup that can no longer be
// recomputed keeps its numbers and is marked inexact. The latest item of the series has followed when
// EraseEvents returns without an error, if Catalog and Latest are set. EraseEvents may be interrupted and
// called again. The latest item then follows the deletions of the interrupted call with the table stream.
func (p *Purger) EraseEvents(ctx context.Context, store EventStore,
	s EventSelection) (done EraseResult, err error) {
	f := p.follower(s)
	b := p.bucketQueue(s)
	defer b.report()
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
			b.ensure(ctx, &e)
			err = p.eraseEvent(ctx, store, &e, f, &done)
		}
		if err != nil {
			return done, fmt.Errorf("erase events of %s: %w", s.Series, err)
		}
	}
	if err := f.fold(ctx); err != nil {
		return done, fmt.Errorf("erase events of %s: %w", s.Series, err)
	}
	return done, nil
}

// named returns the fields of an event under all their names.
func (s EventSelection) named(attrs model.Attrs) model.Attrs {
	if kind := s.kind(); kind != nil {
		return kind.AllNames(attrs)
	}
	return attrs
}

// kind returns the kind of the series; nil if Catalog does not have it.
func (s EventSelection) kind() *catalog.Kind {
	if s.Catalog == nil {
		return nil
	}
	kind, _ := s.Catalog.Kind(s.Series.Kind)
	return kind
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

func (p *Purger) eraseEvent(ctx context.Context, store EventStore, e *model.Event, f *follower,
	done *EraseResult) error {
	uncertain := false
	result, err := p.retrier().Do(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := store.DeleteEvent(ctx, e.Key(), p.now())
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
		err = f.erased(ctx, e)
	default:
		done.Expiring++
	}
	return cmp.Or(err, p.throttle(ctx, 1))
}
