package aggregate

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Groups may be by fields of the subject's profile. Then the group of a bucket is the one that the log of the
// profile's changes has at the start of the bucket: it is the same for every recount after the change was
// stored. A recount that read the log before may have used the group before the change. For that reason the
// record of the change recomputes the closed buckets from its time on; mostly there is none.

// MemberStore reads the logs of profiles. A store with kinds whose groups are by profiles must have it.
type MemberStore interface {
	// Memberships reads the log of a subject, strongly consistent; one without entries where there is none.
	Memberships(ctx context.Context, subject model.Subject) (storage.Memberships, error)
	// SubjectSeries reads one page of the entries of a subject in the list of series, strongly consistent.
	SubjectSeries(ctx context.Context, subject model.Subject, after string) (
		all []storage.ListedSeries, next string, err error)
}

func (a *Aggregator) members() (MemberStore, error) {
	store, ok := a.Store.(MemberStore)
	if !ok {
		return nil, fmt.Errorf("the store %T has no logs of profiles, which groups by profiles require", a.Store)
	}
	return store, nil
}

// move is a change of the groups of a subject.
type move struct {
	groups *storage.Memberships
	index  int // in the batch
}

// touchMoved adds the closed buckets of subjects that moved, from the time of the move on. An open bucket
// with events has an invalidation, and is recomputed when it has closed. Series that are not listed have no
// bucket that was recomputed, see listMembers.
func (a *Aggregator) touchMoved(ctx context.Context, c *chunk, all *results) {
	for _, m := range c.moves {
		if err := a.touchSubject(ctx, c, m); err != nil {
			all.fail(m.index, err)
		}
	}
}

func (a *Aggregator) touchSubject(ctx context.Context, c *chunk, m move) error {
	store, err := a.members()
	if err != nil {
		return err
	}
	for after := ""; ; {
		page, next, err := store.SubjectSeries(ctx, m.groups.Subject, after)
		if err != nil {
			return readError("read the series of "+m.groups.Subject.String(), err)
		}
		for _, l := range page {
			a.touchSeries(c, m, l)
		}
		if after = next; next == "" {
			return nil
		}
	}
}

func (a *Aggregator) touchSeries(c *chunk, m move, l storage.ListedSeries) {
	kind, found := a.Catalog.Kind(l.Series.Kind)
	if !found || !slices.ContainsFunc(kind.GroupKinds(), byProfile) {
		return
	}
	end := min(seenUnit(kind.Retention).BucketAt(l.Last).End, max(a.Now(), c.newest).Add(ClockMargin))
	unit := kind.Retention.Finest().Unit
	for start := unit.FirstStart(m.groups.Newest()); start < end; start = unit.BucketAt(start).End {
		for _, b := range c.addBuckets(m.index, kind, l.Series, start, 0) {
			b.alwaysWrite, b.repair = true, true
			b.addGroups(profileGroups(b.groupKinds(), m.groups.Before().At(start))...)
			b.addGroups(profileGroups(b.groupKinds(), m.groups.At(start))...)
		}
	}
}

// listMembers lists the series whose groups are by profiles, before a bucket of them is left to a sweep or
// recomputed. So a move of a subject that does not find a series in the list was in the log before that.
func (a *Aggregator) listMembers(ctx context.Context, c *chunk, limits Limits, all *results) {
	a.listAll(ctx, lists.Filter(c.seen, func(s *seen) bool {
		kind, found := a.Catalog.Kind(s.series.Kind)
		return found && slices.ContainsFunc(kind.GroupKinds(), byProfile)
	}), limits, all)
}

func byProfile(k *catalog.Kind) bool { return k.GroupByProfile }

// profileGroups returns the names of the groups, of some kinds, of a bucket at whose start the profile had
// some fields.
func profileGroups(kinds []*catalog.Kind, member model.Attrs) (names []string) {
	for _, g := range kinds {
		if id, ok := g.ProfileGroup(member); ok {
			names = append(names, storage.GroupName(g.Name, id))
		}
	}
	return names
}

// readMember reads what the profile had at the start of the bucket, if a group of its events depends on it.
func (r *recomputation) readMember(ctx context.Context) error {
	if !slices.ContainsFunc(r.bucket.groupKinds(), byProfile) {
		return nil
	}
	store, err := r.agg.members()
	if err != nil {
		return err
	}
	r.counts.Reads++
	log, err := store.Memberships(ctx, r.bucket.key.Series.Subject)
	if err != nil {
		return readError("read the groups of the profile", err)
	}
	if !r.agg.purged(&log) {
		r.member = log.At(r.bucket.interval.Start)
	}
	return nil
}

// purged reports whether a log has expired that a purge left. Events are accepted again when TTL has
// removed the purge lock, which expires after the log. TTL may not have removed the log yet, and clocks may
// be behind.
func (a *Aggregator) purged(log *storage.Memberships) bool {
	return log.ExpiresAt != 0 && log.ExpiresAt <= a.Now().Add(ClockMargin).Seconds()
}
