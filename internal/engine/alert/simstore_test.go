package alert_test

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var (
	_ alert.Store     = simStore{}
	_ alert.Publisher = subscriber{}
)

// subscriber is a publisher that refuses some notifications, and accepts some without
// reporting it.
type subscriber struct{ f *fleet }

func (w subscriber) Publish(ctx context.Context, notifications []storage.Notification) ([]bool, error) {
	accepted, calls := make([]bool, len(notifications)), w.f.counted()
	for i := range notifications {
		d := w.f.dice.Part("publish", calls, i)
		if d.Chance("refused", .3) {
			continue
		}
		w.f.delivered[tablekeys.Notification(&notifications[i])]++
		accepted[i] = !d.Chance("unreported", .2)
	}
	return accepted, nil
}

func (f *fleet) counted() int {
	f.Count("published")
	f.calls++
	return f.calls
}

// simStore is the table as the simulated processes use it.
type simStore struct {
	*fleet
	table *memory.Table
}

func (s simStore) read(ctx context.Context, verb string, k keys.Key, do func() error) error {
	return s.Read(ctx, simstream.Request{Verb: verb + " " + k.SK, Keys: []string{k.PK}}, do)
}

func (s simStore) write(ctx context.Context, verb string, k keys.Key,
	do func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	who := s.Who(ctx)
	return s.Write(ctx, simstream.Request{Verb: verb + " " + k.SK, Keys: []string{k.PK}},
		func() (storage.WriteResult, error) {
			result, err := do()
			s.emit(who)
			return result, err
		})
}

func (s simStore) GetItem(ctx context.Context, k keys.Key) (it item.Item, err error) {
	err = s.read(ctx, "gets", k, func() (err error) {
		it, err = s.table.GetItem(context.Background(), k)
		return err
	})
	return it, err
}

func (s simStore) List(ctx context.Context, l itemop.ListRequest) (page itemop.ListPage, err error) {
	if d := s.DiceFrom(ctx); l.Limit == 0 && d.Chance("short pages", .3) {
		l.Limit = 1 + d.Pick("page", 4)
	}
	err = s.read(ctx, "lists", keys.Key{PK: l.Partition, SK: l.Prefix}, func() (err error) {
		page, err = s.table.List(context.Background(), l)
		return err
	})
	return page, err
}

func (s simStore) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	return s.write(ctx, fmt.Sprintf("puts %d", len(puts)), puts[0].Item.Key(),
		func() (storage.WriteResult, error) {
			return s.table.PutAll(context.Background(), puts)
		})
}

func (s simStore) Latest(ctx context.Context, series model.Series,
	consistent bool) (c *model.Latest, err error) {
	err = s.read(ctx, "reads", keys.Latest(series), func() (err error) {
		c, err = s.table.Latest(context.Background(), series, consistent)
		return err
	})
	return c, err
}

func (s simStore) Events(ctx context.Context, r storage.Range) (page storage.EventPage, err error) {
	if d := s.DiceFrom(ctx); r.Limit == 0 && d.Chance("short pages", .5) {
		r.Limit = 1 + d.Pick("page", 4)
	}
	err = s.read(ctx, "reads events", keys.Key{PK: keys.Partition(r.Series)}, func() (err error) {
		page, err = s.table.Events(context.Background(), r)
		return err
	})
	return page, err
}

func (s simStore) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	return s.table.Rows(ctx, u, r) // the simulation has no groups
}

func (s simStore) Append(ctx context.Context,
	tx storage.AppendTransaction) (reply storage.StoreResult, err error) {
	var stored storage.StoreResult
	reply.Result, err = s.write(ctx, "appends", keys.Event(tx.Puts[0].Key()),
		func() (_ storage.WriteResult, err error) {
			stored, err = s.table.Append(context.Background(), tx)
			return stored.Result, err
		})
	if reply.Result == stored.Result {
		reply = stored
	}
	return reply, err
}

func (s simStore) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	return s.table.Put(ctx, e) // the simulation has no kind without latest items
}
