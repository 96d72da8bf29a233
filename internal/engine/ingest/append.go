package ingest

import (
	"context"
	"errors"
	"fmt"
	"github.com/tidemark-db/tidemark/internal/engine/queue"

	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoLatest reports a condition on the latest item of a kind whose appends do not write it.
var ErrNoLatest = errors.New(
	"appends to the kind do not write its latest item, so a condition has nothing to compare with: " +
		"append without a condition, or configure latest: transaction for the kind")

// AppendIf appends one event on condition that the latest item meets condition, in addition to the order. If
// it does not, the outcome is Conflict. The condition applies to late events too: one is stored or dropped
// only if the latest item meets the condition at that moment. The zero Condition always holds. The errors
// are Append's, and ErrNoLatest.
func (s *Service) AppendIf(ctx context.Context, kind *catalog.Kind, o TypedObservation,
	condition model.Condition) (model.AppendResult, error) {
	v := validation{kind: kind, limits: s.Limits, now: s.Now(), random: s.Rand}
	event, errs, err := v.typed(o)
	results := []model.AppendResult{{Outcome: model.Unknown, Key: event.Key()}}
	switch {
	case err != nil:
		return results[0], err
	case errs != nil:
		results[0].Outcome, results[0].Errors = model.Rejected, errs
		return results[0], nil
	case !kind.LatestInTransaction():
		return results[0], fmt.Errorf("append %s: %w", event.Series, ErrNoLatest)
	}
	ctx, cancel := retry.WithHeadroom(ctx, s.Headroom)
	defer cancel()
	s.ensureQueued(ctx, kind, queue.Event{EventKey: event.Key(), After: &event})
	b := batch{Service: s, kind: kind, results: results, condition: condition}
	err = b.append(ctx, []entry{{event: event}})
	return results[0], err
}

// putEach writes the events of one identity, in order, without the latest item.
func (s *Service) putEach(ctx context.Context, kind *catalog.Kind, entries []entry,
	results []model.AppendResult) error {
	switch locked, err := s.purgeLocked(ctx, entries[0].event.Series.Subject); {
	case err != nil && ctx.Err() != nil:
		markUndecided(entries, results, fmt.Errorf("%w: %w", retry.ErrUndecided, err))
		return nil
	case err != nil:
		markUndecided(entries, results, err)
		return err
	case locked:
		for _, e := range entries {
			results[e.index].Outcome = model.Gone
		}
		return nil
	}
	for i := range entries {
		e := &entries[i]
		request, err := s.putRequest(kind, &e.event)
		if err != nil {
			return err
		}
		stored, err := s.send(ctx, request)
		if err == nil {
			err = s.decidePut(ctx, kind, *e, stored, results)
		}
		if err != nil {
			err = fmt.Errorf("put %s: %w", e.event.Series, err)
			markUndecided(entries[i:], results, err)
			return unlessUndecided(err)
		}
	}
	return nil
}

// decidePut decides an event from what the table said about its put.
func (s *Service) decidePut(ctx context.Context, kind *catalog.Kind, e entry, stored storage.StoreResult,
	results []model.AppendResult) error {
	r := &results[e.index]
	switch latest := stored.Latest; {
	case stored.Result == storage.Written:
		r.Outcome = model.Applied
	case stored.PurgeLockFailed || latest != nil && latest.PurgeLocked:
		r.Outcome = model.Gone
	case len(stored.Stored) == 1 && stored.Stored[0] != nil:
		return s.putTaken(ctx, kind, e, stored.Stored[0], results)
	case stored.LatestFailed && latest != nil:
		r.Outcome = duplicateOrCollision(e.event.Hash, latest.Hash)
	default:
		return errNoFailedCondition
	}
	return nil
}

// markUndecided says in the results of entries that are not decided why.
func markUndecided(entries []entry, results []model.AppendResult, cause error) {
	for _, e := range entries {
		if r := &results[e.index]; r.Outcome == model.Unknown {
			r.Err = cause
		}
	}
}

// unlessUndecided returns a permanent error; nil if the table only did not decide.
func unlessUndecided(err error) error {
	if errors.Is(err, retry.ErrUndecided) {
		return nil
	}
	return err
}

// putTaken decides an event whose identity is stored.
func (s *Service) putTaken(ctx context.Context, kind *catalog.Kind, e entry, stored *model.Event,
	results []model.AppendResult) error {
	// an earlier request of ours, whose response was lost
	if e.event.Attempt != 0 && stored.Attempt == e.event.Attempt {
		results[e.index].Outcome = model.Applied
		return nil
	}
	results[e.index].Outcome = duplicateOrCollision(e.event.Hash, stored.Hash)
	if results[e.index].Outcome == model.Duplicate || !merges(kind) {
		return nil
	}
	results[e.index].Outcome = model.Unknown
	b := batch{Service: s, kind: kind, results: results}
	if err := b.merge(ctx, e, stored); err != nil {
		return fmt.Errorf("merge into %s: %w", e.event.Series, err)
	}
	return nil
}

// send repeats request until the table decides, like retry.Retrier.Do, and returns the
// last result. An error that the table did not decide wraps the client's error.
func (s *Service) send(ctx context.Context,
	request func(context.Context) (storage.StoreResult, error)) (storage.StoreResult, error) {
	var last storage.StoreResult
	r := retry.Retrier{Policy: s.RetryPolicy, Rand: s.Rand, Sleep: s.Sleep, OnRetry: s.OnRetry}
	_, err := r.Do(ctx, func(ctx context.Context) (_ storage.WriteResult, err error) {
		last, err = request(ctx)
		return last.Result, err
	})
	return last, retry.WithCause(err, last.Cause)
}
