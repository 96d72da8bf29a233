package linear

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// store is the table in memory behind simulated requests: each takes time and may fail, and each
// change goes to the simulated table stream. Methods that it does not define are not used here.
type store struct {
	*memory.Table
	world *world
	seen  uint64 // last record that went to the table stream
}

var (
	_ aggregate.Store             = (*store)(nil)
	_ aggregate.InvalidationStore = (*store)(nil)
	_ query.Store                 = (*store)(nil)
)

// Append sends one transaction.
func (s *store) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if s.world.variant.append != nil {
		if result, done := s.world.variant.append(s.world, &tx); done {
			return result, nil
		}
	}
	pk := ""
	if len(tx.Puts) > 0 {
		pk = keys.Event(tx.Puts[0].Key()).PK
	}
	return s.append(ctx, "appends", pk, func() (storage.StoreResult, error) {
		return s.Table.Append(context.Background(), tx)
	})
}

// Put stores one event.
func (s *store) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	return s.append(ctx, "puts", keys.Event(e.Key()).PK, func() (storage.StoreResult, error) {
		return s.Table.Put(context.Background(), e)
	})
}

func (s *store) append(ctx context.Context, verb, pk string,
	do func() (storage.StoreResult, error)) (received storage.StoreResult, err error) {
	var stored storage.StoreResult
	received.Result, err = s.write(ctx, verb, pk, func() (_ storage.WriteResult, err error) {
		stored, err = do()
		return stored.Result, err
	})
	if received.Result == stored.Result {
		return stored, err
	}
	return received, err
}

// DeleteEvent deletes an event.
func (s *store) DeleteEvent(ctx context.Context, e model.EventKey,
	now model.Time) (storage.WriteResult, error) {
	return s.write(ctx, "deletes", keys.Event(e).PK, func() (storage.WriteResult, error) {
		if s.loses("DeleteEvent") {
			return storage.Written, nil
		}
		return s.Table.DeleteEvent(context.Background(), e, now)
	})
}

// CorrectEvent replaces an event.
func (s *store) CorrectEvent(ctx context.Context, e model.Event,
	now model.Time) (storage.WriteResult, error) {
	return s.write(ctx, "corrects", keys.Event(e.Key()).PK, func() (storage.WriteResult, error) {
		if s.loses("CorrectEvent") {
			return storage.Written, nil
		}
		return s.Table.CorrectEvent(context.Background(), e, now)
	})
}

// loses reports whether the variant loses this write.
func (s *store) loses(method string) bool {
	return s.world.variant.lose == method && s.world.dice.Chance("loses "+s.world.Now().String(), .3)
}

// PutRow writes a row.
func (s *store) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	copied := *row // a delayed write stores the row as it was sent
	return s.write(ctx, "writes row", keys.Row(row.Key).PK, func() (storage.WriteResult, error) {
		return s.Table.PutRow(context.Background(), &copied, prev)
	})
}

// PutInvalidations stores invalidations, and schedules the sweeps that work them off.
func (s *store) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	result, err = s.write(ctx, "puts invalidations", "", func() (storage.WriteResult, error) {
		for _, i := range these {
			s.world.sweepLater(i)
		}
		if s.loses("PutInvalidations") {
			return storage.Written, nil
		}
		_, result, err := s.Table.PutInvalidations(context.Background(), these)
		return result, err
	})
	return unlessWritten(these, result), result, err
}

// DeleteInvalidations deletes invalidations.
func (s *store) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	result, err = s.write(ctx, "deletes invalidations", "", func() (storage.WriteResult, error) {
		_, result, err := s.Table.DeleteInvalidations(context.Background(), these)
		return result, err
	})
	return unlessWritten(these, result), result, err
}

func unlessWritten(these []storage.Invalidation, result storage.WriteResult) []storage.Invalidation {
	if result == storage.Written {
		return nil
	}
	return these
}

// AdvanceSweep stores a low watermark.
func (s *store) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	return s.write(ctx, "advances sweep", "", func() (storage.WriteResult, error) {
		return s.Table.AdvanceSweep(context.Background(), shard, through)
	})
}

// Row reads one row.
func (s *store) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	return read(ctx, s, "reads row", func(ctx context.Context) (*rollup.Row, error) {
		return s.Table.Row(ctx, key)
	})
}

// Latest reads a latest item.
func (s *store) Latest(ctx context.Context, of model.Series, consistent bool) (*model.Latest, error) {
	return read(ctx, s, "reads latest", func(ctx context.Context) (*model.Latest, error) {
		latest, err := s.Table.Latest(ctx, of, consistent)
		if s.world.variant.latest != nil {
			latest = s.world.variant.latest(s.world, latest)
		}
		return latest, err
	})
}

// Events reads one page of events.
func (s *store) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	s.shorten(ctx, &r)
	return read(ctx, s, "reads events", func(ctx context.Context) (storage.EventPage, error) {
		return s.Table.Events(ctx, r)
	})
}

// Rows reads one page of rows.
func (s *store) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	s.shorten(ctx, &r)
	return read(ctx, s, "reads rows", func(ctx context.Context) (rollup.RowPage, error) {
		return s.Table.Rows(ctx, unit, r)
	})
}

// Invalidations reads one page of the queue.
func (s *store) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	return read(ctx, s, "reads the queue", func(ctx context.Context) (storage.InvalidationPage, error) {
		return s.Table.Invalidations(ctx, shard, due, after)
	})
}

// Sweeps reads the low watermarks.
func (s *store) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	return read(ctx, s, "reads low watermarks", s.Table.Sweeps)
}

// shorten shortens pages, so that others write between them.
func (s *store) shorten(ctx context.Context, r *storage.Range) {
	if dice := s.world.DiceFrom(ctx); r.Limit == 0 && dice.Chance("short pages", .5) {
		r.Limit = 1 + dice.Pick("page", 4)
	}
}

func read[T any](ctx context.Context, s *store, verb string,
	do func(context.Context) (T, error)) (got T, err error) {
	err = s.world.Read(ctx, simstream.Request{Verb: verb}, func() (err error) {
		got, err = do(context.Background())
		return err
	})
	return got, err
}

func (s *store) write(ctx context.Context, verb, pk string,
	do func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	return s.world.Write(ctx, simstream.Request{Verb: verb, Keys: []string{pk}},
		func() (storage.WriteResult, error) {
			result, err := do()
			s.emit()
			return result, err
		})
}

// emit sends the changes since the last call to the table stream.
func (s *store) emit() {
	for _, r := range s.Records(s.seen) {
		s.seen = r.Seq
		s.world.Stream.Append(simstream.Change{
			Partition: r.Keys.PK, Item: r.Keys.PK + " " + r.Keys.SK, Old: r.Old, New: r.New, Of: itemName(r.Keys),
			Keys: item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}},
		})
	}
}

// itemName names an item in a trace.
type itemName keys.Key

func (n itemName) String() string { return fmt.Sprint(n.PK, " ", n.SK) }
