package aggregate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// SeriesStore stores the list of series. It is an optional interface of a Store: without
// it, no list is kept. Each method is one request.
type SeriesStore interface {
	// SeriesEntry reads the entry of a series, eventually consistent; nil if there is none.
	SeriesEntry(ctx context.Context, s model.Series) (item.Item, error)
	// GetItem reads one item, strongly consistent; nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// PutAll stores items, each on its precondition: all of them or none.
	PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error)
	// PurgeLocked reports whether a subject has a purge lock, strongly consistent.
	PurgeLocked(ctx context.Context, subject model.Subject) (bool, error)
}

// seen is what a batch knows of a series: the times of its earliest and its newest event.
type seen struct {
	series      model.Series // without a shard
	unit        tier.Unit    // of the times in the list
	first, last model.Time
	change      int // index in the batch
}

// seenUnit returns how exact the list is. Its times are rounded to the buckets of this unit, so that a series
// that reports all the time is written once for each bucket: to hours where hours are deferred, and to days
// where they would be written with each event of an hourly logger.
func seenUnit(p tier.Policy) tier.Unit {
	for _, t := range p.Tiers {
		if t.Deferred && !tier.Hour.FinerThan(t.Unit) {
			return tier.Hour
		}
	}
	return tier.Day
}

// see adds the time of an event of a series.
func (c *chunk) see(kind *catalog.Kind, s model.Series, at model.Time) {
	s = s.WithoutShard()
	i, known := c.bySeries[s]
	if !known {
		if c.bySeries == nil {
			c.bySeries = map[model.Series]int{}
		}
		i, c.bySeries[s] = len(c.seen), len(c.seen)
		c.seen = append(c.seen, &seen{series: s, unit: seenUnit(kind.Retention), first: at, last: at, change: c.end})
	}
	of := c.seen[i]
	of.first, of.last = min(of.first, at), max(of.last, at)
}

// listAll lists the series of a chunk. A change whose series could not be listed fails.
func (a *Aggregator) listAll(ctx context.Context, c *chunk, limits Limits, all *results) {
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, s := range c.seen {
		group.Go(func() error {
			if err := a.list(ctx, s, all); err != nil {
				all.addFailure(s.change, err)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
}

// list makes the entry of a series in the list cover its times. The batch is acknowledged only after that, so
// every event whose change was processed is covered. An entry only ever grows, until a purge removes it.
func (a *Aggregator) list(ctx context.Context, s *seen, all *results) error {
	store, ok := a.Store.(SeriesStore)
	if !ok {
		return nil
	}
	known, remembered := a.listed.get(s.series, a.Now())
	if remembered && covers(known, s) {
		return nil
	}
	read := store.SeriesEntry
	err := a.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := a.listOnce(ctx, store, read, s, all)
		read = func(ctx context.Context, s model.Series) (item.Item, error) {
			return store.GetItem(ctx, tablekeys.SeriesEntry(s))
		}
		return result, err
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", s.series, err)
	}
	return nil
}

// covers reports whether an entry needs no change.
func covers(l storage.ListedSeries, s *seen) bool {
	return l.First <= s.first && s.last < s.unit.BucketOf(l.Last).End
}

// readEntry reads an entry of the list. The first read may be eventually consistent: an entry that does not cover
// the series is replaced on condition that it is still as it was read.
type readEntry func(ctx context.Context, s model.Series) (item.Item, error)

// listOnce reads the entry, and writes it if another process has not made it cover the series already.
func (a *Aggregator) listOnce(ctx context.Context, store SeriesStore, read readEntry, s *seen, all *results) (storage.WriteResult, error) {
	old, when, err := readListed(ctx, read, s)
	if err != nil {
		return storage.Written, err
	}
	if old.Series.Kind != "" && covers(old, s) {
		a.listed.put(old, a.Now())
		return storage.Written, nil
	}
	next := storage.ListedSeries{Series: s.series, First: s.unit.BucketOf(s.first).Start, Last: s.unit.BucketOf(s.last).Start}
	if old.Series.Kind != "" {
		next.First, next.Last = min(old.First, next.First), max(old.Last, next.Last)
		when = itemop.Precondition{equalTime(tablekeys.AttrFirst, old.First), equalTime(tablekeys.AttrLast, old.Last)}
	} else if locked, err := store.PurgeLocked(ctx, s.series.Subject); err != nil || locked {
		return storage.Written, transientError("read purge lock", err)
	}
	all.count(Counts{Listed: 1})
	result, err := store.PutAll(ctx, []itemop.Put{{Item: item.FromListedSeries(next), Precondition: when}})
	if err == nil && result == storage.Written {
		a.listed.put(next, a.Now())
	} else {
		a.listed.forget(s.series)
	}
	return result, err
}

// readListed reads the entry of a series. Without an entry, the precondition is the one for a new
// entry. A damaged entry is replaced; an entry of a newer version is left alone.
func readListed(ctx context.Context, read readEntry, s *seen) (storage.ListedSeries, itemop.Precondition, error) {
	it, err := read(ctx, s.series)
	switch {
	case err != nil:
		return storage.ListedSeries{}, nil, transientError("read the list of series", err)
	case it == nil:
		return storage.ListedSeries{}, itemop.Precondition{{Op: itemop.ItemAbsent}}, nil
	}
	l, err := item.ListedSeries(it)
	switch {
	case errors.Is(err, item.ErrNewer):
		return storage.ListedSeries{Series: s.series, First: model.MinTime, Last: s.last}, nil, nil
	case err != nil:
		return storage.ListedSeries{}, nil, nil
	}
	return l, nil, nil
}

func transientError(what string, err error) error {
	if err == nil {
		return nil
	}
	return readError(what, err)
}

func equalTime(attr string, at model.Time) itemop.Requirement {
	return itemop.Requirement{Op: itemop.AttrEquals, Attr: attr, Value: item.Value{Type: item.S, S: at.String()}}
}

// listedFor is for how long a process remembers an entry. It is shorter than a purge lock
// lasts after a purge: a process never takes an entry that was purged for a stored one.
const listedFor = 24 * time.Hour

// maxListed bounds the memory of the list: about 10 MB.
const maxListed = 50_000

// listMemory remembers entries of the list of series that are stored. The zero value is ready to use.
type listMemory struct {
	mu      sync.Mutex // guards entries
	entries map[model.Series]rememberedEntry
}

type rememberedEntry struct {
	storage.ListedSeries
	at model.Time // when it was read or written
}

func (m *listMemory) get(s model.Series, now model.Time) (storage.ListedSeries, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[s]
	return e.ListedSeries, ok && e.at <= now && now.Sub(e.at) < listedFor
}

// put remembers an entry. When the memory is full, it forgets everything.
func (m *listMemory) put(l storage.ListedSeries, now model.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.entries) >= maxListed || m.entries == nil {
		m.entries = map[model.Series]rememberedEntry{}
	}
	m.entries[l.Series] = rememberedEntry{l, now}
}

func (m *listMemory) forget(s model.Series) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, s)
}
