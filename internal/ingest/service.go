package ingest

import (
	"context"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Service appends observations. Its fields are set once, before the first call; its
// methods are safe for concurrent use.
type Service struct {
	Store  Store
	Limits config.Limits // the zero value admits next to nothing; see config.Default
	// Now is the door's clock.
	Now func() model.Time
	// Rand makes tokens, ids and the jitter of pauses; safe for concurrent use, as
	// crypto/rand.Reader is.
	Rand io.Reader
	// Sleep pauses between requests, or answers the context's error when that ends
	// first; nil means the wall clock's.
	Sleep    func(context.Context, time.Duration) error
	Patience retry.Patience
	// Retried is told the answer that made a request be sent again; nil means nobody.
	// It may be called concurrently.
	Retried func(model.Answer)
	// Parallel is how many series of one call are appended to at once; zero means 8.
	Parallel int
	// Quarantine keeps what SetAside is given; nil where every caller is told.
	Quarantine Quarantine
	// KeepRejected is how long quarantine keeps a thing; zero means 30 days.
	KeepRejected time.Duration
	// Gates is asked whether a subject is being purged before events of a kind without
	// current are put; nil where nobody purges.
	Gates Gates
	// GateFor is how long an answer of Gates is taken to be true: at most one timeout of
	// the function it runs in, which a purge waits for. Zero means 15 seconds.
	GateFor time.Duration

	gates gateMemory
}

const defaultParallel = 8

// Append admits observations of a kind and appends the events they make. It answers
// one outcome each, in their order, always: those that time or a failing table left
// open are Unknown, and sending them again is safe, unless their ids are minted anew
// (catalog.MintedID). Within a series the outcomes are those of appending one by one in
// the order given.
//
// The error is what no repeat can mend, as a missing permission; beside it, some
// outcomes may be settled already.
func (s *Service) Append(ctx context.Context, kind *catalog.Kind, observations ...Observation) ([]model.Outcome, error) {
	return appendAll(ctx, s, kind, observations, (*admission).observation)
}

// AppendEvents is Append for a Go program's typed values.
func (s *Service) AppendEvents(ctx context.Context, kind *catalog.Kind, drafts []Draft) ([]model.Outcome, error) {
	return appendAll(ctx, s, kind, drafts, (*admission).draft)
}

type admitFunc[T any] func(*admission, T) (model.Event, []model.FieldError, error)

func appendAll[T any](ctx context.Context, s *Service, kind *catalog.Kind, given []T, admit admitFunc[T]) ([]model.Outcome, error) {
	outcomes := make([]model.Outcome, len(given))
	entries := make([]entry, 0, len(given))
	now := s.Now()
	for i, g := range given {
		event, errs, err := admit(&admission{kind: kind, limits: s.Limits, now: now, random: s.Rand}, g)
		outcomes[i] = model.Outcome{Verdict: model.Unknown, Key: event.Key()}
		switch {
		case err != nil:
			for j := range outcomes {
				outcomes[j].Verdict = model.Unknown // nothing is appended yet
			}
			return outcomes, err
		case errs != nil:
			outcomes[i].Verdict, outcomes[i].Errors = model.Rejected, errs
		default:
			entries = append(entries, entry{place: i, event: event})
		}
	}
	return outcomes, s.appendEntries(ctx, kind, entries, outcomes)
}

// appendEntries appends group by group, several at once, and settles outcomes in
// place. Groups share no identity, so none waits for another.
func (s *Service) appendEntries(ctx context.Context, kind *catalog.Kind, entries []entry, outcomes []model.Outcome) error {
	ctx, cancel := s.Patience.LeaveRoom(ctx)
	defer cancel()
	var work errgroup.Group
	work.SetLimit(s.parallel())
	for _, group := range groupsOf(kind, entries) {
		work.Go(func() error {
			if kind.WithoutCurrent {
				return s.putEach(ctx, group, outcomes)
			}
			b := batch{Service: s, kind: kind, outcomes: outcomes}
			return b.append(ctx, group)
		})
	}
	return work.Wait()
}

func (s *Service) parallel() int {
	if s.Parallel > 0 {
		return s.Parallel
	}
	return defaultParallel
}

// entry is one admitted event on its way, with the place of its outcome.
type entry struct {
	place int
	event model.Event
}

// groupsOf cuts entries into what must be appended in order: a series, or, where
// nothing but the event itself is written, one identity.
func groupsOf(kind *catalog.Kind, entries []entry) [][]entry {
	var groups [][]entry
	at := make(map[model.EventKey]int)
	for _, e := range entries {
		key := e.event.Key()
		if !kind.WithoutCurrent {
			key.Order = model.Order{}
		}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}
