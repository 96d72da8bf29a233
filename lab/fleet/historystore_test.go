package fleet

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// purging is the table as the purger uses it: other processes act between its requests, and it is stopped.
type purging struct {
	*memory.Table
	w *history
}

func (s purging) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	if err := s.w.interrupt("purge"); err != nil {
		return nil, err
	}
	return s.Table.GetItem(ctx, k)
}

func (s purging) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	if err := s.w.interrupt("purge"); err != nil {
		return itemop.ListPage{}, err
	}
	return s.Table.List(ctx, l)
}

func (s purging) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	if err := s.w.interrupt("purge"); err != nil {
		return itemop.TransactResult{}, err
	}
	if s.w.dropNotices && strings.HasPrefix(tx.Actions[0].Key.PK, tablekeys.ClassInvalidation) {
		return itemop.TransactResult{Result: storage.Written}, nil
	}
	return s.Table.Commit(ctx, tx)
}

func (s purging) Erase(ctx context.Context, all []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	if err := s.w.interrupt("purge"); err != nil {
		return nil, 0, err
	}
	return s.Table.Erase(ctx, all)
}

// aggregating is the table as the aggregator uses it, with the same interruptions.
type aggregating struct {
	*memory.Table
	w *history
}

func (s aggregating) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if err := s.w.interrupt("aggregate"); err != nil {
		return nil, err
	}
	return s.Table.Row(ctx, key)
}

func (s aggregating) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := s.w.interrupt("aggregate"); err != nil {
		return storage.EventPage{}, err
	}
	return s.Table.Events(ctx, r)
}

func (s aggregating) Shares(ctx context.Context, bucket rollup.Key, after string) (rollup.RowPage, error) {
	if err := s.w.interrupt("aggregate"); err != nil {
		return rollup.RowPage{}, err
	}
	return s.Table.Shares(ctx, bucket, after)
}

func (s aggregating) Memberships(ctx context.Context, subject model.Subject) (storage.Memberships, error) {
	if err := s.w.interrupt("aggregate"); err != nil {
		return storage.Memberships{}, err
	}
	return s.Table.Memberships(ctx, subject)
}

func (s aggregating) PutRow(
	ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if err := s.w.interrupt("aggregate"); err != nil {
		return s.kill(ctx)
	}
	return s.Table.PutRow(ctx, row, prev)
}

// PutInvalidations is stopped between a share and the notice of its group, too.
func (s aggregating) PutInvalidations(ctx context.Context, these []storage.Invalidation) (
	[]storage.Invalidation, storage.WriteResult, error) {
	if err := s.w.interrupt("aggregate"); err != nil {
		result, err := s.kill(ctx)
		return these, result, err
	}
	return s.Table.PutInvalidations(ctx, these)
}

// kill ends the invocation at a write. An error of a write alone says that repeating it does not help.
func (s aggregating) kill(ctx context.Context) (storage.WriteResult, error) {
	s.w.stop()
	return storage.Unknown, ctx.Err()
}

// bodyKeys returns the partition key of a record of the table stream.
func bodyKeys(body []byte) []string {
	var record struct {
		DynamoDB struct {
			Keys map[string]struct{ S string }
		} `json:"dynamodb"`
	}
	if json.Unmarshal(body, &record) != nil {
		return nil
	}
	return []string{record.DynamoDB.Keys[keys.AttrPK].S}
}
