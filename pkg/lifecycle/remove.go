package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Remove takes a profile, or the tombstone of one, away for good: with its versions and
// the unique values it holds, and never with those of another. Its events stay; Purge
// removes everything. expect is as in Update.
//
// It first makes a tombstone that has expired, which nobody sees or restores. Should it
// be interrupted after that, TTL takes the tombstone away and the cleaning up after it
// ends what was begun; asking again does so at once.
func (s *Service) Remove(ctx context.Context, subject model.Subject, expect int64) (Outcome, error) {
	if out, ok := s.named(subject); !ok {
		return out, nil
	}
	out, err := s.carryOut(ctx, "remove", subject, func(ctx context.Context, _ memory) (*change, Outcome, error) {
		return s.toRemove(ctx, subject, expect)
	})
	if err != nil || out.Verdict != Removed {
		return out, err
	}
	return s.carryOut(ctx, "remove", subject, func(ctx context.Context, _ memory) (*change, Outcome, error) {
		return nil, Outcome{Verdict: Removed}, s.finish(ctx, out.Profile)
	})
}

// toRemove plans an expired tombstone in the place of whatever stands.
func (s *Service) toRemove(ctx context.Context, subject model.Subject, expect int64) (*change, Outcome, error) {
	now := s.Now()
	old, err := s.stored(ctx, subject)
	if err != nil {
		return nil, Outcome{}, err
	}
	standing := old != nil
	if !standing {
		old, err = s.tombstone(ctx, subject)
	}
	switch {
	case err != nil || old == nil:
		out, err := s.notFound(ctx, subject, nil, err)
		return nil, out, err
	case !standing && expired(old.ExpiresAt, now):
		return nil, Outcome{Verdict: Removed, Profile: old}, nil // begun before
	case expect != 0 && expect != old.Version:
		return nil, Outcome{Verdict: Conflict, Profile: old}, nil
	}
	t := *old
	t.Version, t.DeletedAt, t.ExpiresAt = old.Version+1, now, now.Seconds()
	if t.Life == (model.Life{}) {
		if t.Life, err = nonce(s.Rand); err != nil {
			return nil, Outcome{}, err
		}
	}
	c := &change{outcome: Outcome{Verdict: Removed, Profile: &t}}
	if standing {
		c.bury(old, &t)
	} else {
		c.add(ofTombstone, Action{Key: keys.Tombstone(subject), When: unchanged(old), Put: item.FromTombstone(&t)})
		c.addGate(subject)
	}
	return c, Outcome{}, nil
}
