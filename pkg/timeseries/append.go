package timeseries

import (
	"context"
	"crypto/rand"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Result is what became of one appended value.
type Result[T any] struct {
	Outcome model.Outcome
	Key     model.EventKey // zero if Rejected before the identity was known
	// Latest is the latest item that decided the outcome: as written if Applied, otherwise
	// as stored. It is nil if Rejected, if the kind stores no latest item, and if no
	// comparison was necessary.
	Latest *T
	Errors []model.FieldError // if Rejected
}

// Append appends one value, on the conditions of the options. Result.Outcome says what
// became of it. The error is permanent, such as a missing permission. If the error is that
// T cannot hold the latest item, the result has the outcome all the same.
func (e *Events[T]) Append(ctx context.Context, v T, opts ...AppendOption) (Result[T], error) {
	where, err := e.condition(opts)
	if err != nil {
		return Result[T]{Outcome: model.Unknown}, err
	}
	if len(where) > 0 {
		return e.appendIf(ctx, v, where)
	}
	results, err := e.AppendAll(ctx, []T{v})
	return results[0], err
}

// AppendAll appends values and always returns one result for each, in the same order. The
// outcomes are those of appending one by one, with fewer requests. Values whose outcome is
// Unknown may be appended again safely, unless the kind mints ids (catalog.MintedID): then
// each append is another event.
func (e *Events[T]) AppendAll(ctx context.Context, values []T) ([]Result[T], error) {
	results := make([]Result[T], len(values))
	observations := make([]ingest.TypedObservation, 0, len(values))
	positions := make([]int, 0, len(values))
	for i := range values {
		observation, problems := e.observation(&values[i])
		if len(problems) > 0 {
			results[i] = Result[T]{Outcome: model.Rejected, Errors: problems}
			continue
		}
		observations, positions = append(observations, observation), append(positions, i)
	}
	appended, err := e.ingest.AppendEvents(ctx, e.kind, observations)
	for i, position := range positions {
		results[position].Outcome = model.Unknown
		if i >= len(appended) {
			continue
		}
		result, decodeErr := e.decodeResult(appended[i])
		results[position] = result
		if err == nil {
			err = decodeErr
		}
	}
	return results, err
}

func (e *Events[T]) decodeResult(o model.AppendResult) (Result[T], error) {
	latest, err := e.decodeLatest(o.Latest)
	return Result[T]{Outcome: o.Outcome, Key: o.Key, Latest: latest, Errors: o.Errors}, err
}

func newIngest(store Store, o options) *ingest.Service {
	locks, _ := store.(ingest.PurgeLocks) // nil if the store has no purge locks
	return &ingest.Service{Store: store, Limits: o.limits, Now: o.now, Rand: rand.Reader, PurgeLocks: locks}
}
