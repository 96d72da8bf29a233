package alert_test

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// world is who is told; it refuses some, and answers for some that it took nothing.
type world struct{ f *fleet }

func (w world) Publish(ctx context.Context, notices []model.Notice) ([]bool, error) {
	taken, calls := make([]bool, len(notices)), w.f.counted()
	for i := range notices {
		d := w.f.dice.Of("publish", calls, i)
		if d.Chance("refused", .3) {
			continue
		}
		w.f.told[keys.Notice(&notices[i])]++
		taken[i] = !d.Chance("unanswered", .2)
	}
	return taken, nil
}

func (f *fleet) counted() int {
	f.Count("published")
	f.calls++
	return f.calls
}

// simStore is the table as everybody in a simulation reaches it.
type simStore struct {
	*fleet
	table *memory.Table
}

func (s simStore) read(ctx context.Context, verb string, k keys.Key, do func() error) error {
	return s.Read(ctx, streamtest.Request{Verb: verb + " " + k.SK, Keys: []string{k.PK}}, do)
}

func (s simStore) write(ctx context.Context, verb string, k keys.Key, do func() (model.Answer, error)) (model.Answer, error) {
	who := s.Who(ctx)
	return s.Write(ctx, streamtest.Request{Verb: verb + " " + k.SK, Keys: []string{k.PK}}, func() (model.Answer, error) {
		answer, err := do()
		s.emit(who)
		return answer, err
	})
}

func (s simStore) GetItem(ctx context.Context, k keys.Key) (it item.Item, err error) {
	err = s.read(ctx, "gets", k, func() (err error) { it, err = s.table.GetItem(context.Background(), k); return err })
	return it, err
}

func (s simStore) List(ctx context.Context, l table.Listing) (page table.ListPage, err error) {
	if d := s.DiceOf(ctx); l.Limit == 0 && d.Chance("short pages", .3) {
		l.Limit = 1 + d.Pick("page", 4)
	}
	err = s.read(ctx, "lists", keys.Key{PK: l.Partition, SK: l.Prefix}, func() (err error) {
		page, err = s.table.List(context.Background(), l)
		return err
	})
	return page, err
}

func (s simStore) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	return s.write(ctx, fmt.Sprintf("puts %d", len(puts)), puts[0].Item.Key(), func() (model.Answer, error) {
		return s.table.PutAll(context.Background(), puts)
	})
}

func (s simStore) Current(ctx context.Context, series model.Series, consistent bool) (c *model.Current, err error) {
	err = s.read(ctx, "reads", keys.Current(series), func() (err error) {
		c, err = s.table.Current(context.Background(), series, consistent)
		return err
	})
	return c, err
}

func (s simStore) Events(ctx context.Context, r model.Range) (page model.EventPage, err error) {
	if d := s.DiceOf(ctx); r.Limit == 0 && d.Chance("short pages", .5) {
		r.Limit = 1 + d.Pick("page", 4)
	}
	err = s.read(ctx, "reads events", keys.Key{PK: keys.Partition(r.Series)}, func() (err error) {
		page, err = s.table.Events(context.Background(), r)
		return err
	})
	return page, err
}

func (s simStore) Append(ctx context.Context, tx ingest.Transaction) (reply ingest.Reply, err error) {
	var answered ingest.Reply
	reply.Answer, err = s.write(ctx, "appends", keys.Event(tx.Puts[0].Key()), func() (_ model.Answer, err error) {
		answered, err = s.table.Append(context.Background(), tx)
		return answered.Answer, err
	})
	if reply.Answer == answered.Answer {
		reply = answered
	}
	return reply, err
}

func (s simStore) Put(ctx context.Context, e model.Event) (ingest.Reply, error) {
	return s.table.Put(ctx, e) // no kind without current here
}
