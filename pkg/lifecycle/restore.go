package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Restore brings a deleted profile back: into its place, its indexes and its unique
// values. Where these were set free and another subject has claimed one since, the
// outcome is Taken, names the constraint, and nothing is changed; where they were
// reserved it never is. A subject that is not deleted answers Exists, one whose
// tombstone has expired NotFound. expect is the version of the tombstone, or 0.
func (s *Service) Restore(ctx context.Context, subject model.Subject, expect int64) (Outcome, error) {
	spec := s.Profile(subject.Type)
	if out, ok := s.named(subject); !ok {
		return out, nil
	}
	return s.carryOut(ctx, "restore", subject, func(ctx context.Context, m memory) (*change, Outcome, error) {
		t, out, err := s.buried(ctx, subject, expect)
		if t == nil {
			return nil, out, err
		}
		p := *t
		p.Version, p.UpdatedAt, p.DeletedAt, p.ExpiresAt = t.Version+1, s.Now(), 0, 0
		c := &change{}
		c.addClaims(&p, claims(subject.Type, &spec, p.Attrs), m)
		it := item.FromProfile(&p)
		index(it, &p, &spec)
		c.add(ofTombstone, Action{Key: keys.Tombstone(subject), When: unchanged(t), Delete: true})
		c.add(ofProfile, Action{Key: it.Key(), When: Condition{{Op: Free}}, Put: it})
		c.addGate(subject)
		c.keep(&p, model.ProfileRestored, &spec)
		c.outcome = Outcome{Verdict: Restored, Profile: &p}
		return c, Outcome{}, nil
	})
}

// buried reads the tombstone to restore. It is nil where the outcome, or the error,
// stands already.
func (s *Service) buried(ctx context.Context, subject model.Subject, expect int64) (*model.Profile, Outcome, error) {
	t, err := s.tombstone(ctx, subject)
	switch {
	case err != nil:
		return nil, Outcome{}, err
	case t == nil || expired(t.ExpiresAt, s.Now()):
		p, err := s.stored(ctx, subject)
		if err != nil || p == nil {
			out, err := s.notFound(ctx, subject, t, err)
			return nil, out, err
		}
		return nil, Outcome{Verdict: Exists, Profile: p}, nil
	case expect != 0 && expect != t.Version:
		return nil, Outcome{Verdict: Conflict, Profile: t}, nil
	}
	return t, Outcome{}, nil
}
