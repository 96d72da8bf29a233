package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
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
func (e *eraser) leaveGroups(ctx context.Context, page []item.Item) error {
	var groups []rollup.Key
	for _, it := range page {
		if row, ok := item.RowOrBare(it); ok {
			groups = append(groups, tablekeys.GroupRows(row.Key, row.Groups)...)
			if slices.Contains(row.Groups, rollup.AllGroups) {
				e.at.Count(classUnnamed, 1, 0)
			}
		}
	}
	if err := e.eraseShares(ctx, groups); err != nil {
		return err
	}
	for _, group := range groups {
		if err := e.strikeMember(ctx, group); err != nil {
			return fmt.Errorf("remove the name from the %s of %s at %s: %w", group.Tier, group.Series,
				group.Start, err)
		}
	}
	return nil
}

// eraseShares removes the subject's shares of buckets of groups. Only buckets that are folded from shares
// have any.
func (e *eraser) eraseShares(ctx context.Context, groups []rollup.Key) error {
	var stored []keys.Key
	for _, group := range groups {
		group.Member = tablekeys.Member(e.at.Subject)
		share, err := e.Store.GetItem(ctx, tablekeys.Row(group))
		if err != nil {
			return err
		}
		if share != nil {
			stored = append(stored, tablekeys.Row(group))
		}
	}
	for batch := range slices.Chunk(stored, itemop.MaxBatchWrites) {
		if err := e.eraseKeys(ctx, batch); err != nil {
			return err
		}
		e.at.Count(classShares, int64(len(batch)), 0)
	}
	return nil
}

// maxStrikes is how often a row is read again because another process wrote it meanwhile.
const maxStrikes = 10

// strikeMember writes the row of a group without the subject in its lists.
func (e *eraser) strikeMember(ctx context.Context, key rollup.Key) error {
	member := tablekeys.Member(e.at.Subject)
	for range maxStrikes {
		stored, err := e.Store.GetItem(ctx, tablekeys.Row(key))
		if err != nil {
			return err
		}
		row, err := e.groupRow(key, stored)
		switch {
		case errors.Is(err, item.ErrDamaged): // verify finds it, and a rebuild writes it again
			e.at.Count(classUnread, 1, 0)
			return nil
		case err != nil:
			return err
		case stored != nil && (row.Summary == nil || !row.Summary.StrikeMember(member)):
			return nil
		}
		before := row.Rev
		if row.Rev, err = ids.Nonce(e.random()); err != nil {
			return err
		}
		row.WrittenAt = e.now()
		put, err := item.FromRow(&row)
		if err != nil {
			return err
		}
		got, err := e.retrier().commit(ctx, e.Store, []itemop.Action{
			{Key: put.Key(), Precondition: itemop.RevisionIs(before), Put: put},
		})
		if err != nil {
			return err
		}
		if got.Result == storage.Written {
			if stored != nil {
				e.at.Count(classLists, 1, 0)
			}
			return e.throttle(ctx, 1)
		}
	}
	return errors.New("the row changed whenever it was read: the purge tries again")
}

// groupRow returns the stored row of a group, or an empty row.
func (e *eraser) groupRow(key rollup.Key, stored item.Item) (rollup.Row, error) {
	if stored != nil {
		return item.Row(stored)
	}
	return rollup.Row{Key: key, Fold: *rollup.NewFold(nil), V: item.Version, Empty: true,
		ExpiresAt: e.now().Add(tier.Day24).Seconds()}, nil
}
