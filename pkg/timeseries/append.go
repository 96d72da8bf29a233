package timeseries

import (
	"context"
	"crypto/rand"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Outcome is the verdict on one value.
type Outcome[T any] struct {
	Verdict model.Verdict
	Key     model.EventKey // zero where Rejected before the identity was known
	// Current is what the verdict was decided by: as written where Applied, as the
	// table had it otherwise; nil where Rejected, where the kind keeps no current, and
	// where nothing had to be compared.
	Current *T
	Errors  []model.FieldError // where Rejected
}

// Append appends one value, on the caller's own condition where If gives one. What
// became of it is the outcome's verdict, never an error; the error is what no repeat
// can mend, as a missing permission, or a current that T cannot hold, and then the
// verdict stands beside it.
func (e *Events[T]) Append(ctx context.Context, v T, opts ...AppendOption) (Outcome[T], error) {
	where, err := e.appending(opts)
	if err != nil {
		return Outcome[T]{Verdict: model.Unknown}, err
	}
	if len(where) > 0 {
		return e.appendIf(ctx, v, where)
	}
	outcomes, err := e.AppendAll(ctx, []T{v})
	return outcomes[0], err
}

// AppendAll appends values and answers one outcome each, in their order, always. It
// means the same as appending them one by one, in fewer requests. Those that a
// failing table left open are Unknown, and appending them again is safe, unless their ids
// are minted (catalog.MintedID): then each append is another event.
func (e *Events[T]) AppendAll(ctx context.Context, values []T) ([]Outcome[T], error) {
	outcomes := make([]Outcome[T], len(values))
	drafts := make([]ingest.Draft, 0, len(values))
	places := make([]int, 0, len(values))
	for i := range values {
		draft, wrong := e.draft(&values[i])
		if len(wrong) > 0 {
			outcomes[i] = Outcome[T]{Verdict: model.Rejected, Errors: wrong}
			continue
		}
		drafts, places = append(drafts, draft), append(places, i)
	}
	settled, err := e.in.AppendEvents(ctx, e.kind, drafts)
	for i, place := range places {
		outcomes[place].Verdict = model.Unknown
		if i >= len(settled) {
			continue
		}
		outcome, undecoded := e.outcome(settled[i])
		outcomes[place] = outcome
		if err == nil {
			err = undecoded
		}
	}
	return outcomes, err
}

func (e *Events[T]) outcome(o model.Outcome) (Outcome[T], error) {
	current, err := e.current(o.Current)
	return Outcome[T]{Verdict: o.Verdict, Key: o.Key, Current: current, Errors: o.Errors}, err
}

func newIngest(store Store, o options) *ingest.Service {
	gates, _ := store.(ingest.Gates) // a store that knows no purge has none
	return &ingest.Service{Store: store, Limits: o.limits, Now: o.now, Rand: rand.Reader, Gates: gates}
}
