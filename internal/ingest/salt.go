package ingest

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// SaltStore keeps the salts of days, one each.
type SaltStore interface {
	// PutSalt stores s on condition that its day has none. Refused comes with the salt
	// that stands. An error is what no retry can mend.
	PutSalt(ctx context.Context, s model.Salt) (model.Answer, model.Salt, error)
}

// Salts hand out the salt of the day, the same to every door. Its fields are set
// before the first call; it is safe for concurrent use.
type Salts struct {
	Service *Service // by whose clock, randomness and patience salts are made
	Store   SaltStore

	mu    sync.Mutex // guards today
	today model.Salt
}

const (
	saltBytes = 32
	// saltKept is how long after its day a salt is there for doors whose clocks differ.
	saltKept = time.Hour
)

// Of is the salt of the day that an instant lies in. The first to ask makes it; all
// others are told by the refusal of theirs, so that a day costs each process one
// request.
func (s *Salts) Of(ctx context.Context, at model.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	day := tier.Day.BucketOf(at)
	if s.today.Secret != nil && s.today.Day == day.Start {
		return s.today.Secret, nil
	}
	fresh := model.Salt{Day: day.Start, Secret: make([]byte, saltBytes), ExpiresAt: day.End.Add(saltKept).Seconds()}
	if _, err := io.ReadFull(s.Service.Rand, fresh.Secret); err != nil {
		return nil, fmt.Errorf("make the salt of %s: %w", day, err)
	}
	stands, err := s.put(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("keep the salt of %s: %w", day, err)
	}
	s.today = stands
	return stands.Secret, nil
}

// put answers the salt that stands afterwards. After an answer that was lost it may be
// this one: the repeat is refused, and told so.
func (s *Salts) put(ctx context.Context, fresh model.Salt) (model.Salt, error) {
	ctx, cancel := s.Service.Patience.LeaveRoom(ctx)
	defer cancel()
	stands := fresh
	_, err := s.Service.send(ctx, func(ctx context.Context) (Reply, error) {
		answer, standing, err := s.Store.PutSalt(ctx, fresh)
		if answer == model.Refused {
			stands = standing
		}
		return Reply{Answer: answer}, err
	})
	return stands, err
}
