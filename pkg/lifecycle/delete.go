package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Delete takes a profile out of sight: it leaves its indexes and stays in its
// partition, as a tombstone that can be restored until it expires. Its events stay and
// more may come: they are no matter of the profile. Deleting it again changes nothing
// and answers InBin. expect is as in Update.
func (s *Service) Delete(ctx context.Context, subject model.Subject, expect int64) (Outcome, error) {
	spec := s.Profile(subject.Type)
	if out, ok := s.named(subject); !ok {
		return out, nil
	}
	return s.carryOut(ctx, "delete", subject, func(ctx context.Context, m memory) (*change, Outcome, error) {
		old, out, err := s.expected(ctx, subject, expect)
		if old == nil {
			return nil, out, err
		}
		now := s.Now()
		t := *old
		t.Version, t.DeletedAt, t.ExpiresAt = old.Version+1, now, 0
		if spec.DeletedFor > 0 {
			t.ExpiresAt = now.Add(spec.DeletedFor).Seconds()
		}
		if t.Life == (model.Life{}) { // another program made the item
			if t.Life, err = nonce(s.Rand); err != nil {
				return nil, Outcome{}, err
			}
		}
		c := &change{}
		if spec.Release != catalog.ReleaseReserve {
			c.addClaims(&t, nil, m)
		}
		c.bury(old, &t)
		c.keep(&t, model.ProfileDeleted, &spec)
		c.outcome = Outcome{Verdict: Deleted, Profile: &t}
		return c, Outcome{}, nil
	})
}

// bury puts a tombstone in the place of a profile.
func (c *change) bury(old, t *model.Profile) {
	it := item.FromTombstone(t)
	c.add(ofProfile, Action{Key: item.FromProfile(old).Key(), When: unchanged(old), Delete: true})
	c.add(ofTombstone, Action{Key: it.Key(), When: Condition{{Op: Free}}, Put: it})
	c.addGate(old.Subject)
}

// Deleted reads the tombstone of a subject; nil where there is none, or where it has
// expired.
func (s *Service) Deleted(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	t, err := s.tombstone(ctx, subject)
	if err != nil || t == nil || expired(t.ExpiresAt, s.Now()) {
		return nil, err
	}
	return t, nil
}

// named checks who.
func (s *Service) named(subject model.Subject) (_ Outcome, ok bool) {
	a := admission{Service: s}
	a.subject(subject)
	out, wrong := a.rejected()
	return out, !wrong
}
