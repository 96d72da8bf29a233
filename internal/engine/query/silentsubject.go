package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// counts reports whether events of a kind end the silence of a subject.
func (q Silent) counts(kind string) bool { return q.Kind == "" || q.Kind == kind }

// groups reports whether the newest event of a kind names the group of its subject.
func (q Silent) groups(kind string) bool {
	return q.By != nil && !q.By.GroupByProfile && q.By.GroupsOf == kind
}

// mayBeSilent reports whether the hours of the list leave open that the subject is silent: each began too
// long ago, or an event in it was deleted.
func (l listedSubject) mayBeSilent(q Silent) bool {
	if q.For == 0 {
		return false // only members are counted
	}
	for _, one := range l.series {
		if q.counts(one.Series.Kind) && one.Last > q.lastSeenBefore() && one.NewestInLast() {
			return false
		}
	}
	return true
}

// silentSubject reads the newest events of a subject that decide whether it is silent, and the one that names
// its group. It returns nil if the subject is not silent, unless all members are requested.
func (s *Service) silentSubject(ctx context.Context, q Silent, l listedSubject) (*SilentSubject, error) {
	one := SilentSubject{Subject: l.subject, Active: !l.mayBeSilent(q)}
	grouped := model.MinTime // the newest event of the group's kind
	for _, listed := range l.series {
		kind := listed.Series.Kind
		undecided := !one.Active && q.counts(kind)
		if !undecided && !q.groups(kind) {
			continue
		}
		newest, known, err := s.newestEvent(ctx, q, listed)
		if err != nil {
			return nil, err
		}
		at := listed.Last
		if newest != nil {
			at = newest.At
		}
		if q.groups(kind) && at >= grouped {
			one.Group, grouped = eventGroup(q, newest), at
		}
		switch {
		case undecided && known && newest == nil && !listed.NewestInLast():
			one.Removed = true
		case undecided:
			one.seen(q, listed, at, newest == nil || !known)
		}
		if one.Active && !q.Members {
			return nil, nil
		}
	}
	if one.Active {
		one = SilentSubject{Subject: l.subject, Active: true, Group: one.Group}
	}
	one.Removed = one.Removed && one.LastSeen == nil && !one.Active
	return &one, s.addProfileGroup(ctx, q, &one)
}

// seen adds the newest event of a series, at a time that is rounded if the list alone knows it.
func (one *SilentSubject) seen(q Silent, listed storage.ListedSeries, at model.Time, rounded bool) {
	one.Active = at > q.lastSeenBefore()
	if one.LastSeen == nil || at > *one.LastSeen {
		one.LastSeen = &at
		one.Rounded = rounded
		one.Newest = listed.Series
	}
}

// eventGroup returns the group of a subject by its newest event; nil is one that is not stored any more.
func eventGroup(q Silent, newest *model.Event) MemberGroup {
	if newest == nil || newest.Unreadable {
		return MemberGroup{Unknown: true}
	}
	id, _ := q.By.GroupID(newest, nil)
	return MemberGroup{ID: id}
}

// addProfileGroup adds the group that a subject is in by the log of its profile: where it counts from the
// next bucket on.
func (s *Service) addProfileGroup(ctx context.Context, q Silent, one *SilentSubject) error {
	if q.By == nil || !q.By.GroupByProfile {
		return nil
	}
	log, err := s.Store.Memberships(ctx, one.Subject)
	if err == nil && !expired(log.ExpiresAt, s.Now()) {
		one.Group.ID, _ = q.By.ProfileGroup(log.At(model.MaxTime))
	}
	return err
}
