package queue

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Writer makes sure of the invalidations of events before the events are sent. The sweep that finds the
// invalidation of a bucket begins after every event that was sent before the bucket closed is stored, so the
// row has these events however far behind the table stream is. Its fields are set once, before the first
// call. It is safe for concurrent use.
type Writer struct {
	Store Store
	// Catalog has the kinds whose rows are folded from the sessions of other kinds; nil if there are none.
	Catalog *catalog.Catalog

	memory Memory
}

// NewWriter returns the writer of a store; nil if the store has no queue. kinds may be nil.
func NewWriter(store any, kinds *catalog.Catalog) *Writer {
	if queue, ok := store.(Store); ok {
		return &Writer{Store: queue, Catalog: kinds}
	}
	return nil
}

// attempts is how many requests make sure of one invalidation, at most. Then the event is sent without it.
const attempts = 4

// LimitAttempts returns a policy for the requests of a Writer, by the policy of the requests that follow.
func LimitAttempts(p retry.Policy) retry.Policy {
	p.Attempts = min(p.MaxAttempts(), attempts)
	return p
}

// Ensure makes sure of the invalidations of the finest buckets of events, for their series and for the series
// of the sessions of which they are part. A bucket that has closed needs none. It returns the events of
// buckets whose invalidation may not be stored, with an error: these events may be sent all
// the same. Their rows follow when the table stream has delivered them.
func (w *Writer) Ensure(
	ctx context.Context, kind *catalog.Kind, events []Event, r Requests,
) (unqueued []model.EventKey, failure error) {
	missing := w.missing(kind, events, r.Now())
	if len(missing) == 0 {
		return nil, nil // without a map or a goroutine: nearly every append is of a bucket that is remembered
	}
	buckets := distinct(missing)
	ensured, failure := w.memory.Ensure(ctx, w.Store, buckets, r)
	failed := map[Deferral]bool{}
	for n, d := range ensured.Decisions {
		failed[buckets[n]] = d == Undecided
	}
	last := -1
	for _, m := range missing {
		if failed[m.Deferral] && m.event != last {
			unqueued, last = append(unqueued, events[m.event].EventKey), m.event
		}
	}
	return unqueued, failure
}

// missing is a bucket of an event whose invalidation this process does not remember.
type missing struct {
	event int // index
	Deferral
}

// missing returns the open buckets that this process does not remember, in the order of the events.
func (w *Writer) missing(kind *catalog.Kind, events []Event, now model.Time) (all []missing) {
	var buckets [4]Deferral
	for n := range events {
		for _, d := range w.buckets(buckets[:0], kind, &events[n], now) {
			if now < d.Due && !w.memory.Has(d) {
				all = append(all, missing{event: n, Deferral: d})
			}
		}
	}
	return all
}

// buckets appends the buckets that an event changes and that are left to a sweep: at most one of its own
// series, and one of each series of sessions of which it is part. An event that only meets goals is part of
// no session.
func (w *Writer) buckets(all []Deferral, kind *catalog.Kind, e *Event, now model.Time) []Deferral {
	if d, deferred := finest(kind, e.Series, e, now); deferred {
		all = append(all, d)
	}
	if w.Catalog == nil {
		return all
	}
	for i := range w.Catalog.Kinds {
		s := &w.Catalog.Kinds[i]
		if s.Sessions == nil || s.Sessions.Of != kind.Name {
			continue
		}
		if d, deferred := finest(s, s.SessionSeries(e.Series), e, now); deferred {
			all = append(all, d)
		}
	}
	return all
}

// distinct returns each bucket once, in the order of the first events.
func distinct(of []missing) (all []Deferral) {
	known := map[Deferral]bool{}
	for _, m := range of {
		if !known[m.Deferral] {
			known[m.Deferral] = true
			all = append(all, m.Deferral)
		}
	}
	return all
}
