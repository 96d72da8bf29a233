package simulation

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var _ aggregate.SeriesStore = (*store)(nil)

// ReadItems reads entries of the list of series and purge locks, or, unless consistent, what they were some
// seconds ago.
func (s *store) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (items map[keys.Key]item.Item, err error) {
	from := s.replica.tableFor(ctx, consistent)
	r := simstream.Request{Verb: "reads the list of series",
		Keys: lists.Map(these, func(k keys.Key) string { return k.PK })}
	err = s.Read(ctx, r, func() (err error) {
		items, err = from.ReadItems(context.Background(), these, consistent)
		return err
	})
	return items, err
}

// GetItem reads a latest item.
func (s *store) GetItem(ctx context.Context, k keys.Key) (it item.Item, err error) {
	err = s.Read(ctx, simstream.Request{Verb: "reads the latest item", Keys: []string{k.PK}},
		func() (err error) {
			it, err = s.table.GetItem(context.Background(), k)
			return err
		})
	return it, err
}

// PutAll writes an entry of the list of series.
func (s *store) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	return s.write(ctx, simstream.Request{Verb: "lists a series", Keys: []string{puts[0].Item.Key().PK}},
		func() (storage.WriteResult, error) {
			return s.table.PutAll(context.Background(), puts)
		})
}

// PurgeLocked reads a purge lock.
func (s *store) PurgeLocked(ctx context.Context, subject model.Subject) (locked bool, err error) {
	err = s.Read(ctx, simstream.Request{Verb: "reads a purge lock",
		Keys: []string{tablekeys.PurgeLock(subject).PK}}, func() (err error) {
		locked, err = s.table.PurgeLocked(context.Background(), subject)
		return err
	})
	return locked, err
}
