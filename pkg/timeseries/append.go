package timeseries

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Result is what the table decided about one appended value.
type Result[T any] struct {
	// Outcome is "" if nothing was decided; Err says why.
	Outcome model.Outcome
	// ID is the event's id, which the kind may have minted.
	ID string
	// Latest is the stored latest item that decided against the value, enrichment included.
	// It is nil if the value was applied, and if no comparison was necessary.
	Latest *T
	// Err is nil if the event is stored now, or was before, or is stale for a kind that drops late events.
	// Else it wraps one of ErrRejected, ErrUndecided, ErrPermanent, ErrCollision, ErrConflict and ErrGone.
	Err error
}

// Stored reports whether the table has the event: it was stored now, or before.
func (r Result[T]) Stored() bool {
	return r.Outcome == model.Applied || r.Outcome == model.Late || r.Outcome == model.Duplicate
}

// Append appends one value, on the conditions of the options. Result.Outcome says what the table decided. The
// error is Result.Err: a value that is not stored is an error. Event times have milliseconds: of two
// different events in one, the second needs an id of its own, or is ErrCollision. Retry repeats an undecided
// append.
func (e *Events[T]) Append(ctx context.Context, v T, opts ...AppendOption) (Result[T], error) {
	where, err := e.condition(opts)
	if err != nil {
		return Result[T]{Err: err}, err
	}
	if len(where) > 0 {
		return e.appendIf(ctx, v, where)
	}
	results, _ := e.AppendAll(ctx, []T{v})
	return results[0], results[0].Err
}

// AppendAll appends values and always returns one result for each, in the same order. The outcomes are the
// same as when appending one by one, with fewer requests. The error joins the errors of all results, and its
// text says how many of the values were not stored. Values with ErrUndecided may be appended again safely,
// unless the kind mints ids (catalog.MintedID): then each append is another event.
func (e *Events[T]) AppendAll(ctx context.Context, values []T) ([]Result[T], error) {
	ctx, cancel := e.withPatience(ctx)
	defer cancel()
	results := make([]Result[T], len(values))
	observations := make([]ingest.TypedObservation, 0, len(values))
	positions := make([]int, 0, len(values))
	for i := range values {
		observation, problems := e.observation(&values[i])
		if len(problems) > 0 {
			results[i].Err = model.FieldErrors(problems)
			continue
		}
		observations, positions = append(observations, observation), append(positions, i)
	}
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		for _, position := range positions {
			results[position].Err = err
		}
		return results, joined(results)
	}
	appended, err := e.ingest.AppendEvents(ctx, kind, observations)
	for i, position := range positions {
		results[position] = e.result(appended[i], err)
	}
	return results, joined(results)
}

// result returns the result of one observation. permanent is the error of the call.
func (e *Events[T]) result(r model.AppendResult, permanent error) Result[T] {
	switch r.Outcome {
	case model.Rejected:
		return Result[T]{Err: model.FieldErrors(r.Errors)}
	case model.Unknown:
		_, id := ordervalue.Shown(r.Key.Order)
		return Result[T]{ID: id, Err: classified(cmp.Or(r.Err, permanent, ErrUndecided))}
	}
	_, id := ordervalue.Shown(r.Key.Order)
	return Result[T]{Outcome: r.Outcome, ID: id, Latest: e.decidedBy(r), Err: notStored[r.Outcome]}
}

// notStored are the errors of outcomes that stored nothing, against the program's intention.
var notStored = map[model.Outcome]error{model.Collision: ErrCollision, model.Conflict: ErrConflict,
	model.Gone: ErrGone}

// classified returns an error of exactly one class. One that is neither of the value nor of the moment is
// permanent.
func classified(err error) error {
	for _, class := range []error{ErrRejected, ErrUndecided, ErrPermanent} {
		if errors.Is(err, class) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrPermanent, err)
}

// decidedBy returns the stored latest item that decided an outcome; nil if the outcome has
// none, or T cannot hold it. What this append wrote itself is not the stored item.
func (e *Events[T]) decidedBy(r model.AppendResult) *T {
	if r.Outcome == model.Applied || r.Latest.Empty() || r.Latest.Partial {
		return nil
	}
	latest, err := e.decodeLatest(r.Latest)
	if err != nil {
		return nil
	}
	return latest
}

// withPatience limits the time of one append.
func (e *Events[T]) withPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.patience > 0 {
		return context.WithTimeout(ctx, e.patience)
	}
	return ctx, func() {}
}

func newIngest(store Store, o *Options) *ingest.Service {
	return &ingest.Service{
		Store: store, Limits: o.Limits, Now: o.clock(), Rand: o.Rand, PurgeLocks: store,
		Queue:    queue.NewWriter(store, nil),
		Parallel: o.Parallel, Sleep: o.Sleep, RetryPolicy: retry.Policy{Attempts: o.Attempts},
	}
}

// Composed is an append that is ready to be part of a caller's own transaction.
type Composed[T any] struct {
	// Transaction holds the writes of the append and their conditions. Pass it to
	// dynamo.Table.TransactItems and TransactResult.
	Transaction Transaction
	events      *Events[T]
}

// TransactItems prepares an append that is sent in one transaction with the caller's own items:
//
//	append, err := readings.TransactItems(r)
//	items, err := table.TransactItems(append.Transaction)
//	_, failure := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
//		TransactItems: slices.Concat(items, mine),
//	})
//	stored, err := table.TransactResult(append.Transaction, 0, failure)
//	result, err := append.Result(stored)
//
// It does not send the append. It may read the table's configuration, and it makes sure that the rollup of
// the value's bucket is computed when the bucket closes: for a kind with deferred tiers that takes a read,
// and a write of one unit, once for a series and bucket. The append takes three of the 100 items of a
// transaction; two if the kind stores no latest item. A value older than the latest item makes the
// transaction fail, so its outcome is model.Stale even if the kind keeps late events. The error is
// ErrRejected if the value fails validation, and ErrTableConfig if the kind does not fit the table.
func (e *Events[T]) TransactItems(v T, opts ...AppendOption) (Composed[T], error) {
	condition, err := e.condition(opts)
	if err != nil {
		return Composed[T]{}, err
	}
	observation, problems := e.observation(&v)
	if len(problems) > 0 {
		return Composed[T]{}, model.FieldErrors(problems)
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(e.patience, configTimeout))
	defer cancel()
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return Composed[T]{}, err
	}
	tx, problems, err := e.ingest.Compose(ctx, kind, observation, condition)
	switch {
	case err != nil:
		return Composed[T]{}, err
	case len(problems) > 0:
		return Composed[T]{}, model.FieldErrors(problems)
	}
	return Composed[T]{Transaction: tx, events: e}, nil
}

// Result returns the result of the append from what the table stored of it. The outcome is
// Conflict if the append's own condition failed, and if none of its conditions failed, so
// that one of the caller's items did. The error wraps ErrUndecided if the transaction was
// throttled, in conflict or lost; then sending the same transaction again is safe.
func (c Composed[T]) Result(stored StoreResult) (Result[T], error) {
	result := c.events.result(ingest.ComposedResult(&c.Transaction, stored),
		retry.Undecided(stored.Result, stored.Cause))
	return result, result.Err
}
