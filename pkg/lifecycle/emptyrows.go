package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// emptyRows replaces the rollups of a page that name groups by empty ones, which name them still. It returns
// how many they are, and the other items.
//
// An aggregation that read an event before the purge removed it may write shares between the look at the
// shares and the removal of the row that names them, and leave the row as it is. If the table stream loses
// the record of the event, nothing else names these shares. The second pass finds them by the empty row, and
// removes it: by then these aggregations have ended.
func (e *eraser) emptyRows(ctx context.Context, c itemClass, page []item.Item) (
	emptied int, others []item.Item, err error) {
	for _, it := range page {
		row, ok := item.RowOrBare(it)
		switch {
		case !ok || len(row.Groups) == 0:
			others = append(others, it)
			continue
		case row.Empty && e.at.Step == storage.PurgeErased:
			if err := e.eraseKeys(ctx, []keys.Key{it.Key()}); err != nil {
				return emptied, nil, err
			}
			continue
		case !c.matches(it):
			continue
		}
		replaced, err := e.replaceRow(ctx, row)
		if err != nil {
			return emptied, nil, err
		}
		if replaced {
			e.at.Count(c.name, 1, int64(it.Size()))
			emptied++
		}
	}
	return emptied, others, nil
}

// replaceRow writes an empty row in the place of one whose groups the subject has left. If another process
// wrote the row meanwhile, the subject leaves the groups of that one, too. It reports whether it wrote.
func (e *eraser) replaceRow(ctx context.Context, row rollup.Row) (bool, error) {
	for range maxStrikes {
		empty := e.emptyRow(row.Key)
		empty.Groups, empty.WrittenAt = row.Groups, e.now()
		var err error
		if empty.Rev, err = ids.Nonce(e.random()); err != nil {
			return false, err
		}
		put, err := item.FromRow(&empty)
		if err != nil {
			return false, err
		}
		got, err := e.retrier().commit(ctx, e.Store, []itemop.Action{
			{Key: put.Key(), Precondition: itemop.RevisionIs(row.Rev), Put: put},
		})
		if err != nil {
			return false, err
		}
		if got.Result == storage.Written {
			return true, e.throttle(ctx, 1)
		}
		stored, err := e.Store.GetItem(ctx, tablekeys.Row(row.Key))
		if err != nil || stored == nil {
			return false, err
		}
		if err := e.leaveGroups(ctx, []item.Item{stored}); err != nil {
			return false, err
		}
		row, _ = item.RowOrBare(stored)
		if row.Empty {
			return false, nil
		}
	}
	return false, errRowChanges
}
