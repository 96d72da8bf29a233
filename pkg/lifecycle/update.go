package lifecycle

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Update sets the fields that patch names and leaves all others; a null field is removed.
// If expect is not 0 and the profile has another version, the outcome is Conflict.
// Concurrent updates of a profile are applied one after the other.
func (s *Service) Update(ctx context.Context, subject model.Subject, patch model.Attrs,
	expect int64) (Result, error) {
	spec := s.profile(subject.Type)
	a := validation{Service: s}
	a.checkSubject(subject)
	patch = a.checkAttrs(patch)
	if err := a.err(); err != nil {
		return Result{}, err
	}
	return s.execute(ctx, "update", subject,
		func(ctx context.Context, known sentinelState) (*change, Result, error) {
			old, out, err := s.readForChange(ctx, subject, expect)
			if old == nil {
				return nil, out, err
			}
			p := *old
			p.Attrs = withoutKind(old.Attrs.Union(patch), model.Null)
			if slices.Equal(p.Attrs, withoutKind(old.Attrs, model.Null)) {
				return nil, Result{Outcome: Unchanged, Profile: old}, nil
			}
			c, err := s.updated(ctx, &p, old, patch, &spec, known)
			return c, Result{}, err
		})
}

// updated returns the change that replaces old by p, whose attributes differ by patch. The error
// is model.FieldErrors if p is not valid.
func (s *Service) updated(ctx context.Context, p, old *model.Profile, patch model.Attrs,
	spec *catalog.Profile, known sentinelState) (*change, error) {
	a := validation{Service: s}
	a.checkProfile(p, spec)
	a.checkImmutable(p, old, spec)
	if err := a.err(); err != nil {
		return nil, err
	}
	if err := s.ensureGeneration(p); err != nil {
		return nil, err
	}
	p.Version, p.UpdatedAt = old.Version+1, s.now()
	c := &change{}
	c.addClaims(p, claims(p.Subject, spec, p.Attrs), known)
	it := item.FromProfile(p)
	setIndexKeys(it, p, spec)
	c.add(roleProfile, updateAction(it, unchangedProfile(old), patch, spec))
	c.addPurgeLockCheck(p.Subject)
	c.addVersion(p, model.ProfileUpdated, spec)
	if listed(p) != listed(old) {
		c.addListed(p)
	}
	c.result = Result{Outcome: Updated, Profile: p}
	return c, s.addMove(ctx, c, p, spec)
}

// managedAttrs are the attributes that every change of a profile sets.
var managedAttrs = []string{keys.AttrVersion, tablekeys.AttrUpdatedAt, tablekeys.AttrProfileVersion,
	tablekeys.AttrGeneration, tablekeys.AttrUnique}

// updateAction returns an update of the fields of patch, the managed attributes and the keys of the declared
// indexes. All other attributes of the stored item stay as they are. it is the profile after the change.
func updateAction(it item.Item, when itemop.Precondition, patch model.Attrs,
	spec *catalog.Profile) itemop.Action {
	a := itemop.Action{Key: it.Key(), Precondition: when, Set: item.Item{}}
	for _, f := range patch {
		setOrRemove(&a, it, f.Name)
	}
	for _, attr := range managedAttrs {
		setOrRemove(&a, it, attr)
	}
	for _, x := range spec.Indexes {
		pk, sk := item.IndexAttrs(x.Index)
		setOrRemove(&a, it, pk)
		setOrRemove(&a, it, sk)
	}
	return a
}

// setOrRemove makes the action set an attribute to its value in it, or remove the attribute if it lacks one.
func setOrRemove(a *itemop.Action, it item.Item, attr string) {
	if v, ok := it[attr]; ok {
		a.Set[attr] = v
	} else {
		a.Remove = append(a.Remove, attr)
	}
}
