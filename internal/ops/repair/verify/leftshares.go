package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// This file recounts a group from the shares of its members, and finds shares that nothing of their members
// names: one that was left in the group that a member came from, or by a member that was purged. The recount
// of the member does not know of them. So the rows of the members are read for the shares of each bucket of a
// group, and a member is recounted whose row does not name the group.

// leftShares are the shares of a group whose members' rows do not name it.
type leftShares struct {
	items ItemReader
	of    *catalog.Kind // the kind of the members
	page  []rollup.Key  // shares whose members' rows are not read yet
	found []rollup.Key
}

// foldShares folds the shares of members into the buckets of a group that are folded from them and have a row
// or are noted.
func (r *recount) foldShares(ctx context.Context) error {
	r.newestShares = map[tier.Bucket]model.Time{}
	for level, t := range r.kind.Retention.Tiers {
		starts := slices.Collect(maps.Keys(r.stored[level]))
		for _, b := range r.buckets.of(r.series) {
			inSpan := r.span.From <= b.Start && b.End <= r.span.To
			if b.Unit == t.Unit && inSpan && r.stored[level][b.Start] == nil {
				starts = append(starts, b.Start)
			}
		}
		for _, start := range starts {
			b := t.Unit.BucketAt(start)
			if childLevel(r.kind.Retention, level, b) != eventLevel {
				continue
			}
			if err := r.foldBucket(ctx, level, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldBucket folds the shares of one bucket. Without a row and a share it expects nothing.
func (r *recount) foldBucket(ctx context.Context, level int, b tier.Bucket) error {
	fold := rollup.NewFold(r.rowSpec(level, b.Start))
	shares := paging.Items(func(after string) ([]rollup.Row, string, error) {
		page, err := r.store.Shares(ctx, r.key(level, b.Start), after)
		return page.Rows, page.Next, err
	})
	some := r.stored[level][b.Start] != nil
	for share, err := range shares {
		r.newestShares[b] = max(r.newestShares[b], share.WrittenAt)
		some = some || !share.Empty
		if err == nil {
			err = item.FoldRow(fold, &share)
		}
		if err == nil {
			err = r.members.add(ctx, r, &share)
		}
		if err != nil {
			return fmt.Errorf("read shares: %w", err)
		}
	}
	if some {
		r.expected[level][b.Start] = fold
	}
	r.events += int(fold.Summary.Events())
	return r.members.look(ctx, r)
}

// add adds a share. Only a share that can be recounted is compared; the name of a member that was shortened
// does not say which subject it is.
func (l *leftShares) add(ctx context.Context, r *recount, share *rollup.Row) error {
	if l == nil || share.Empty || isSealed(share, r.now) {
		return nil
	}
	if _, whole := tablekeys.ParseMember(share.Key.Member); !whole {
		return nil
	}
	if l.page = append(l.page, share.Key); len(l.page) < itemop.MaxBatchReads {
		return nil
	}
	return l.look(ctx, r)
}

// memberRow returns the key of the row of a share's member.
func (l *leftShares) memberRow(share rollup.Key) rollup.Key {
	member, _ := tablekeys.ParseMember(share.Member)
	return rollup.Key{Tier: share.Tier, Start: share.Start,
		Series: model.Series{Subject: member, Kind: l.of.Name, Stream: share.Series.Stream}}
}

// look reads the rows of the members of the page.
func (l *leftShares) look(ctx context.Context, r *recount) error {
	if l == nil || len(l.page) == 0 {
		return nil
	}
	rows := make([]keys.Key, len(l.page))
	for i, share := range l.page {
		rows[i] = tablekeys.Row(l.memberRow(share))
	}
	items, err := readItems(ctx, l.items, rows, false)
	if err != nil {
		return fmt.Errorf("read rows of members: %w", err)
	}
	for i, share := range l.page {
		name := storage.GroupName(share.Series.Kind, share.Series.Subject.ID)
		it := items[rows[i]]
		if it != nil {
			row, _ := item.RowOrBare(it) // the requested key is a row's
			if slices.Contains(row.Groups, name) {
				continue
			}
		}
		l.found = append(l.found, share)
	}
	l.page = l.page[:0]
	return nil
}

// findLeft recounts the members of the shares of a group that may be left.
func (c counter) findLeft(ctx context.Context, one *recount) (all []found, err error) {
	if one.members == nil {
		return nil, nil
	}
	for _, share := range one.members.found {
		f, err := c.recountLeft(ctx, one.members, share)
		if err != nil {
			return nil, err
		}
		if f != nil {
			all = append(all, *f)
		}
	}
	return all, nil
}

// recountLeft recounts the member of a share until nothing of it changes meanwhile. It returns nil if the
// share is right, or cannot be judged.
func (c counter) recountLeft(ctx context.Context, l *leftShares, share rollup.Key) (*found, error) {
	unit, err := tier.ParseUnit(share.Tier)
	if err != nil {
		return nil, err
	}
	b := unit.BucketAt(share.Start)
	c.left, c.consistent = share, true
	var last *found
	for range confirmations {
		one, findings, err := c.recount(ctx, l.of, l.memberRow(share).Series, Span{b.Start, b.End})
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(findings, func(f found) bool { return f.Key == share && f.wrong() })
		if at < 0 {
			return nil, nil
		}
		last = &findings[at]
		changed, err := one.changed(ctx)
		if err != nil {
			return nil, err
		}
		if !changed {
			return last, c.excuseShares(ctx, one, findings[at:at+1])
		}
	}
	last.Status = Busy
	return last, nil
}
