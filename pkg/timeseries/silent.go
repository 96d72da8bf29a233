package timeseries

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// Silent returns an iterator over the subjects without an event of the kind in a span, in no particular
// order. The span ends at through: changes that were stored until then are processed, so that a table stream
// which is behind makes no subject silent. Last is the time of the newest event, or the beginning of its hour
// or day if no event is stored any more, and Stream its stream. Last is zero for a subject that never sent
// one, which is known by its profile or by events of other kinds. First is not set.
func (e *Events[T]) Silent(
	ctx context.Context, span time.Duration,
) (_ iter.Seq2[Listed, error], through time.Time, _ error) {
	if _, err := e.kindOfTable(ctx); err != nil {
		return nil, time.Time{}, err
	}
	progress, err := e.query.StreamProgress(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	q := query.Silent{
		SubjectType: e.declared.Subject.Name, Kind: e.listedKind(), Kinds: e.kindToRead, For: span,
		Through: progress.KnownThrough(e.query.Now()),
	}
	return func(yield func(Listed, error) bool) {
		for s, err := range e.query.EachSilent(ctx, q) {
			one := Listed{Key: Key{Subject: s.Subject.ID, Stream: s.Newest.Stream}}
			if s.LastSeen != nil {
				one.Last = toTime(*s.LastSeen)
			}
			if !yield(one, err) {
				return
			}
		}
	}, toTime(q.Through), nil
}
