package sessions

import (
	"iter"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Span is the half-open range of the times at which sessions begin.
type Span struct{ From, To model.Time }

// Sources returns the range of the source events that the sessions of a kind depend on.
func (s Span) Sources(kind *catalog.Kind) Span {
	last := kind.Retention.Finest().Unit.BucketAt(min(s.To, model.MaxTime+1) - 1)
	return Span{max(s.From.Add(-kind.Sessions.Gap), model.MinTime),
		min(last.End.Add(kind.Sessions.Follow), model.MaxTime+1)}
}

// Cut returns an iterator over the sessions of one key, cut from its source events as a Folder cuts
// them. events has the events of span.Sources, oldest first or newest first, and the sessions come in the
// same order. A session has the time of its first event, and the key as its id. It has no goals,
// because other events than these may meet them. An error comes last, with no session.
func Cut(kind *catalog.Kind, series model.Series, key string, span Span,
	events iter.Seq2[model.Event, error]) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		var chain []model.Event
		firsts := firstFields(kind)
		newest := false
		end := func() (more bool) {
			if len(chain) == 0 {
				return true
			}
			s := sessionEvent(kind, firsts, series, key, chain)
			chain = chain[:0]
			if span.From <= s.At && s.At < span.To {
				return yield(s, nil)
			}
			return newest == (s.At >= span.To)
		}
		for e, err := range events {
			if err != nil {
				yield(model.Event{}, err)
				return
			}
			if n := len(chain); n > 0 {
				newest = newest || e.At < chain[n-1].At
				if e.At.Sub(chain[n-1].At).Abs() > kind.Sessions.Gap && !end() {
					return
				}
			}
			chain = append(chain, e)
		}
		end()
	}
}

// sessionEvent returns the session of a chain. firsts are its fields of the first event.
func sessionEvent(kind *catalog.Kind, firsts []catalog.SessionField, series model.Series, key string,
	chain []model.Event) model.Event {
	slices.SortFunc(chain, func(a, b model.Event) int { return a.Compare(b.Order) })
	s := newSession(kind.Sessions, firsts, key, nil, &chain[0], nil)
	until, unreadable := kind.Retention.Finest().Unit.BucketAt(chain[0].At).End.Add(kind.Sessions.Follow), false
	for i := range chain {
		if chain[i].At < until {
			s.add(&chain[i])
			unreadable = unreadable || chain[i].Unreadable
		}
	}
	e := s.event(series, nil)
	e.ID = key
	e.Unreadable = unreadable
	e.Hash = model.HashAttrs(e.Attrs)
	return *e
}
