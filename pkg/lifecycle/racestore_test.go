package lifecycle_test

import (
	"context"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// raceStore is the table in memory as everybody in a simulation reaches it: each
// request takes simulated time and may meet faults, and each change goes to the
// simulated table stream.
type raceStore struct {
	*race
	*memory.Table
}

func reading[T any](ctx context.Context, s *raceStore, verb, pk string, do func() (T, error)) (out T, err error) {
	err = s.Read(ctx, streamtest.Request{Verb: verb + " " + pk, Keys: []string{pk}}, func() (err error) {
		out, err = do()
		return err
	})
	return out, err
}

// writing sends a write; what only the table's own answer tells is lost with that.
func writing[T any](ctx context.Context, s *raceStore, verb, pk string, do func() (T, model.Answer, error)) (out T, _ model.Answer, _ error) {
	who := s.Who(ctx)
	var heard T
	var said model.Answer
	answer, err := s.Write(ctx, streamtest.Request{Verb: verb + " " + pk, Keys: []string{pk}}, func() (model.Answer, error) {
		var err error
		heard, said, err = do()
		s.emit(who)
		return said, err
	})
	if answer == said {
		out = heard
	}
	return out, answer, err
}

func (s *raceStore) Row(ctx context.Context, k rollup.Key) (*rollup.Row, error) {
	return reading(ctx, s, "reads row of", keys.Row(k).PK, func() (*rollup.Row, error) { return s.Table.Row(context.Background(), k) })
}

func (s *raceStore) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	return reading(ctx, s, "reads events of", keys.Partition(r.Series), func() (model.EventPage, error) { return s.Table.Events(context.Background(), r) })
}

func (s *raceStore) Rows(ctx context.Context, u tier.Unit, r model.Range) (rollup.RowPage, error) {
	return reading(ctx, s, "reads rows of", keys.Partition(r.Series), func() (rollup.RowPage, error) { return s.Table.Rows(context.Background(), u, r) })
}

func (s *raceStore) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	return reading(ctx, s, "reads", k.PK+" "+k.SK, func() (item.Item, error) { return s.Table.GetItem(context.Background(), k) })
}

func (s *raceStore) List(ctx context.Context, l lifecycle.Listing) (lifecycle.ListPage, error) {
	return reading(ctx, s, "lists", l.Partition+" "+l.Prefix, func() (lifecycle.ListPage, error) { return s.Table.List(context.Background(), l) })
}

func (s *raceStore) Gated(ctx context.Context, subject model.Subject) (bool, error) {
	return reading(ctx, s, "looks at the gate of", subject.ID, func() (bool, error) { return s.Table.Gated(context.Background(), subject) })
}

func (s *raceStore) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	kept := *row // a late write lands as it was sent
	_, answer, err := writing(ctx, s, "writes row of", keys.Row(row.Key).PK, func() (struct{}, model.Answer, error) {
		answer, err := s.Table.PutRow(context.Background(), &kept, prev)
		return struct{}{}, answer, err
	})
	return answer, err
}

func (s *raceStore) Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error) {
	_, answer, err := writing(ctx, s, "sets aside", q.ID, func() (struct{}, model.Answer, error) {
		answer, err := s.Table.Quarantine(context.Background(), q)
		return struct{}{}, answer, err
	})
	return answer, err
}

func (s *raceStore) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	reply, answer, err := writing(ctx, s, "appends to", keys.Partition(tx.Puts[0].Series), func() (ingest.Reply, model.Answer, error) {
		reply, err := s.Table.Append(context.Background(), tx)
		return reply, reply.Answer, err
	})
	reply.Answer = answer
	return reply, err
}

func (s *raceStore) Put(ctx context.Context, e model.Event) (ingest.Reply, error) {
	reply, answer, err := writing(ctx, s, "puts into", keys.Partition(e.Series), func() (ingest.Reply, model.Answer, error) {
		reply, err := s.Table.Put(context.Background(), e)
		return reply, reply.Answer, err
	})
	reply.Answer = answer
	return reply, err
}

func (s *raceStore) Commit(ctx context.Context, tx lifecycle.Transaction) (lifecycle.Reply, error) {
	if _, fences := tx.Actions[0].Set[keys.AttrFence]; fences && s.rule.unfenced {
		return lifecycle.Reply{}, nil
	}
	reply, answer, err := writing(ctx, s, "commits "+strconv.Itoa(len(tx.Actions))+" to", tx.Actions[0].Key.PK, func() (lifecycle.Reply, model.Answer, error) {
		reply, err := s.Table.Commit(context.Background(), tx)
		return reply, reply.Answer, err
	})
	reply.Answer = answer
	return reply, err
}

func (s *raceStore) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, model.Answer, error) {
	if s.rule.once && s.passes() > 1 {
		return nil, model.Written, nil
	}
	left, answer, err := writing(ctx, s, "erases "+strconv.Itoa(len(these))+" of", these[0].PK, func() ([]keys.Key, model.Answer, error) {
		return s.Table.Erase(context.Background(), these)
	})
	if answer != model.Written {
		left = these
	}
	return left, answer, err
}

// passes is the pass that the purge is at, as it remembers.
func (s *raceStore) passes() int {
	it, err := s.Table.GetItem(context.Background(), keys.Purge(alice))
	p, decodeErr := item.Purge(it)
	if err == nil && decodeErr == nil && p.Step == model.PurgeErased {
		return 2
	}
	return 1
}

// emit hands the changes since the last time to the table stream, and to TTL.
func (s *raceStore) emit(who string) {
	for _, r := range s.Table.Records(s.seen) {
		s.seen = r.Seq
		name := r.Keys.PK + " " + r.Keys.SK
		change := streamtest.Change{
			Partition: r.Keys.PK, Item: name, Old: r.Old, New: r.New, Expired: r.Service,
			Keys: item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}},
		}
		s.Tell(who, "%s", &change)
		s.Stream.Append(change)
		at, err := strconv.ParseInt(r.New[keys.AttrExpiresAt].S, 10, 64)
		if gate := r.Keys.SK == keys.ClassGate; err != nil || !gate && !r.New[keys.AttrEmpty].Bool {
			continue // events, and rows of events, are not what these histories are about
		}
		k := r.Keys
		s.Sim.Expire(name, at, func() {
			if s.Table.ExpireWhere(s.Now(), func(x keys.Key) bool { return x == k }) > 0 {
				s.emit("TTL:")
			}
		})
	}
}
