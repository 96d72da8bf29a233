package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Create creates the profile of a subject that has none. The outcome is Exists if the subject has one, and
// Restorable if its profile was deleted and can still be restored. Null fields are left out.
func (s *Service) Create(ctx context.Context, subject model.Subject, fields model.Attrs) (Result, error) {
	spec := s.profile(subject.Type)
	a := validation{Service: s}
	a.checkSubject(subject)
	attrs := withoutKind(withDefaults(a.checkAttrs(fields), &spec), model.Null)
	a.checkProfile(&model.Profile{Subject: subject, Attrs: attrs}, &spec)
	if err := a.err(); err != nil {
		return Result{}, err
	}
	generation, err := ids.Nonce(s.random())
	if err != nil {
		return Result{}, err
	}
	return s.execute(ctx, "create", subject,
		func(ctx context.Context, known sentinelState) (*change, Result, error) {
			if out, err := s.removeLeftovers(ctx, subject); err != nil || out.Outcome != "" {
				return nil, out, err
			}
			now := s.now()
			p := model.Profile{Subject: subject, Attrs: attrs, Version: 1, Generation: generation, CreatedAt: now,
				UpdatedAt: now}
			c := &change{}
			c.addClaims(&p, claims(subject, &spec, attrs), known)
			it := item.FromProfile(&p)
			setIndexKeys(it, &p, &spec)
			c.add(roleProfile, itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}},
				Put: it})
			c.add(roleTombstone, itemop.Action{Key: tablekeys.Tombstone(subject),
				Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}})
			c.addPurgeLockCheck(subject)
			c.addVersion(&p, model.ProfileCreated, &spec)
			c.addListed(&p)
			c.result = Result{Outcome: Created, Profile: &p}
			return c, Result{}, s.addMove(ctx, c, &p, &spec)
		})
}

// removeLeftovers returns the result if a profile or a tombstone prevents a creation. Otherwise it removes
// the items of an earlier generation: an expired tombstone, and versions.
func (s *Service) removeLeftovers(ctx context.Context, subject model.Subject) (Result, error) {
	p, err := s.readProfile(ctx, subject)
	if p != nil || err != nil {
		return Result{Outcome: Exists, Profile: p}, err
	}
	t, err := s.readTombstone(ctx, subject)
	switch {
	case err != nil:
		return Result{}, err
	case t != nil && !expired(t.ExpiresAt, s.now()):
		return Result{Outcome: Restorable, Profile: t}, nil
	case t != nil:
		return Result{}, s.finishRemoval(ctx, t)
	}
	left, err := s.Store.List(ctx, itemop.ListRequest{Partition: keys.SubjectPartition(subject),
		Prefix: tablekeys.VersionPrefix, Newest: true, Limit: 1})
	if err != nil || len(left.Items) == 0 {
		return Result{}, err
	}
	v, err := item.ProfileVersion(left.Items[0])
	if err != nil {
		return Result{}, err
	}
	return Result{}, s.removeGeneration(ctx, subject, v.Generation, nil)
}
