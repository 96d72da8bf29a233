package aggregate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The share of a member in a bucket of a group is a row: the fold of the member's events of the bucket that
// count in the group. It is written by the recomputation of the member's own bucket, between the read of
// that row and its write. The group's row is folded from the shares by the sweep of groups alone.

// ShareStore reads shares. A store with kinds of groups must have it; shares are written as rows are.
type ShareStore interface {
	// Shares reads one page of the shares of a group's bucket, strongly consistent.
	Shares(ctx context.Context, bucket rollup.Key, after string) (rollup.RowPage, error)
}

// groupNames are names of groups, as storage.GroupName makes them.
type groupNames map[string]bool

func (g groupNames) sorted() []string { return slices.Sorted(maps.Keys(g)) }

func (b *dirtyBucket) groupKinds() []*catalog.Kind {
	return queue.GroupKinds(b.kind, b.level, b.interval)
}

// nameGroups adds the groups that the images of a change name. An image that is not known names none: the row
// remembers the groups that its events had.
func (b *dirtyBucket) nameGroups(change *storage.Change) {
	if kinds := b.groupKinds(); len(kinds) > 0 {
		b.addGroups(queue.GroupNames(kinds, change.Before, change.After)...)
	}
}

func (b *dirtyBucket) addGroups(names ...string) {
	if b.groups == nil && len(names) > 0 {
		b.groups = groupNames{}
	}
	for _, name := range names {
		b.groups[name] = true
	}
}

// foldsShares reports whether the bucket is a group's, and folded from the shares of its members.
func (b *dirtyBucket) foldsShares() bool {
	return b.kind.GroupsOf != "" && b.kind.Retention.ChildLevel(b.level, b.interval) < 0
}

func (r *recomputation) sharePage(fold *rollup.Fold) readPage {
	return func(ctx context.Context, pages storage.Range) (string, error) {
		store, ok := r.agg.Store.(ShareStore)
		if !ok {
			return "", fmt.Errorf("the store %T has no shares, which groups require", r.agg.Store)
		}
		page, err := store.Shares(ctx, r.bucket.key, pages.After)
		if err != nil {
			return "", readError("read shares", err)
		}
		for i := range page.Rows {
			if err := item.FoldRow(fold, &page.Rows[i]); err != nil {
				return "", err
			}
		}
		return page.Next, nil
	}
}

// groupFold folds the events of a bucket by group.
type groupFold struct {
	kind  *catalog.Kind
	folds map[string]*rollup.Fold // by id
	rest  bool                    // events count in no group
}

// addToGroups returns what adds an event to a fold and to the folds of its groups.
func (r *recomputation) addToGroups(fold *rollup.Fold) (add func(*model.Event), all []*groupFold) {
	for _, g := range r.bucket.groupKinds() {
		all = append(all, &groupFold{kind: g, folds: map[string]*rollup.Fold{}})
	}
	return func(e *model.Event) {
		fold.AddEvent(e)
		for _, g := range all {
			id, ok := g.kind.GroupID(e, r.member)
			if !ok {
				g.rest = true
				continue
			}
			if g.folds[id] == nil {
				g.folds[id] = rollup.NewFold(g.kind.Spec())
			}
			g.folds[id].AddEvent(e)
		}
	}, all
}

// groupsOfRow returns what a row remembers: the names of the groups, and where events count in no group of a
// kind, also the name of its group without an id, which has no share.
func groupsOfRow(named map[string]*rollup.Fold, all []*groupFold) []string {
	names := slices.Collect(maps.Keys(named))
	for _, g := range all {
		if g.rest {
			names = append(names, storage.GroupName(g.kind.Name, ""))
		}
	}
	slices.Sort(names)
	return names
}

// byName returns the folds by the names of their groups. Of more than reserved.MaxGroups, the last ones in
// byte order are one fold of reserved.OtherGroup.
func byName(all []*groupFold) map[string]*rollup.Fold {
	named := map[string]*rollup.Fold{}
	for _, g := range all {
		for n, id := range slices.Sorted(maps.Keys(g.folds)) {
			name := storage.GroupName(g.kind.Name, id)
			if n >= reserved.MaxGroups {
				name = storage.GroupName(g.kind.Name, reserved.OtherGroup)
			}
			if named[name] == nil {
				named[name] = rollup.NewFold(g.kind.Spec())
			}
			named[name].AddRow(&rollup.Row{Fold: *g.folds[id]})
		}
	}
	return named
}

// share is a group of a bucket with the stored share; nil if none is stored.
type share struct {
	kind *catalog.Kind
	key  rollup.Key
	old  *rollup.Row
}

// readShares reads the share of each group that a change names, that the row remembers, or that the profile
// is in: their revisions, before the children. A group of a kind that is not declared any more, or that
// begins later, has none.
func (r *recomputation) readShares(ctx context.Context, row *rollup.Row) error {
	r.shares = nil
	kinds := r.bucket.groupKinds()
	if len(kinds) == 0 || r.bucket.options.DryRun {
		return nil
	}
	if row != nil {
		r.bucket.addGroups(row.Groups...)
	}
	if err := r.readMember(ctx); err != nil {
		return err
	}
	r.bucket.addGroups(profileGroups(kinds, r.member)...)
	r.shares = map[string]share{}
	for _, name := range r.bucket.groups.sorted() {
		kindName, id, err := storage.ParseGroupName(name)
		at := slices.IndexFunc(kinds, func(k *catalog.Kind) bool { return k.Name == kindName })
		if err != nil || at < 0 || id == "" {
			continue
		}
		s := share{kind: kinds[at], key: queue.RowKey(kinds[at].GroupSeries(id, r.bucket.key.Series),
			r.bucket.interval)}
		s.key.Member = tablekeys.Member(r.bucket.key.Series.Subject)
		if s.old, err = r.readRow(ctx, s.key); err != nil {
			return err
		}
		r.shares[name] = s
	}
	return nil
}

// errNewGroup is the error of an attempt that found events in a group whose share it had not read.
var errNewGroup = fmt.Errorf("%w: events are in a group that was not known", errTransient)

// checkGroups returns errNewGroup unless the share of every group of the children was read before them. The
// group is known to the next attempt.
func (r *recomputation) checkGroups() error {
	if r.bucket.options.DryRun {
		return nil
	}
	for name := range r.groupFolds {
		if _, known := r.shares[name]; !known {
			r.bucket.addGroups(slices.Collect(maps.Keys(r.groupFolds))...)
			return errNewGroup
		}
	}
	return nil
}

// writeShares writes the shares of a bucket whose row will be written with a fold: each is exact if the row
// is, and they are sealed together. Unchanged shares are left for the reason, and on the condition, of
// writeIfChanged.
func (r *recomputation) writeShares(ctx context.Context, row *rollup.Fold) (storage.WriteResult, error) {
	for _, name := range slices.Sorted(maps.Keys(r.shares)) {
		s := r.shares[name]
		if exists(s.old) && item.SealedRow(s.old, r.agg.Now()) {
			if result, err := r.markShare(ctx, s); err != nil || result != storage.Written {
				return result, err
			}
			continue
		}
		fold := r.groupFolds[name]
		if fold == nil {
			fold = rollup.NewFold(s.kind.Spec())
		}
		fold.Exact = fold.Exact && row.Exact
		if !isEmpty(fold) {
			fold.ChildrenExpireAt = row.ChildrenExpireAt
		}
		next := r.newShare(s, fold)
		same := next.Empty != exists(s.old) && (next.Empty || s.old.Covers(&next.Fold) &&
			s.old.FieldsAt >= next.FieldsAt)
		if same && !r.bucket.alwaysWrite {
			continue
		}
		r.counts.Shares++
		if result, err := r.put(ctx, s.old, next); err != nil || result != storage.Written {
			return result, err
		}
	}
	return storage.Written, nil
}

// newShare returns the share that stores fold.
func (r *recomputation) newShare(s share, fold *rollup.Fold) *rollup.Row {
	now := r.agg.Now()
	row := &rollup.Row{Key: s.key, Fold: *fold, V: item.Version, WrittenAt: now}
	if isEmpty(fold) {
		row.Empty = true
		row.ExpiresAt = now.Add(tier.Day24).Seconds()
		return row
	}
	row.ExpiresAt = tier.Tier{Retention: s.kind.Retention.Raw}.ExpiresAt(r.bucket.interval, now)
	Fit(row, s.kind.Spec())
	return row
}
