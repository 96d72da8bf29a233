package timeseries

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Silent returns an iterator over the subjects without an event of the kind in a span, in no particular
// order. The span ends at through: changes that were stored until then are processed, so that a table stream
// which is behind makes no subject silent. Last is the time of the newest event, or the beginning of its hour
// or day if no event is stored any more, and Stream its stream. Last is zero for a subject that never sent
// one, which is known by its profile or by events of other kinds, and for one whose newest events were
// deleted where none is stored. First is not set.
func (e *Events[T]) Silent(
	ctx context.Context, span time.Duration,
) (_ iter.Seq2[Listed, error], through time.Time, _ error) {
	q, err := e.silentQuery(ctx, span)
	if err != nil {
		return nil, time.Time{}, err
	}
	return func(yield func(Listed, error) bool) {
		for s, err := range e.query.EachSilent(ctx, q) {
			one := Listed{Key: Key{Subject: s.Subject.ID, Stream: s.Newest.Stream}}
			if s.LastSeen != nil {
				one.Last = s.LastSeen.Time()
			}
			if !yield(one, err) {
				return
			}
		}
	}, toTime(q.Through), nil
}

// silentQuery returns the request for the silent subjects of the kind.
func (e *Events[T]) silentQuery(ctx context.Context, span time.Duration) (query.Silent, error) {
	q := query.Silent{
		SubjectType: e.declared.Subject.Name, Kind: e.listedKind(), Kinds: e.kindToRead, For: span,
	}
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return q, err
	}
	progress, err := e.query.StreamProgress(ctx)
	if err != nil {
		return q, err
	}
	q.Through, err = e.query.SilentThrough(ctx, []*catalog.Kind{kind}, progress)
	return q, err
}
