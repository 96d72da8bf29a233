package query

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// sessionKey returns the key whose sessions a query of a kind of sessions requests: they are not
// stored, and are cut on reading from the index of the events of one key.
func (q History) sessionKey() (string, error) {
	by := q.Kind.IndexBy
	if by == "" {
		return "", fmt.Errorf("%s: %w: declare indexBy, here and for the events of the sessions", q.Kind.Name,
			ErrNotIndexed)
	}
	for _, t := range q.Where {
		if t.Field == by && t.Op == model.Equal && t.Value.Kind == model.Text && t.Value.Text != "" &&
			!q.Consistent {
			return t.Value.Text, nil
		}
	}
	return "", fmt.Errorf(
		"%w: %s are read from an index: want the condition %s=\"…\", and no strongly consistent read",
		model.ErrCondition, q.Kind.Path, by)
}

// sessions returns the fetch of a pager: the sessions of one key after a position, which is the
// time of a session.
func (s *Service) sessions(q History,
	key string) func(ctx context.Context, shard int, after string) ([]model.Event, string, error) {
	return func(ctx context.Context, _ int, after string) (found []model.Event, next string, err error) {
		span := sessions.Span{From: q.From, To: q.To}
		if past, err := strconv.ParseInt(after, 10, 64); err == nil && q.Newest {
			span.To = model.Time(past)
		} else if err == nil {
			span.From = model.Time(past) + 1
		}
		for e, err := range sessions.Cut(q.Kind, q.unsharded(), key, span, s.sourcesOfKey(ctx, q, key, span)) {
			if n := len(found); err != nil || q.Limit > 0 && n == q.Limit {
				return found, next, err
			}
			found, next = append(found, e), strconv.FormatInt(int64(e.At), 10)
		}
		return found, "", nil
	}
}

// sourcesOfKey returns an iterator over the events of one key that its sessions depend on.
func (s *Service) sourcesOfKey(ctx context.Context, q History, key string,
	span sessions.Span) iter.Seq2[model.Event, error] {
	r, now := span.Sources(q.Kind), s.Now()
	all := paging.Items(func(after *model.EventKey) ([]model.Event, *model.EventKey, error) {
		page, err := s.Store.QueryIndex(ctx, storage.EventIndexQuery{
			Kind: q.Kind.Sessions.Of, Field: q.Kind.IndexBy, Value: key, From: r.From, To: r.To, Newest: q.Newest,
			After: after,
		})
		return page.Events, page.Last, err
	})
	return func(yield func(model.Event, error) bool) {
		for e, err := range all {
			other := q.Kind.SessionSeries(e.Series) != q.unsharded() || expired(e.ExpiresAt, now)
			if (err != nil || !other) && !yield(e, err) {
				return
			}
		}
	}
}

// Event reads one stored event, consistently, or one session, whose id is its key; nil if there is none.
func (s *Service) Event(ctx context.Context, of Series, order model.Order) (*model.Event, error) {
	if of.Kind.HasEvents() {
		stored, err := storage.Event(ctx, s.Store,
			model.EventKey{Series: of.Kind.Series(of.Subject, of.Stream, order), Order: order})
		if stored != nil {
			stored.Attrs = of.Kind.Named(stored.Attrs)
		}
		return stored, err
	}
	where := model.Condition{{Field: of.Kind.IndexBy, Op: model.Equal, Value: model.TextValue(order.ID)}}
	for e, err := range s.EachEvent(ctx, History{Series: of, From: order.At, To: order.At + 1, Where: where}) {
		return &e, err
	}
	return nil, nil
}
