package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// store is the table in memory as everybody in a simulation reaches it: each request
// takes simulated time and may meet faults, and each change goes to the simulated
// table stream.
type store struct {
	*world
	table *metered
	seen  uint64 // records of the table's log that went to the table stream
}

func newStore(w *world) *store { return &store{world: w, table: newMetered(w.table, w.Add)} }

// Row reads one row.
func (s *store) Row(ctx context.Context, key rollup.Key) (row *rollup.Row, err error) {
	err = s.Read(ctx, request("reads", keys.Row(key)), func() (err error) {
		row, err = s.table.Row(context.Background(), key)
		return err
	})
	return row, err
}

// Events reads one page of events.
func (s *store) Events(ctx context.Context, r model.Range) (page model.EventPage, err error) {
	s.cut(ctx, &r)
	err = s.Read(ctx, rangeRequest("reads events of", r), func() (err error) {
		page, err = s.table.Events(context.Background(), r)
		return err
	})
	return page, err
}

// Rows reads one page of rows.
func (s *store) Rows(ctx context.Context, unit tier.Unit, r model.Range) (page rollup.RowPage, err error) {
	s.cut(ctx, &r)
	err = s.Read(ctx, rangeRequest("reads "+unit.String()+"s of", r), func() (err error) {
		page, err = s.table.Rows(context.Background(), unit, r)
		return err
	})
	return page, err
}

// cut makes pages short, so that others write between them.
func (s *store) cut(ctx context.Context, r *model.Range) {
	if dice := s.DiceOf(ctx); r.Limit == 0 && dice.Chance("short pages", .5) {
		r.Limit = 1 + dice.Pick("page", 4)
	}
}

// PutRow writes a row.
func (s *store) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	kept := *row // a late write lands as it was sent
	return s.write(ctx, request("writes", keys.Row(row.Key)), func() (model.Answer, error) {
		return s.table.PutRow(context.Background(), &kept, prev)
	})
}

// Quarantine keeps a thing.
func (s *store) Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error) {
	return s.write(ctx, request("sets aside", keys.Quarantine(q)), func() (model.Answer, error) {
		return s.table.Quarantine(context.Background(), q)
	})
}

// DeleteEvent removes an event as somebody does.
func (s *store) DeleteEvent(ctx context.Context, e model.EventKey) (model.Answer, error) {
	return s.write(ctx, request("deletes", keys.Event(e)), func() (model.Answer, error) {
		return s.table.DeleteEvent(context.Background(), e, s.Now())
	})
}

// CorrectEvent changes an event in place as somebody does.
func (s *store) CorrectEvent(ctx context.Context, e model.Event) (model.Answer, error) {
	return s.write(ctx, request("corrects", keys.Event(e.Key())), func() (model.Answer, error) {
		return s.table.CorrectEvent(context.Background(), e, s.Now())
	})
}

// ByHand is what a hand in the console does, past every rule: it stores an item, or
// removes what is under its key.
func (s *store) ByHand(ctx context.Context, k keys.Key, it item.Item) (model.Answer, error) {
	return s.write(ctx, request("by hand changes", k), func() (model.Answer, error) {
		if it == nil {
			return model.Written, s.table.DeleteItem(context.Background(), k)
		}
		return model.Written, s.table.PutItem(context.Background(), it)
	})
}

// Append sends one transaction.
func (s *store) Append(ctx context.Context, tx ingest.Transaction) (reply ingest.Reply, err error) {
	r := streamtest.Request{Verb: fmt.Sprintf("appends %d events", len(tx.Puts))}
	for _, k := range keysOf(&tx) {
		r.Keys = append(r.Keys, k.PK)
	}
	var answered ingest.Reply
	reply.Answer, err = s.write(ctx, r, func() (_ model.Answer, err error) {
		answered, err = s.table.Append(context.Background(), tx)
		return answered.Answer, err
	})
	return heard(reply, answered), err
}

// Put stores one event.
func (s *store) Put(ctx context.Context, event model.Event) (reply ingest.Reply, err error) {
	var answered ingest.Reply
	reply.Answer, err = s.write(ctx, request("appends", keys.Event(event.Key())), func() (_ model.Answer, err error) {
		answered, err = s.table.Put(context.Background(), event)
		return answered.Answer, err
	})
	return heard(reply, answered), err
}

// heard is a reply with what only the table's own answer tells.
func heard(reply, answered ingest.Reply) ingest.Reply {
	if reply.Answer == answered.Answer {
		return answered
	}
	return reply
}

func (s *store) write(ctx context.Context, r streamtest.Request, do func() (model.Answer, error)) (model.Answer, error) {
	who := s.Who(ctx)
	return s.Write(ctx, r, func() (model.Answer, error) {
		answer, err := do()
		s.emit(who, false)
		return answer, err
	})
}

// emit hands the changes since the last time to the table stream, to the oracle, and
// to TTL.
func (s *store) emit(who string, unsigned bool) {
	for _, r := range s.table.Records(s.seen) {
		s.seen = r.Seq
		s.oracle.record(&r)
		change := streamtest.Change{
			Partition: r.Keys.PK, Item: r.Keys.PK + " " + r.Keys.SK, Old: r.Old, New: r.New,
			Keys:    item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}},
			Expired: r.Service, Unsigned: unsigned, Of: keyName(r.Keys),
		}
		if s.Telling() {
			s.Tell(who, "%s%s", &change, imageName(r.New))
		}
		s.expireLater(&r)
		s.Stream.Append(change)
	}
}

// expireLater has TTL come for what was stored.
func (s *store) expireLater(r *memory.Record) {
	at, expires := expiryOf(r.New)
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

// expiries are the times, in epoch seconds, at which what stands now expires.
func (s *store) expiries() []int64 {
	times := map[int64]bool{}
	for after := (keys.Key{}); ; {
		page, next, err := s.table.Scan(context.Background(), after)
		if err != nil {
			panic(err) // a table in memory answers
		}
		for _, it := range page {
			if at, expires := expiryOf(it); expires {
				times[at] = true
			}
		}
		if after = next; next == (keys.Key{}) {
			return slices.Sorted(maps.Keys(times))
		}
	}
}

func request(verb string, k keys.Key) streamtest.Request {
	return streamtest.Request{Verb: verb, Of: keyName(k), Keys: []string{k.PK}}
}

func rangeRequest(verb string, r model.Range) streamtest.Request {
	return streamtest.Request{Verb: verb, Of: rangeName{r.Series, r.From}, Keys: []string{keys.Partition(r.Series)}}
}
