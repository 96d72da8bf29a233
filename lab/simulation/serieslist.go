package simulation

import (
	"context"

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

// SeriesEntry reads an entry of the list of series, or what it was some seconds ago.
func (s *store) SeriesEntry(ctx context.Context, series model.Series) (it item.Item, err error) {
	from := s.replica.tableFor(ctx, false)
	err = s.Read(ctx, simstream.Request{Verb: "reads the list of series", Keys: []string{tablekeys.SeriesEntry(series).PK}}, func() (err error) {
		it, err = from.SeriesEntry(context.Background(), series)
		return err
	})
	return it, err
}

// GetItem reads an entry of the list of series.
func (s *store) GetItem(ctx context.Context, k keys.Key) (it item.Item, err error) {
	err = s.Read(ctx, simstream.Request{Verb: "reads the list of series", Keys: []string{k.PK}}, func() (err error) {
		it, err = s.table.GetItem(context.Background(), k)
		return err
	})
	return it, err
}

// PutAll writes an entry of the list of series.
func (s *store) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	return s.write(ctx, simstream.Request{Verb: "lists a series", Keys: []string{puts[0].Item.Key().PK}}, func() (storage.WriteResult, error) {
		return s.table.PutAll(context.Background(), puts)
	})
}

// PurgeLocked reads a purge lock.
func (s *store) PurgeLocked(ctx context.Context, subject model.Subject) (locked bool, err error) {
	err = s.Read(ctx, simstream.Request{Verb: "reads a purge lock", Keys: []string{tablekeys.PurgeLock(subject).PK}}, func() (err error) {
		locked, err = s.table.PurgeLocked(context.Background(), subject)
		return err
	})
	return locked, err
}
