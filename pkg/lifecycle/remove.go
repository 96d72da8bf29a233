package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Remove permanently removes a profile or its tombstone, with its versions and its unique values. The
// subject's events stay; a Purger removes everything. expect is the same as in Update.
//
// Remove first replaces the profile by an expired tombstone, which no call returns or
// restores. If it is interrupted after that, repeat the call. Otherwise TTL deletes the
// tombstone, and CleanUpExpired removes the rest.
func (s *Service) Remove(ctx context.Context, subject model.Subject, expect int64) (Result, error) {
	if err := s.validateSubject(subject); err != nil {
		return Result{}, err
	}
	out, err := s.execute(ctx, "remove", subject,
		func(ctx context.Context, _ sentinelState) (*change, Result, error) {
			return s.planRemoval(ctx, subject, expect)
		})
	if err != nil || out.Outcome != Removed {
		return out, err
	}
	return s.execute(ctx, "remove", subject,
		func(ctx context.Context, _ sentinelState) (*change, Result, error) {
			return nil, Result{Outcome: Removed}, s.finishRemoval(ctx, out.Profile)
		})
}

// planRemoval plans to replace the profile or its tombstone by an expired tombstone.
func (s *Service) planRemoval(ctx context.Context, subject model.Subject,
	expect int64) (*change, Result, error) {
	now := s.now()
	old, err := s.readProfile(ctx, subject)
	if err != nil {
		return nil, Result{}, err
	}
	deleted := old == nil
	if deleted {
		old, err = s.readTombstone(ctx, subject)
	}
	switch {
	case err != nil || old == nil:
		out, err := s.confirmNotFound(ctx, subject, nil, err)
		return nil, out, err
	case deleted && expired(old.ExpiresAt, now):
		return nil, Result{Outcome: Removed, Profile: old}, nil // an earlier removal was interrupted
	case expect != 0 && expect != old.Version:
		return nil, Result{Outcome: Conflict, Profile: old}, nil
	}
	t := *old
	t.Version = old.Version + 1
	t.DeletedAt = now
	t.ExpiresAt = now.Seconds()
	if err := s.ensureGeneration(&t); err != nil {
		return nil, Result{}, err
	}
	c := &change{result: Result{Outcome: Removed, Profile: &t}}
	if deleted {
		c.add(roleTombstone, itemop.Action{Key: tablekeys.Tombstone(subject), Precondition: unchangedProfile(old),
			Put: item.FromTombstone(&t)})
		c.addPurgeLockCheck(subject)
	} else {
		c.addTombstone(old, &t)
	}
	spec := s.profile(subject.Type)
	return c, Result{}, s.addMove(ctx, c, &t, &spec)
}
