package lifecycle

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Update sets the fields that patch names and leaves all others; a null field is removed.
// If expect is not 0 and the profile has another version, the outcome is Conflict.
// Concurrent updates of a profile are applied one after the other.
func (s *Service) Update(ctx context.Context, subject model.Subject, patch model.Attrs, expect int64) (Result, error) {
	spec := s.profile(subject.Type)
	a := validation{Service: s}
	a.checkSubject(subject)
	patch = a.checkAttrs(patch)
	if err := a.err(); err != nil {
		return Result{}, err
	}
	return s.execute(ctx, "update", subject, func(ctx context.Context, known sentinelState) (*change, Result, error) {
		old, out, err := s.readForChange(ctx, subject, expect)
		if old == nil {
			return nil, out, err
		}
		p := *old
		p.Attrs = withoutKind(old.Attrs.Union(patch), model.Null)
		if slices.Equal(p.Attrs, withoutKind(old.Attrs, model.Null)) {
			return nil, Result{Outcome: Unchanged, Profile: old}, nil
		}
		a := validation{Service: s}
		a.checkProfile(&p, &spec)
		if err := a.err(); err != nil {
			return nil, Result{}, err
		}
		if err := s.ensureGeneration(&p); err != nil {
			return nil, Result{}, err
		}
		p.Version, p.UpdatedAt = old.Version+1, s.now()
		c := &change{}
		c.addClaims(&p, claims(subject.Type, &spec, p.Attrs), known)
		it := item.FromProfile(&p)
		setIndexKeys(it, &p, &spec)
		c.add(roleProfile, updateAction(it, unchangedProfile(old), patch, &spec))
		c.addPurgeLockCheck(subject)
		c.addVersion(&p, model.ProfileUpdated, &spec)
		c.result = Result{Outcome: Updated, Profile: &p}
		return c, Result{}, nil
	})
}
