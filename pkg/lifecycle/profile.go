package lifecycle

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Create makes the profile of a subject that has none. Where there is one the outcome
// is Exists, and InBin where one was deleted and can be restored: a subject has one
// life at a time. Null fields are left out.
func (s *Service) Create(ctx context.Context, subject model.Subject, fields model.Attrs) (Outcome, error) {
	spec := s.Profile(subject.Type)
	a := admission{Service: s}
	a.subject(subject)
	attrs := without(withDefaults(a.attrs(fields), &spec), model.Null)
	a.whole(&model.Profile{Subject: subject, Attrs: attrs}, &spec)
	if out, ok := a.rejected(); ok {
		return out, nil
	}
	life, err := nonce(s.Rand)
	if err != nil {
		return Outcome{Verdict: Unknown}, err
	}
	return s.carryOut(ctx, "create", subject, func(ctx context.Context, m memory) (*change, Outcome, error) {
		if out, err := s.clearFor(ctx, subject); err != nil || out.Verdict != "" {
			return nil, out, err
		}
		now := s.Now()
		p := model.Profile{Subject: subject, Attrs: attrs, Version: 1, Life: life, CreatedAt: now, UpdatedAt: now}
		c := &change{}
		c.addClaims(&p, claims(subject.Type, &spec, attrs), m)
		it := item.FromProfile(&p)
		index(it, &p, &spec)
		c.add(ofProfile, Action{Key: it.Key(), When: Condition{{Op: Free}}, Put: it})
		c.add(ofTombstone, Action{Key: keys.Tombstone(subject), When: Condition{{Op: Free}}})
		c.addGate(subject)
		c.keep(&p, model.ProfileCreated, &spec)
		c.outcome = Outcome{Verdict: Created, Profile: &p}
		return c, Outcome{}, nil
	})
}

// clearFor looks what stands in the way of a new life, and clears away what an earlier
// one left behind: its tombstone where that has expired, and its versions.
func (s *Service) clearFor(ctx context.Context, subject model.Subject) (Outcome, error) {
	p, err := s.stored(ctx, subject)
	if p != nil || err != nil {
		return Outcome{Verdict: Exists, Profile: p}, err
	}
	t, err := s.tombstone(ctx, subject)
	switch {
	case err != nil:
		return Outcome{}, err
	case t != nil && !expired(t.ExpiresAt, s.Now()):
		return Outcome{Verdict: InBin, Profile: t}, nil
	case t != nil:
		return Outcome{}, s.finish(ctx, t)
	}
	left, err := s.Store.List(ctx, Listing{Partition: keys.SubjectPartition(subject), Prefix: keys.VersionPrefix, Newest: true, Limit: 1})
	if err != nil || len(left.Items) == 0 {
		return Outcome{}, err
	}
	v, err := item.ProfileVersion(left.Items[0])
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{}, s.sweep(ctx, subject, v.Life, nil)
}

// Update changes the fields that patch names and no other; a null field is removed.
// Where expect is not 0 and the profile has another version, the outcome is Conflict.
// Updates of the same profile that meet are carried out one after the other.
func (s *Service) Update(ctx context.Context, subject model.Subject, patch model.Attrs, expect int64) (Outcome, error) {
	spec := s.Profile(subject.Type)
	a := admission{Service: s}
	a.subject(subject)
	patch = a.attrs(patch)
	if out, ok := a.rejected(); ok {
		return out, nil
	}
	return s.carryOut(ctx, "update", subject, func(ctx context.Context, m memory) (*change, Outcome, error) {
		old, out, err := s.expected(ctx, subject, expect)
		if old == nil {
			return nil, out, err
		}
		p := *old
		p.Attrs = without(old.Attrs.Union(patch), model.Null)
		if slices.Equal(p.Attrs, without(old.Attrs, model.Null)) {
			return nil, Outcome{Verdict: Unchanged, Profile: old}, nil
		}
		a := admission{Service: s}
		a.whole(&p, &spec)
		if out, ok := a.rejected(); ok {
			return nil, out, nil
		}
		if p.Life == (model.Life{}) { // another program made the item
			if p.Life, err = nonce(s.Rand); err != nil {
				return nil, Outcome{}, err
			}
		}
		p.Version, p.UpdatedAt = old.Version+1, s.Now()
		c := &change{}
		c.addClaims(&p, claims(subject.Type, &spec, p.Attrs), m)
		it := item.FromProfile(&p)
		index(it, &p, &spec)
		c.add(ofProfile, updating(it, unchanged(old), patch, &spec))
		c.addGate(subject)
		c.keep(&p, model.ProfileUpdated, &spec)
		c.outcome = Outcome{Verdict: Updated, Profile: &p}
		return c, Outcome{}, nil
	})
}

// expected reads the profile to change. It is nil where the outcome, or the error,
// stands already.
func (s *Service) expected(ctx context.Context, subject model.Subject, expect int64) (*model.Profile, Outcome, error) {
	p, err := s.stored(ctx, subject)
	switch {
	case err != nil:
		return nil, Outcome{}, err
	case p == nil:
		t, err := s.tombstone(ctx, subject)
		if err != nil || t == nil || expired(t.ExpiresAt, s.Now()) {
			out, err := s.notFound(ctx, subject, t, err)
			return nil, out, err
		}
		return nil, Outcome{Verdict: InBin, Profile: t}, nil
	case expect != 0 && expect != p.Version:
		return nil, Outcome{Verdict: Conflict, Profile: p}, nil
	}
	return p, Outcome{}, nil
}

// notFound is the outcome where neither a profile nor a tombstone was found, read one
// after the other: a change between the two may have moved the one to where the other
// was looked for, so both are looked at together before it is said. An expired
// tombstone t needs no second look: no profile stands beside one.
func (s *Service) notFound(ctx context.Context, subject model.Subject, t *model.Profile, err error) (Outcome, error) {
	if err != nil || t != nil {
		return Outcome{Verdict: NotFound}, err
	}
	reply, err := s.waiter().commit(ctx, s.Store, []Action{
		{Key: keys.Metadata(subject), When: Condition{{Op: Free}}},
		{Key: keys.Tombstone(subject), When: Condition{{Op: Free}}},
	})
	if err == nil && reply.Answer == model.Refused {
		err = errMoved
	}
	return Outcome{Verdict: NotFound}, err
}

// Get reads a subject's profile; nil where there is none, where it was deleted, and
// where it has expired.
func (s *Service) Get(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	p, err := s.stored(ctx, subject)
	if err != nil || p == nil || expired(p.ExpiresAt, s.Now()) {
		return nil, err
	}
	return p, nil
}

// stored reads the profile, expired or not; nil where there is none.
func (s *Service) stored(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	return read(ctx, s.Store, keys.Metadata(subject), item.Profile)
}

// tombstone reads the tombstone, expired or not; nil where there is none.
func (s *Service) tombstone(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	return read(ctx, s.Store, keys.Tombstone(subject), item.Tombstone)
}

// read reads and decodes one item; nil where there is none.
func read[T any](ctx context.Context, store Store, k keys.Key, decode func(item.Item) (T, error)) (*T, error) {
	it, err := store.GetItem(ctx, k)
	if err != nil || it == nil {
		return nil, err
	}
	out, err := decode(it)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

func expired(expiresAt int64, now model.Time) bool {
	return expiresAt != 0 && expiresAt <= now.Seconds()
}

// without is attrs less those of a kind.
func without(attrs model.Attrs, kind model.ValueKind) model.Attrs {
	return slices.DeleteFunc(slices.Clone(attrs), func(a model.Attr) bool { return a.Value.Kind == kind })
}
