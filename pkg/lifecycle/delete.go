package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Delete replaces a profile by a tombstone, which Restore can restore until it expires. The profile leaves
// its indexes. The subject's events stay, and new events are accepted. Deleting a deleted profile changes
// nothing and returns Restorable. expect is the same as in Update.
func (s *Service) Delete(ctx context.Context, subject model.Subject, expect int64) (Result, error) {
	spec := s.profile(subject.Type)
	if err := s.validateSubject(subject); err != nil {
		return Result{}, err
	}
	return s.execute(ctx, "delete", subject,
		func(ctx context.Context, known sentinelState) (*change, Result, error) {
			old, out, err := s.readForChange(ctx, subject, expect)
			if old == nil {
				return nil, out, err
			}
			now := s.now()
			t := *old
			t.Version = old.Version + 1
			t.DeletedAt = now
			t.ExpiresAt = 0
			if spec.DeletedFor > 0 {
				t.ExpiresAt = now.Add(spec.DeletedFor).Seconds()
			}
			if err := s.ensureGeneration(&t); err != nil {
				return nil, Result{}, err
			}
			c := &change{}
			if spec.Release != catalog.ReleaseReserve {
				c.addClaims(&t, nil, known)
			}
			c.addTombstone(old, &t)
			c.addVersion(&t, model.ProfileDeleted, &spec)
			c.result = Result{Outcome: Deleted, Profile: &t}
			return c, Result{}, s.addMove(ctx, c, &t, &spec)
		})
}

// ensureGeneration gives a generation to a profile that has none, because another program created the item.
func (s *Service) ensureGeneration(p *model.Profile) (err error) {
	if p.Generation == (model.Generation{}) {
		p.Generation, err = ids.Nonce(s.random())
	}
	return err
}

// addTombstone replaces a profile by a tombstone.
func (c *change) addTombstone(old, t *model.Profile) {
	it := item.FromTombstone(t)
	c.add(roleProfile, itemop.Action{Key: item.FromProfile(old).Key(), Precondition: unchangedProfile(old),
		Delete: true})
	c.add(roleTombstone,
		itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}, Put: it})
	c.addPurgeLockCheck(old.Subject)
	c.addUnlisted(old)
}

// Deleted returns the tombstone of a subject, or nil if it has none or the tombstone has expired.
func (s *Service) Deleted(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	t, err := s.readTombstone(ctx, subject)
	if err != nil || t == nil || expired(t.ExpiresAt, s.now()) {
		return nil, err
	}
	return t, nil
}

// Restore restores a deleted profile, its index entries and its unique values. If the deletion released the
// unique values and another subject has claimed one since, the outcome is Taken, with the name of the
// constraint, and nothing changes. The outcome is Exists if the profile is not deleted, and NotFound if the
// tombstone has expired. expect is the version of the tombstone, or 0.
func (s *Service) Restore(ctx context.Context, subject model.Subject, expect int64) (Result, error) {
	spec := s.profile(subject.Type)
	if err := s.validateSubject(subject); err != nil {
		return Result{}, err
	}
	return s.execute(ctx, "restore", subject,
		func(ctx context.Context, known sentinelState) (*change, Result, error) {
			t, out, err := s.readForRestore(ctx, subject, expect)
			if t == nil {
				return nil, out, err
			}
			p := *t
			p.Version = t.Version + 1
			p.UpdatedAt = s.now()
			p.DeletedAt = 0
			p.ExpiresAt = 0
			c := &change{}
			c.addClaims(&p, claims(subject, &spec, p.Attrs), known)
			it := item.FromProfile(&p)
			setIndexKeys(it, &p, &spec)
			c.add(roleTombstone,
				itemop.Action{Key: tablekeys.Tombstone(subject), Precondition: unchangedProfile(t), Delete: true})
			c.add(roleProfile, itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}},
				Put: it})
			c.addPurgeLockCheck(subject)
			c.addVersion(&p, model.ProfileRestored, &spec)
			c.addListed(&p)
			c.result = Result{Outcome: Restored, Profile: &p}
			return c, Result{}, s.addMove(ctx, c, &p, &spec)
		})
}

// readForRestore reads the tombstone to restore. It returns nil if the result, or the
// error, is already known.
func (s *Service) readForRestore(ctx context.Context, subject model.Subject,
	expect int64) (*model.Profile, Result, error) {
	t, err := s.readTombstone(ctx, subject)
	switch {
	case err != nil:
		return nil, Result{}, err
	case t == nil || expired(t.ExpiresAt, s.now()):
		p, err := s.readProfile(ctx, subject)
		if err != nil || p == nil {
			out, err := s.confirmNotFound(ctx, subject, t, err)
			return nil, out, err
		}
		return nil, Result{Outcome: Exists, Profile: p}, nil
	case expect != 0 && expect != t.Version:
		return nil, Result{Outcome: Conflict, Profile: t}, nil
	}
	return t, Result{}, nil
}
