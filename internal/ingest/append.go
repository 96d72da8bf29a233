package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoCurrent is AppendIf's answer for a kind that keeps no current.
var ErrNoCurrent = errors.New("the kind keeps no current, so there is nothing to compare with: append without a condition")

// AppendIf appends one event on the caller's own condition on current, in addition
// to the order: where that fails, the outcome is Conflict. An event older than
// current is kept, or dropped, only where current meets the condition at that
// moment. The zero Condition is none. Errors are as of Append.
func (s *Service) AppendIf(ctx context.Context, kind *catalog.Kind, draft Draft, where Condition) (model.Outcome, error) {
	a := admission{kind: kind, limits: s.Limits, now: s.Now(), random: s.Rand}
	event, errs, err := a.draft(draft)
	outcomes := []model.Outcome{{Verdict: model.Unknown, Key: event.Key()}}
	switch {
	case err != nil:
		return outcomes[0], err
	case errs != nil:
		outcomes[0].Verdict, outcomes[0].Errors = model.Rejected, errs
		return outcomes[0], nil
	case kind.WithoutCurrent:
		return outcomes[0], fmt.Errorf("append %s: %w", event.Series, ErrNoCurrent)
	}
	ctx, cancel := s.Patience.LeaveRoom(ctx)
	defer cancel()
	b := batch{Service: s, kind: kind, outcomes: outcomes, where: where}
	err = b.append(ctx, []entry{{event: event}})
	return outcomes[0], err
}

// putEach writes events of one identity and of a kind without current, in order.
func (s *Service) putEach(ctx context.Context, entries []entry, outcomes []model.Outcome) error {
	switch gone, err := s.gated(ctx, entries[0].event.Series.Subject); {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case gone:
		for _, e := range entries {
			outcomes[e.place].Verdict = model.Gone
		}
		return nil
	}
	for _, e := range entries {
		reply, err := s.send(ctx, func(ctx context.Context) (Reply, error) { return s.Store.Put(ctx, e.event) })
		switch {
		case errors.Is(err, retry.ErrUndecided):
			return nil
		case err != nil:
			return fmt.Errorf("put %s: %w", e.event.Series, err)
		case reply.Answer == model.Written:
			outcomes[e.place].Verdict = model.Applied
		case len(reply.Stored) == 1 && reply.Stored[0] != nil:
			outcomes[e.place].Verdict = sameOrNot(e.event.Hash, reply.Stored[0].Hash)
		default:
			return fmt.Errorf("put %s: %w", e.event.Series, errUnreasoned)
		}
	}
	return nil
}
