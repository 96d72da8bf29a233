package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var _ aggregate.LatestStore = (*store)(nil)

// overwriting updates latest items without a condition.
type overwriting struct{ *store }

func (o overwriting) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	a.Precondition = nil
	return o.store.Update(ctx, a)
}

// Update changes attributes of one item.
func (s *store) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	return s.write(ctx, request("updates", a.Key), func() (storage.WriteResult, error) {
		return s.table.Update(context.Background(), a)
	})
}

// shortlyBefore is the hour before the expiry in which a deletion counts as an expiry, and the
// longest time until a deletion is processed.
const shortlyBefore = 2*tier.Day24 + time.Hour

// Counts of latest items.
const (
	latestChecked = "derived latest items checked"
	latestExpired = "derived latest items of expired events"
)

// latestItems checks the latest items of a kind that derives them, as a reader gets them: each
// is of an event that no user deleted in time, as it was last corrected, and of none before the newest
// stored one. It is of the newest event ever, if that is in an exact row and no user deleted a
// newer one.
func (c *checking) latestItems() error {
	kind := c.kind()
	if !kind.HasLatest() || kind.LatestInTransaction() {
		return nil
	}
	for s, newest := range c.newestEvents() {
		reader := &query.Service{Store: c.table, Now: c.Now}
		got, err := reader.Latest(context.Background(),
			query.Series{Kind: kind, Subject: s.Subject.ID, Stream: s.Stream}, true)
		if err != nil {
			return err
		}
		if err := c.latestItem(s, newest, c.newestStored(s), got); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) latestItem(s model.Series, newest model.Order, stored *model.Event,
	got *model.Latest) error {
	c.Count(latestChecked)
	has := got != nil && got.Ordered
	if stored != nil && (!has || got.Before(stored.Order)) {
		return fmt.Errorf("latest item of %s is %s, but the event of %s is stored", s, latestName(got), stored.At)
	}
	if has {
		e, exists := c.oracle.events[c.eventKey(s, got.Order)]
		// An unreadable event says nothing of what the item has of an expired one of the same time.
		followed := exists && (e.Hash == got.Hash || e.Unreadable)
		if late := c.oracle.late[c.eventKey(s, got.Order)]; !late && !followed {
			return fmt.Errorf("latest item of %s is %s, which was deleted or corrected", s, latestName(got))
		}
		if stored == nil || stored.Before(got.Order) {
			c.Count(latestExpired)
		}
	}
	row := c.rows[rowOver(c.kind().Retention.Tiers[0], c.eventKey(s, newest))]
	if deleted, any := c.oracle.deleted[s]; row.Summary != nil && row.Exact &&
		(!any || deleted.Before(newest)) && (!has || got.Order != newest) {
		return fmt.Errorf("latest item of %s is %s, want the newest event of %s", s, latestName(got), newest.At)
	}
	return nil
}

// newestEvents returns the newest event of each series that is settled and has no pending repair.
func (c *checking) newestEvents() map[model.Series]model.Order {
	all, skip := map[model.Series]model.Order{}, map[model.Series]bool{}
	for row := range c.pending {
		skip[row.Series.WithoutShard()] = true
	}
	for key := range c.oracle.events {
		row := rowOver(c.kind().Retention.Tiers[0], key)
		s := key.Series.WithoutShard()
		if !c.settled(row) {
			skip[s] = true
		}
		if newest, found := all[s]; !found || newest.Before(key.Order) {
			all[s] = key.Order
		}
	}
	for s := range skip {
		delete(all, s)
	}
	return all
}

// eventKey returns the key of an event of a series.
func (c *checking) eventKey(s model.Series, o model.Order) model.EventKey {
	return model.EventKey{Series: c.kind().Series(s.Subject.ID, s.Stream, o), Order: o}
}

// newestStored returns the newest stored event of a series; nil if there is none.
func (c *checking) newestStored(s model.Series) (newest *model.Event) {
	for _, shard := range c.kind().ShardSeries(s) {
		e, err := storage.NewestEvent(context.Background(), c.table, shard)
		if err != nil {
			panic(err) // a table in memory does not fail
		}
		if e != nil && (newest == nil || newest.Before(e.Order)) {
			newest = e
		}
	}
	return newest
}

func latestName(l *model.Latest) string {
	if l == nil || !l.Ordered {
		return "absent"
	}
	return fmt.Sprintf("of %s %q", l.At, l.ID)
}
