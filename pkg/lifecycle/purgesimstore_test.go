package lifecycle_test

import (
	"context"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// simStore is the table in memory, as the simulated processes use it: each request takes
// simulated time and may have faults, and each change goes to the simulated table stream.
type simStore struct {
	*purgeSim
	*memory.Table
}

var (
	_ lifecycle.Store  = (*simStore)(nil)
	_ lifecycle.Eraser = (*simStore)(nil)
)

// reading sends a read.
func reading[T any](ctx context.Context, s *simStore, verb, pk string,
	do func() (T, error)) (out T, err error) {
	err = s.Read(ctx, simstream.Request{Verb: verb + " " + pk, Keys: []string{pk}}, func() (err error) {
		out, err = do()
		return err
	})
	return out, err
}

// writing sends a write. If its response is lost, so is the value that the table returned.
func writing[T any](ctx context.Context, s *simStore, verb, pk string,
	do func() (T, storage.WriteResult, error)) (out T, _ storage.WriteResult, _ error) {
	who := s.Who(ctx)
	var value T
	var stored storage.WriteResult
	result, err := s.Write(ctx, simstream.Request{Verb: verb + " " + pk, Keys: []string{pk}},
		func() (storage.WriteResult, error) {
			var err error
			value, stored, err = do()
			s.emit(who)
			return stored, err
		})
	if result == stored {
		out = value
	}
	return out, result, err
}

func (s *simStore) Row(ctx context.Context, k rollup.Key) (*rollup.Row, error) {
	return reading(ctx, s, "reads row of", keys.Row(k).PK, func() (*rollup.Row, error) {
		return s.Table.Row(context.Background(), k)
	})
}

func (s *simStore) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	return reading(ctx, s, "reads events of", keys.Partition(r.Series), func() (storage.EventPage, error) {
		return s.Table.Events(context.Background(), r)
	})
}

func (s *simStore) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	return reading(ctx, s, "reads rows of", keys.Partition(r.Series), func() (rollup.RowPage, error) {
		return s.Table.Rows(context.Background(), u, r)
	})
}

func (s *simStore) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	return reading(ctx, s, "reads", k.PK+" "+k.SK, func() (item.Item, error) {
		return s.Table.GetItem(context.Background(), k)
	})
}

func (s *simStore) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	return reading(ctx, s, "lists", l.Partition+" "+l.Prefix, func() (itemop.ListPage, error) {
		return s.Table.List(context.Background(), l)
	})
}

func (s *simStore) PurgeLocked(ctx context.Context, subject model.Subject) (bool, error) {
	return reading(ctx, s, "reads the purge lock of", subject.ID, func() (bool, error) {
		return s.Table.PurgeLocked(context.Background(), subject)
	})
}

func (s *simStore) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	kept := *row // a delayed write must store the row as it was sent
	_, result, err := writing(ctx, s, "writes row of", keys.Row(row.Key).PK,
		func() (struct{}, storage.WriteResult, error) {
			result, err := s.Table.PutRow(context.Background(), &kept, prev)
			return struct{}{}, result, err
		})
	return result, err
}

func (s *simStore) Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error) {
	_, result, err := writing(ctx, s, "quarantines", q.ID, func() (struct{}, storage.WriteResult, error) {
		result, err := s.Table.Quarantine(context.Background(), q)
		return struct{}{}, result, err
	})
	return result, err
}

func (s *simStore) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	got, result, err := writing(ctx, s, "appends to", appendedTo(tx),
		func() (storage.StoreResult, storage.WriteResult, error) {
			got, err := s.Table.Append(context.Background(), tx)
			return got, got.Result, err
		})
	got.Result = result
	return got, err
}

// appendedTo returns the partition of a transaction, which may only check that an event is still absent.
func appendedTo(tx storage.AppendTransaction) string {
	if len(tx.Puts) == 0 {
		return keys.Partition(tx.Absent[0].Series)
	}
	return keys.Partition(tx.Puts[0].Series)
}

func (s *simStore) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	got, result, err := writing(ctx, s, "puts into", keys.Partition(e.Series),
		func() (storage.StoreResult, storage.WriteResult, error) {
			got, err := s.Table.Put(context.Background(), e)
			return got, got.Result, err
		})
	got.Result = result
	return got, err
}

func (s *simStore) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	if _, locks := tx.Actions[0].Set[tablekeys.AttrPurgeLock]; locks && s.variant.noSeriesLocks {
		return itemop.TransactResult{}, nil
	}
	got, result, err := writing(ctx, s, "commits "+strconv.Itoa(len(tx.Actions))+" to", tx.Actions[0].Key.PK,
		func() (itemop.TransactResult, storage.WriteResult, error) {
			got, err := s.Table.Commit(context.Background(), tx)
			return got, got.Result, err
		})
	got.Result = result
	return got, err
}

func (s *simStore) Erase(ctx context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	if s.variant.oneErasure && s.erasures() > 1 {
		return nil, storage.Written, nil
	}
	left, result, err := writing(ctx, s, "erases "+strconv.Itoa(len(items))+" of", items[0].PK,
		func() ([]keys.Key, storage.WriteResult, error) {
			return s.Table.Erase(context.Background(), items)
		})
	if result != storage.Written {
		left = items
	}
	return left, result, err
}

// erasures returns which erasure the purge runs: 1 or 2.
func (s *simStore) erasures() int {
	it, err := s.Table.GetItem(context.Background(), tablekeys.Purge(alice))
	p, decodeErr := item.Purge(it)
	if err == nil && decodeErr == nil && p.Step == storage.PurgeErased {
		return 2
	}
	return 1
}

// emit sends the changes since the last call to the table stream, and schedules TTL.
func (s *simStore) emit(who string) {
	for _, r := range s.Table.Records(s.seen) {
		s.seen = r.Seq
		name := r.Keys.PK + " " + r.Keys.SK
		change := simstream.Change{
			Partition: r.Keys.PK, Item: name, Old: r.Old, New: r.New, Expired: r.Service,
			Keys: item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}},
		}
		s.Logf(who, "%s", &change)
		s.Stream.Append(change)
		at, err := strconv.ParseInt(r.New[keys.AttrExpiresAt].S, 10, 64)
		if lock := r.Keys.SK == tablekeys.ClassPurgeLock; err != nil || !lock && !r.New[tablekeys.AttrEmpty].Bool {
			continue // these histories do not expire events and their rollups
		}
		k := r.Keys
		s.Sim.Expire(name, at, func() {
			if s.Table.ExpireWhere(s.Now(), func(x keys.Key) bool { return x == k }) > 0 {
				s.emit("TTL:")
			}
		})
	}
}

func (s *simStore) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	_, result, err := writing(ctx, s, "lists", puts[0].Item.Key().SK,
		func() (struct{}, storage.WriteResult, error) {
			result, err := s.Table.PutAll(context.Background(), puts)
			return struct{}{}, result, err
		})
	return result, err
}
