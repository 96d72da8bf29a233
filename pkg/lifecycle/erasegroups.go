package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// leaveGroups removes the shares of the groups that the rows of a page name, and the name of the subject from
// the lists of the groups' rows. The rows of the groups are computed again for the events that the purge
// removes, whose records name the groups; sums of older events stay.
//
// Shares go before lists, and finer rows before coarser ones. So a recomputation of a group
// at the same time reads children without the subject, or loses the revision on which it writes. For that
// reason an absent row is written too, as an empty one: a recomputation that read it as absent starts over.
//
// The stream may lose the records of the removed events. So the purge notifies the groups itself, before it
// removes the rows of the page, which name them: also those whose shares are gone already, because a process
// that removed them may have stopped before it notified.
func (e *eraser) leaveGroups(ctx context.Context, page []item.Item) error {
	var groups []rollup.Key
	counted := map[rollup.Key]bool{} // by the first pass, which emptied the row that names them
	for _, it := range page {
		row, ok := item.RowOrBare(it)
		if ok && (!row.Empty || e.at.Step == storage.PurgeErased) {
			for _, group := range tablekeys.GroupRows(row.Key, row.Groups) {
				groups = append(groups, group)
				counted[group] = row.Empty
			}
			if slices.Contains(row.Groups, rollup.AllGroups) && !row.Empty {
				e.at.Count(classUnnamed, 1, 0)
			}
		}
	}
	refold, err := e.eraseShares(ctx, groups)
	if err != nil {
		return err
	}
	for _, group := range groups {
		folded, err := e.strikeMember(ctx, group, counted[group])
		if err != nil {
			return fmt.Errorf("remove the name from the %s of %s at %s: %w", group.Tier, group.Series,
				group.Start, err)
		}
		if folded {
			refold = append(refold, group)
		}
	}
	return e.notifyGroups(ctx, refold)
}

// eraseShares removes the subject's shares of buckets of groups, and returns these buckets. Only buckets that
// are folded from shares have any.
func (e *eraser) eraseShares(ctx context.Context, groups []rollup.Key) (had []rollup.Key, err error) {
	var stored []keys.Key
	for _, group := range groups {
		share := group
		share.Member = tablekeys.Member(e.at.Subject)
		it, err := e.Store.GetItem(ctx, tablekeys.Row(share))
		if err != nil {
			return nil, err
		}
		if it != nil {
			stored, had = append(stored, it.Key()), append(had, group)
		}
	}
	for batch := range slices.Chunk(stored, itemop.MaxBatchWrites) {
		if err := e.eraseKeys(ctx, batch); err != nil {
			return nil, err
		}
		e.at.Count(classShares, int64(len(batch)), 0)
	}
	return had, nil
}

// refoldEvery is the tick of the invalidations of groups: all that are put within one are one.
const refoldEvery = model.Time(5 * time.Minute / time.Millisecond)

// notifyGroups makes sure that the sweep of groups folds some buckets after now: it puts their invalidations,
// due at the end of the present tick. If the clock has passed that after the put, they are put again.
func (e *eraser) notifyGroups(ctx context.Context, buckets []rollup.Key) error {
	for some := range slices.Chunk(buckets, itemop.MaxItems) {
		for due := model.MinTime; e.now() >= due; {
			due = e.now() - e.now()%refoldEvery + refoldEvery
			put := map[keys.Key]itemop.Action{} // a transaction has each key once
			for _, key := range some {
				i := storage.Invalidation{Due: due, Key: key, Shard: storage.GroupShard}
				it := item.FromInvalidation(i)
				put[it.Key()] = itemop.Action{Key: it.Key(), Put: it}
			}
			if _, err := e.retrier().commit(ctx, e.Store, slices.Collect(maps.Values(put))); err != nil {
				return fmt.Errorf("notify the groups: %w", err)
			}
		}
	}
	return nil
}

var errRowChanges = errors.New("the row changed whenever it was read: the purge tries again")

// maxStrikes is how often a row is read again because another process wrote it meanwhile.
const maxStrikes = 10

// strikeMember writes the row of a group without the subject in its lists. It reports whether the row is one
// that is still folded: a sealed one keeps its sums.
func (e *eraser) strikeMember(ctx context.Context, key rollup.Key, counted bool) (folded bool, err error) {
	member := tablekeys.Member(e.at.Subject)
	for range maxStrikes {
		stored, err := e.Store.GetItem(ctx, tablekeys.Row(key))
		if err != nil {
			return false, err
		}
		row, err := e.groupRow(key, stored)
		switch {
		case errors.Is(err, item.ErrDamaged): // verify finds it, and a rebuild writes it again
			if !counted {
				e.at.Count(classUnread, 1, 0)
			}
			return false, nil
		case err != nil:
			return false, err
		}
		folded = stored != nil && !row.Empty && !item.SealedRow(&row, e.now())
		if stored != nil && (row.Summary == nil || !row.Summary.StrikeMember(member)) {
			return folded, nil
		}
		before := row.Rev
		if row.Rev, err = ids.Nonce(e.random()); err != nil {
			return false, err
		}
		row.WrittenAt = e.now()
		put, err := item.FromRow(&row)
		if err != nil {
			return false, err
		}
		got, err := e.retrier().commit(ctx, e.Store, []itemop.Action{
			{Key: put.Key(), Precondition: itemop.RevisionIs(before), Put: put},
		})
		if err != nil {
			return false, err
		}
		if got.Result == storage.Written {
			if stored != nil {
				e.at.Count(classLists, 1, 0)
			}
			return folded, e.throttle(ctx, 1)
		}
	}
	return false, errRowChanges
}

// groupRow returns the stored row of a group, or an empty row.
func (e *eraser) groupRow(key rollup.Key, stored item.Item) (rollup.Row, error) {
	if stored != nil {
		return item.Row(stored)
	}
	return e.emptyRow(key), nil
}

func (e *eraser) emptyRow(key rollup.Key) rollup.Row {
	return rollup.Row{Key: key, Fold: *rollup.NewFold(nil), V: item.Version, Empty: true,
		ExpiresAt: e.now().Add(tier.Day24).Seconds()}
}
