package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var (
	_ aggregate.Store           = (*store)(nil)
	_ aggregate.QuarantineStore = (*store)(nil)
	_ ingest.Store              = (*store)(nil)
)

// store is the table in memory as every simulated process uses it: each request takes
// simulated time and may fail, and each change goes to the simulated table stream.
type store struct {
	*world
	table   *metered
	replica *replica
	seen    uint64 // last record of the table's log that went to the table stream
	writer  bool   // the request that is carried out is one of Tidemark's writers
}

func newStore(w *world) *store {
	return &store{world: w, table: newMetered(w.table, w.Add), replica: newReplica(w)}
}

// Row reads one row.
func (s *store) Row(ctx context.Context, key rollup.Key) (row *rollup.Row, err error) {
	err = s.read(ctx, request("reads", tablekeys.Row(key)), func() (err error) {
		row, err = s.table.Row(context.Background(), key)
		return err
	})
	return row, err
}

// Events reads one page of events.
func (s *store) Events(ctx context.Context, r storage.Range) (page storage.EventPage, err error) {
	s.shortenPage(ctx, &r)
	from := s.replica.tableFor(ctx, r.Consistent)
	err = s.read(ctx, rangeRequest("reads events of", r), func() (err error) {
		page, err = from.Events(context.Background(), r)
		return err
	})
	return page, err
}

// Rows reads one page of rows.
func (s *store) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (page rollup.RowPage, err error) {
	s.shortenPage(ctx, &r)
	from := s.replica.tableFor(ctx, r.Consistent)
	err = s.read(ctx, rangeRequest("reads "+unit.String()+"s of", r), func() (err error) {
		page, err = from.Rows(context.Background(), unit, r)
		return err
	})
	return page, err
}

// shortenPage shortens pages, so that other processes write between them.
func (s *store) shortenPage(ctx context.Context, r *storage.Range) {
	if dice := s.DiceFrom(ctx); r.Limit == 0 && dice.Chance("short pages", .5) {
		r.Limit = 1 + dice.Pick("page", 4)
	}
}

// PutRow writes a row.
func (s *store) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	copied := *row // a late write stores the row as it was sent
	return s.write(ctx, request("writes", tablekeys.Row(row.Key)), func() (storage.WriteResult, error) {
		return s.table.PutRow(context.Background(), &copied, prev)
	})
}

// Quarantine stores a record that cannot be processed.
func (s *store) Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error) {
	return s.write(ctx, request("quarantines", tablekeys.Quarantine(q)), func() (storage.WriteResult, error) {
		return s.table.Quarantine(context.Background(), q)
	})
}

// DeleteEvent deletes an event on behalf of a user.
func (s *store) DeleteEvent(ctx context.Context, e model.EventKey) (storage.WriteResult, error) {
	return s.delete(ctx, e, false)
}

// delete deletes an event on behalf of one of Tidemark's writers, or of another program.
func (s *store) delete(ctx context.Context, e model.EventKey, writer bool) (storage.WriteResult, error) {
	return s.write(ctx, request("deletes", keys.Event(e)), func() (storage.WriteResult, error) {
		s.writer = writer
		return s.table.DeleteEvent(context.Background(), e, s.Now())
	})
}

// CorrectEvent changes an event in place on behalf of a user.
func (s *store) CorrectEvent(ctx context.Context, e model.Event) (storage.WriteResult, error) {
	return s.correct(ctx, e, false)
}

// correct changes an event on behalf of one of Tidemark's writers, or of another program.
func (s *store) correct(ctx context.Context, e model.Event, writer bool) (storage.WriteResult, error) {
	return s.write(ctx, request("corrects", keys.Event(e.Key())), func() (storage.WriteResult, error) {
		s.writer = writer
		return s.table.CorrectEvent(context.Background(), e, s.Now())
	})
}

// ChangeDirectly stores an item, or removes the item of its key where it is nil, without the ingest
// service: as an operator does in the AWS console.
func (s *store) ChangeDirectly(ctx context.Context, k keys.Key, it item.Item) (storage.WriteResult, error) {
	return s.write(ctx, request("changes directly", k), func() (storage.WriteResult, error) {
		if it == nil {
			return storage.Written, s.table.DeleteItem(context.Background(), k)
		}
		return storage.Written, s.table.PutItem(context.Background(), it)
	})
}

// Append sends one transaction.
func (s *store) Append(ctx context.Context,
	tx storage.AppendTransaction) (received storage.StoreResult, err error) {
	r := simstream.Request{Verb: fmt.Sprintf("appends %d events", len(tx.Puts))}
	for _, k := range writtenKeys(&tx) {
		r.Keys = append(r.Keys, k.PK)
	}
	var stored storage.StoreResult
	received.Result, err = s.write(ctx, r, func() (_ storage.WriteResult, err error) {
		s.writer = true
		stored, err = s.table.Append(context.Background(), tx)
		return stored.Result, err
	})
	return knownResult(received, stored), err
}

// Put stores one event.
func (s *store) Put(ctx context.Context, event model.Event) (received storage.StoreResult, err error) {
	var stored storage.StoreResult
	received.Result, err = s.write(ctx, request("appends", keys.Event(event.Key())),
		func() (_ storage.WriteResult, err error) {
			s.writer = true
			stored, err = s.table.Put(context.Background(), event)
			return stored.Result, err
		})
	return knownResult(received, stored), err
}

// knownResult returns the table's result, or, where the writer got another one, only that.
func knownResult(received, stored storage.StoreResult) storage.StoreResult {
	if received.Result == stored.Result {
		return stored
	}
	return received
}

func (s *store) write(ctx context.Context, r simstream.Request,
	do func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	who := s.Who(ctx)
	s.suspend(ctx)
	return s.Write(ctx, r, func() (storage.WriteResult, error) {
		s.writer = false
		result, err := do()
		s.emit(who, false)
		return result, err
	})
}

// emit sends the changes since the last call to the table stream, the oracle and TTL.
func (s *store) emit(who string, unsigned bool) {
	for _, r := range s.table.Records(s.seen) {
		s.seen = r.Seq
		s.oracle.record(&r)
		change := simstream.Change{
			Partition: r.Keys.PK, Item: r.Keys.PK + " " + r.Keys.SK, Old: r.Old, New: r.New,
			Keys:    item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}},
			Expired: r.Service, Unsigned: unsigned, Of: keyName(r.Keys),
		}
		if s.Logging() {
			s.Logf(who, "%s%s", &change, imageName(r.New))
		}
		s.expireLater(&r)
		s.Stream.Append(change)
	}
}

// expireLater schedules the removal of a stored item by TTL.
func (s *store) expireLater(r *memory.Record) {
	at, expires := itemExpiry(r.New)
	if !expires {
		return
	}
	k := r.Keys
	name := k.PK + " " + k.SK
	s.Expire(name, at, func() {
		gone := s.table.ExpireWhere(s.Now(), func(x keys.Key) bool { return x == k })
		if gone > 0 {
			s.emit("TTL:", s.Unsigned(name))
		}
	})
}

// expiries returns the times, in epoch seconds, at which stored items expire.
func (s *store) expiries() []int64 {
	times := map[int64]bool{}
	for after := (keys.Key{}); ; {
		page, next, err := s.table.Scan(context.Background(), after)
		if err != nil {
			panic(err) // a table in memory does not fail
		}
		for _, it := range page {
			if at, expires := itemExpiry(it); expires {
				times[at] = true
			}
		}
		if after = next; next == (keys.Key{}) {
			return slices.Sorted(maps.Keys(times))
		}
	}
}

func request(verb string, k keys.Key) simstream.Request {
	return simstream.Request{Verb: verb, Of: keyName(k), Keys: []string{k.PK}}
}

func rangeRequest(verb string, r storage.Range) simstream.Request {
	return simstream.Request{Verb: verb, Of: rangeName{r.Series, r.From},
		Keys: []string{keys.Partition(r.Series)}}
}
