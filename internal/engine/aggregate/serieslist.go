package aggregate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/lists"
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
	// ReadItems reads up to itemop.MaxBatchReads different items. The result has a key for each item that was
	// read, with nil if there is none. It has no key that the table did not process.
	ReadItems(ctx context.Context, these []keys.Key, consistent bool) (map[keys.Key]item.Item, error)
	// PutAll stores items, each on its precondition: all of them or none.
	PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error)
}

// seen is what a batch knows of a series: the times of its earliest and its newest event.
type seen struct {
	series      model.Series // without a shard
	unit        tier.Unit    // of the times in the list
	first, last model.Time   // in the wrong order if only events were deleted
	removed     model.Time   // of the newest event that was deleted; 0 if none was
	change      int          // index in the batch
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
	of := c.seenSeries(kind, s)
	of.first, of.last = min(of.first, at), max(of.last, at)
}

// seeRemoved adds the time of an event of a series that was deleted.
func (c *chunk) seeRemoved(kind *catalog.Kind, s model.Series, at model.Time) {
	of := c.seenSeries(kind, s)
	of.removed = max(of.removed, at)
}

func (c *chunk) seenSeries(kind *catalog.Kind, s model.Series) *seen {
	s = s.WithoutShard()
	i, known := c.bySeries[s]
	if !known {
		if c.bySeries == nil {
			c.bySeries = map[model.Series]int{}
		}
		i, c.bySeries[s] = len(c.seen), len(c.seen)
		c.seen = append(c.seen, &seen{series: s, unit: seenUnit(kind.Retention), first: model.MaxTime,
			last: model.MinTime, change: c.end})
	}
	return c.seen[i]
}

// listAll lists some series. A change whose series could not be listed fails.
func (a *Aggregator) listAll(ctx context.Context, these []*seen, limits Limits, all *results) {
	left, err := a.list(ctx, these, limits, all)
	for _, s := range left {
		all.addFailure(s.change, err)
	}
}

// list makes the entries of some series in the list cover their times, and returns the series that may not be
// listed. The batch is acknowledged only after that, so every event whose change was processed is covered. An
// entry only ever grows, until a purge removes it.
func (a *Aggregator) list(
	ctx context.Context, these []*seen, limits Limits, all *results,
) (left []*seen, _ error) {
	store, ok := a.Store.(SeriesStore)
	if !ok {
		return nil, nil
	}
	for _, s := range these {
		if known, remembered := a.listed.get(s.series, a.Now()); !remembered || !covers(known, s) {
			left = append(left, s)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	l := &listing{Aggregator: a, store: store, limits: limits, all: all, left: left}
	if err := a.untilWritten(ctx, l.attempt); err != nil {
		return l.left, fmt.Errorf("list %s: %w", l.left[0].series, err)
	}
	return nil, nil
}

// listing lists some series.
type listing struct {
	*Aggregator
	store  SeriesStore
	limits Limits
	all    *results
	left   []*seen // that may not be listed yet
	again  bool    // an attempt was made
}

// attempt reads the entries, and writes those that do not cover their series. The first reads may be
// eventually consistent: an entry is replaced on condition that it is still as it was read. They are not left
// out for what the process remembers, or for a new series: a condition that fails costs ten times as much as
// the read, and of several processes that meet the first event of an hour, it fails for all but one.
func (l *listing) attempt(ctx context.Context) (result storage.WriteResult, _ error) {
	read, err := l.read(ctx, lists.Map(l.left, func(s *seen) keys.Key {
		return tablekeys.SeriesEntry(s.series)
	}), l.again)
	if err != nil {
		return 0, transientError("read the list of series", err)
	}
	l.again = true
	locks, err := l.readLocks(ctx, read)
	if err != nil {
		return 0, transientError("read purge locks", err)
	}
	var mu sync.Mutex // guards what follows
	var left []*seen
	var failure error
	var group errgroup.Group
	group.SetLimit(l.limits.Concurrency)
	for _, s := range l.left {
		group.Go(func() error {
			one, err := l.listOnce(ctx, s, read, locks)
			mu.Lock()
			defer mu.Unlock()
			if failure = cmp.Or(failure, err); err != nil || one != storage.Written {
				left, result = append(left, s), max(result, one)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in failure
	l.left = left
	return result, failure
}

// readLocks reads the purge locks of the subjects whose series have no entry.
func (l *listing) readLocks(
	ctx context.Context, entries map[keys.Key]item.Item,
) (map[keys.Key]item.Item, error) {
	var locks []keys.Key
	known := map[keys.Key]bool{}
	for _, s := range l.left {
		it, read := entries[tablekeys.SeriesEntry(s.series)]
		if k := tablekeys.PurgeLock(s.series.Subject); read && it == nil && !known[k] {
			locks, known[k] = append(locks, k), true
		}
	}
	return l.read(ctx, locks, true)
}

// read reads items in batches.
func (l *listing) read(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	var mu sync.Mutex // guards items
	items := map[keys.Key]item.Item{}
	var group errgroup.Group
	group.SetLimit(l.limits.Concurrency)
	for some := range slices.Chunk(these, itemop.MaxBatchReads) {
		group.Go(func() error {
			found, err := l.store.ReadItems(ctx, some, consistent)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(items, found)
			return err
		})
	}
	return items, group.Wait()
}

// covers reports whether an entry needs no change. Deletions before its newest hour do not concern it.
func covers(l storage.ListedSeries, s *seen) bool {
	removed := s.unit.BucketAt(s.removed).Start
	return l.First <= s.first && s.last < s.unit.BucketAt(l.Last).End &&
		(s.removed == 0 || removed < l.Last || removed <= l.Removed)
}

// grown returns the entry with the times of a series.
func (s *seen) grown(old storage.ListedSeries) storage.ListedSeries {
	next := old
	if s.first <= s.last {
		first, last := s.unit.BucketAt(s.first).Start, s.unit.BucketAt(s.last).Start
		next = storage.ListedSeries{Series: s.series, First: first, Last: last, Removed: old.Removed}
		if old.Series.Kind != "" {
			next.First, next.Last = min(old.First, first), max(old.Last, last)
		}
	}
	if removed := s.unit.BucketAt(s.removed).Start; s.removed != 0 && removed >= next.Last {
		next.Removed = max(next.Removed, removed)
	}
	return next
}

// listOnce writes an entry, as it was read, if another process has not made it cover the series already.
func (l *listing) listOnce(
	ctx context.Context, s *seen, entries, locks map[keys.Key]item.Item,
) (storage.WriteResult, error) {
	it, read := entries[tablekeys.SeriesEntry(s.series)]
	lock, lockRead := locks[tablekeys.PurgeLock(s.series.Subject)]
	switch {
	case !read, it == nil && !lockRead:
		return storage.Throttled, nil
	case it == nil && (lock != nil || s.first > s.last):
		return storage.Written, nil // a purged series is not listed again, nor is one for deletions
	}
	old, when := listed(it, s)
	if old.Series.Kind != "" && covers(old, s) {
		l.listed.put(old, l.Now())
		return storage.Written, nil
	}
	if old.Series.Kind == "" && s.first > s.last {
		return storage.Written, nil // a damaged entry is replaced with the next event
	}
	next := s.grown(old)
	if old.Series.Kind != "" {
		when = itemop.Precondition{equalTime(tablekeys.AttrFirst, old.First),
			equalTime(tablekeys.AttrLast, old.Last), sameRemoved(old.Removed)}
	}
	l.all.count(Counts{Listed: 1})
	result, err := l.store.PutAll(ctx, []itemop.Put{{Item: item.FromListedSeries(next), Precondition: when}})
	if err == nil && result == storage.Written {
		l.listed.put(next, l.Now())
		l.newDay(ctx, old, next)
	} else {
		l.listed.forget(s.series)
	}
	return result, err
}

// listed returns what an entry stores. Without an entry, the precondition is the one for a new
// entry. A damaged entry is replaced; an entry of a newer version is left alone.
func listed(it item.Item, s *seen) (storage.ListedSeries, itemop.Precondition) {
	if it == nil {
		return storage.ListedSeries{}, itemop.Precondition{{Op: itemop.ItemAbsent}}
	}
	l, err := item.ListedSeries(it)
	switch {
	case errors.Is(err, item.ErrNewer):
		return storage.ListedSeries{Series: s.series, First: model.MinTime, Last: s.last,
			Removed: s.removed}, nil
	case err != nil:
		return storage.ListedSeries{}, nil
	}
	return l, nil
}

func transientError(what string, err error) error {
	if err == nil {
		return nil
	}
	return readError(what, err)
}

// sameRemoved requires that an entry has the same time of deleted events, or none if it is 0.
func sameRemoved(at model.Time) itemop.Requirement {
	if at == 0 {
		return itemop.Requirement{Op: itemop.AttrAbsent, Attr: tablekeys.AttrRemoved}
	}
	return equalTime(tablekeys.AttrRemoved, at)
}

func equalTime(attr string, at model.Time) itemop.Requirement {
	return itemop.Requirement{Op: itemop.AttrEquals, Attr: attr,
		Value: item.Value{Type: item.S, S: at.String()}}
}
