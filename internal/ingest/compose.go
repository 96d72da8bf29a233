package ingest

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Compose is the transaction that appends one event, for a caller who sends it with
// items of its own. It reads nothing and sends nothing, so it cannot know whether
// current is there: its one condition takes both. The field errors are those of
// admission; the error is the random source's.
//
// Where the event is older than current the whole transaction fails, whatever the
// kind's policy for late events: part of it cannot be stored without the rest. Its
// verdict then is Stale, and an Append by itself is what keeps it.
func (s *Service) Compose(kind *catalog.Kind, draft Draft, where Condition) (Transaction, []model.FieldError, error) {
	a := admission{kind: kind, limits: s.Limits, now: s.Now(), random: s.Rand}
	event, wrong, err := a.draft(draft)
	switch {
	case err != nil || wrong != nil:
		return Transaction{}, wrong, err
	case kind.WithoutCurrent && len(where) > 0:
		return Transaction{}, nil, ErrNoCurrent
	}
	tx := Transaction{Gate: &event.Series.Subject, Puts: []model.Event{event}}
	if !kind.WithoutCurrent {
		tx.Current = &CurrentWrite{
			Series: event.Series, OrCreate: true, First: event.Order, Last: event.Order,
			Hash: event.Hash, Set: event.Attrs, Now: event.ArrivedAt, Where: where,
			Entries: entriesOf(kind, &event),
		}
	}
	return tx, nil, nil
}

// Judge is the verdict on a transaction of Compose. Where it failed and everything of
// it would have held, an item of the caller's own did not: Conflict. Where it was not
// decided it is Unknown, and sending all of it again is safe.
func Judge(tx *Transaction, reply Reply) model.Outcome {
	event := &tx.Puts[0]
	out := model.Outcome{Verdict: model.Unknown, Key: event.Key(), Current: reply.Current}
	if reply.Answer == model.Written {
		out.Verdict = model.Applied
		if tx.Current != nil {
			out.Current = asWritten(tx.Current)
		}
	}
	if reply.Answer == model.Refused {
		out.Verdict = refusedAs(event, reply)
	}
	return out
}

func refusedAs(event *model.Event, reply Reply) model.Verdict {
	current := reply.Current
	ordered := reply.CurrentFailed && current != nil && current.Ordered
	switch {
	case reply.GateFailed || current != nil && current.Fenced:
		return model.Gone
	case len(reply.Stored) > 0 && reply.Stored[0] != nil:
		return sameOrNot(event.Hash, reply.Stored[0].Hash)
	case ordered && current.Order == event.Order:
		return sameOrNot(event.Hash, current.Hash)
	case ordered && !current.Before(event.Order):
		return model.Stale
	}
	return model.Conflict
}
