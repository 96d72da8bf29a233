package ingest

import (
	"cmp"
	"context"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Service appends observations. Its fields are set once, before the first call; its
// methods are safe for concurrent use.
type Service struct {
	Store  Store
	Limits config.Limits // the zero value rejects nearly everything; see config.Default
	// Now returns the arrival time of observations.
	Now func() model.Time
	// Rand makes tokens, ids and the jitter of pauses. It must be safe for concurrent use,
	// as crypto/rand.Reader is.
	Rand io.Reader
	// Sleep pauses between requests, or returns the context's error when the context ends
	// first; nil means the wall clock.
	Sleep       func(context.Context, time.Duration) error
	RetryPolicy retry.Policy
	// Headroom is kept free before the deadline of the context, to respond in.
	Headroom time.Duration
	// OnRetry is called with the result of a request before the request is repeated. It
	// may be nil, and may be called concurrently.
	OnRetry func(storage.WriteResult)
	// Queue makes sure that sweeps find the buckets of events, before the events are written; nil if the
	// store has no queue: the rows of deferred tiers then depend on the table stream alone.
	Queue *queue.Writer
	// OnUnqueued is called with events, all of one kind, that are written although their buckets may not be
	// queued, and with an error of one of them. It may be nil, and may be called concurrently.
	OnUnqueued func(events []model.EventKey, cause error)
	// Parallel is the number of series that one call appends to at the same time; zero means 64.
	Parallel int
	// QuarantineStore is used by Quarantine; nil if all sources are synchronous.
	QuarantineStore QuarantineStore
	// QuarantineRetention is how long a quarantined payload is stored; zero means 30 days.
	QuarantineRetention time.Duration
	// PurgeLocks is read before events are written without the latest item; nil if subjects are never purged.
	PurgeLocks PurgeLocks
	// PurgeLockMaxAge is how long a result of PurgeLocks is cached. It must not exceed the timeout of the
	// function, because a purge waits for one timeout. Zero means 15 seconds.
	PurgeLockMaxAge time.Duration

	purgeLocks purgeLockCache
}

// defaultParallel is as many requests as aggregate sends at once. 500 events of 500 series take 88 ms with
// 64 at once, and 607 ms with 8, at 5 ms a request.
const defaultParallel = 64

// Append validates observations of a kind and appends them. It always returns one result for each
// observation, in their order. Observations that were not decided in time are Unknown; sending them again is
// safe, except for kinds whose event ids are made here without an Origin (catalog.MintedID). Within a series,
// the outcomes are the same as when appending one by one in the given order.
//
// The error is a permanent failure, for example a missing permission; some outcomes may
// be decided all the same.
func (s *Service) Append(ctx context.Context, kind *catalog.Kind,
	observations ...Observation) ([]model.AppendResult, error) {
	return appendAll(ctx, s, kind, observations, (*validation).observation)
}

// AppendEvents is Append for observations whose values are already typed.
func (s *Service) AppendEvents(ctx context.Context, kind *catalog.Kind,
	observations []TypedObservation) ([]model.AppendResult, error) {
	return appendAll(ctx, s, kind, observations, (*validation).typed)
}

type validateFunc[T any] func(*validation, T) (model.Event, []model.FieldError, error)

func appendAll[T any](ctx context.Context, s *Service, kind *catalog.Kind, given []T,
	validate validateFunc[T]) ([]model.AppendResult, error) {
	results := make([]model.AppendResult, len(given))
	entries := make([]entry, 0, len(given))
	now := s.Now()
	undeclared := undeclaredFields{kind: kind}
	for i, g := range given {
		v := validation{kind: kind, limits: s.Limits, now: now, random: s.Rand}
		event, errs, err := validate(&v, g)
		results[i] = model.AppendResult{Outcome: model.Unknown, Key: event.Key()}
		switch {
		case err != nil:
			for j := range results {
				results[j].Outcome = model.Unknown // nothing is appended yet
			}
			return results, err
		case errs != nil:
			results[i].Outcome, results[i].Errors = model.Rejected, errs
		default:
			results[i].Invalid, results[i].NotStored = InvalidMeasures(kind, event.Attrs), v.notAsSent()
			results[i].Undeclared = undeclared.in(event.Attrs)
			entries = append(entries, entry{index: i, event: event})
		}
	}
	return results, s.appendEntries(ctx, kind, entries, results)
}

// appendEntries appends the entries in groups, several groups at the same time, and sets
// their results. Groups share no identity, so no group waits for another.
func (s *Service) appendEntries(ctx context.Context, kind *catalog.Kind, entries []entry,
	results []model.AppendResult) error {
	ctx, cancel := retry.WithHeadroom(ctx, s.Headroom)
	defer cancel()
	s.ensureQueued(ctx, kind, lists.Map(entries,
		func(e entry) queue.Event { return queue.Event{EventKey: e.event.Key(), After: &e.event} })...)
	var work errgroup.Group
	work.SetLimit(s.parallel())
	for _, group := range groupEntries(kind, entries) {
		work.Go(func() error {
			if !kind.LatestInTransaction() {
				return s.putEach(ctx, kind, group, results)
			}
			b := batch{Service: s, kind: kind, results: results}
			return b.append(ctx, group)
		})
	}
	return work.Wait()
}

func (s *Service) parallel() int { return cmp.Or(max(s.Parallel, 0), defaultParallel) }

// entry is one valid event, with the index of its result.
type entry struct {
	index int
	event model.Event
}

// groupEntries divides entries into groups that must be appended in order: the events of one series,
// or, for a kind whose appends do not write the latest item, the events of one identity.
func groupEntries(kind *catalog.Kind, entries []entry) [][]entry {
	var groups [][]entry
	at := make(map[model.EventKey]int)
	for _, e := range entries {
		key := e.event.Key()
		if kind.LatestInTransaction() {
			key.Order = model.Order{}
		}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}
