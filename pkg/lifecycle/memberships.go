package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// codeMovedTooOften is the code of a field that groups are by, of which no further change can be stored.
const codeMovedTooOften = "moved-too-often"

// addMove adds the change of a subject's groups with the change of its profile to p. The log is written on
// condition that it is as it was read. The profile's own condition is not enough: a profile that was absent
// when it was read may have been created and removed since.
func (s *Service) addMove(ctx context.Context, c *change, p *model.Profile, spec *catalog.Profile) error {
	stored, next, err := s.moved(ctx, p, spec)
	if err == nil && next != nil {
		it := item.FromMemberships(next)
		c.add(roleGroups, itemop.Action{Key: it.Key(), Precondition: itemop.MembershipsAre(stored), Put: it})
	}
	return err
}

// moved returns the stored log, nil if there is none, and the log after a change to p, nil if it stays as it
// is.
func (s *Service) moved(ctx context.Context, p *model.Profile, spec *catalog.Profile) (
	stored, next *storage.Memberships, _ error) {
	if len(spec.GroupFields) == 0 {
		return nil, nil, nil
	}
	stored, err := read(ctx, s.Store, tablekeys.Memberships(p.Subject), item.Memberships)
	if err != nil {
		return nil, nil, err
	}
	log := stored
	// A log that expires was left by a purge, whose lock is gone when a change is stored: it is no log of the
	// next generation, even if this clock is behind.
	if log == nil || log.ExpiresAt != 0 {
		log = &storage.Memberships{Subject: p.Subject}
	}
	var fields model.Attrs
	if p.DeletedAt == 0 {
		fields = p.Attrs
	}
	next, moved, err := log.Moved(spec.GroupFields, fields, s.now(), spec.GroupsFor)
	switch {
	case errors.Is(err, storage.ErrMembershipsFull):
		a := validation{Service: s}
		a.addError(spec.GroupFields[0], codeMovedTooOften,
			"%v (%s): wait until events from before the earliest of these changes have expired, or group by a "+
				"field of the events", err, strings.Join(spec.GroupFields, ", "))
		return nil, nil, a.err()
	case err != nil || !moved:
		return stored, nil, err
	}
	return stored, next, nil
}

// expireMemberships lets the log of a subject's groups expire as long after each pass as its purge lock does.
// The records of the events that the pass removes are processed with it: it says which shares they leave.
func (p *Purger) expireMemberships(ctx context.Context, at *storage.Purge) error {
	for range changes {
		m, err := read(ctx, p.Store, tablekeys.Memberships(at.Subject), item.Memberships)
		if err != nil || m == nil {
			return err
		}
		first := m.ExpiresAt == 0
		m.ExpiresAt = p.now().Add(p.timing().Lock).Seconds()
		it := item.FromMemberships(m)
		got, err := p.retrier().commit(ctx, p.Store,
			[]itemop.Action{{Key: it.Key(), Precondition: itemop.MembershipsAre(m), Put: it}})
		if err != nil {
			return err
		}
		if got.Result == storage.Written {
			if first {
				at.Count(classMemberships, 1, int64(it.Size()))
			}
			return nil
		}
	}
	return fmt.Errorf("the log of the groups of %s changed whenever it was read", at.Subject)
}

// changes is how often a log is read again because its profile changed meanwhile: few changes began before
// the purge lock.
const changes = 10
