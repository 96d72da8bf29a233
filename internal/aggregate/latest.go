package aggregate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// LatestStore stores latest items that are derived from events. Each method is one request.
type LatestStore interface {
	// GetItem reads one item, strongly consistent; nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// Update changes the attributes that an action names, on its precondition.
	Update(ctx context.Context, a table.Action) (storage.WriteResult, error)
	// PurgeLocked reports whether a subject has a purge lock, strongly consistent.
	PurgeLocked(ctx context.Context, subject model.Subject) (bool, error)
}

// derivesLatest reports whether the latest items of a kind are folded from its events.
func derivesLatest(k *catalog.Kind) bool { return k.HasLatest() && !k.LatestInTransaction() }

// foldsLatest reports whether the latest item is folded together with the bucket: with each
// recomputation of a bucket that is folded from events.
func (r *recomputation) foldsLatest() bool {
	b := r.bucket
	return derivesLatest(b.kind) && b.kind.Retention.ChildLevel(b.level, b.interval) < 0 && !b.options.DryRun
}

// deletedIn is a series from which the change at an index deleted an event.
type deletedIn struct {
	kind   *catalog.Kind
	series model.Series
	change int
}

// seeDeleted notes that the latest item of a series may be of a deleted event.
func (c *chunk) seeDeleted(kind *catalog.Kind, s model.Series) {
	if !derivesLatest(kind) {
		return
	}
	for _, d := range c.deleted {
		if d.series == s {
			return
		}
	}
	c.deleted = append(c.deleted, deletedIn{kind, s, c.end})
}

// foldDeleted folds the latest items of series with deletions at once, also if the bucket is
// left to a sweep: until then a read would return the deleted event.
func (a *Aggregator) foldDeleted(ctx context.Context, c *chunk, limits Limits, all *results) {
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, d := range c.deleted {
		group.Go(func() error {
			var counts Counts
			err := a.foldLatest(ctx, d.kind, d.series, true, &counts)
			all.count(counts)
			if err != nil {
				all.addFailure(d.change, err)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
}

// foldLatest makes the latest item of a series that of the newest event. With always it writes
// an unchanged item too, for the reason of writeIfChanged.
func (a *Aggregator) foldLatest(ctx context.Context, kind *catalog.Kind, s model.Series, always bool, counts *Counts) error {
	store, ok := a.Store.(LatestStore)
	if !ok {
		return fmt.Errorf("the store %T stores no latest items, which kind %s derives", a.Store, kind.Name)
	}
	err := a.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		f := latestFold{agg: a, store: store, kind: kind, series: s, always: always, counts: counts}
		return f.attempt(ctx)
	})
	if err != nil {
		return fmt.Errorf("fold the latest item of %s: %w", s, err)
	}
	return nil
}

// latestFold is one attempt to fold a latest item.
type latestFold struct {
	agg    *Aggregator
	store  LatestStore
	kind   *catalog.Kind
	series model.Series
	always bool
	counts *Counts
}

// attempt reads the item and then the newest event, and writes the item on its revision, as
// recomputation.attempt does with rows. An item is created only if the subject is not being
// purged; one that a purge has locked is left alone.
func (f *latestFold) attempt(ctx context.Context) (storage.WriteResult, error) {
	f.counts.Reads += 2
	stored, err := f.store.GetItem(ctx, keys.Latest(f.series))
	if err != nil {
		return 0, readError("read latest item", err)
	}
	was, err := item.ReadDerivedLatest(stored)
	if err != nil || was.PurgeLocked {
		return storage.Written, err
	}
	newest, err := storage.NewestEvent(ctx, f.agg.Store, f.series)
	if err != nil {
		return 0, readError("read newest event", err)
	}
	next := nextLatest(was, newest, f.agg.Now())
	if !f.always && sameLatest(&was, &next) {
		return storage.Written, nil
	}
	if stored == nil {
		if locked, err := f.store.PurgeLocked(ctx, f.series.Subject); err != nil || locked {
			return storage.Written, transientError("read purge lock", err)
		}
	}
	return f.write(ctx, stored, &was, &next)
}

// expiryMargin is how long before its expiry the event of a latest item that is not stored any
// more counts as expired. Until then a user deleted it.
const expiryMargin = time.Hour

// nextLatest returns the item that follows was, given the newest event that is stored.
func nextLatest(was item.DerivedLatest, newest *model.Event, now model.Time) item.DerivedLatest {
	next := was
	switch {
	case newest != nil && (!was.Ordered || !newest.Before(was.Order)):
	case !was.Ordered || !was.ExpiryKnown:
		return next
	case was.ExpiresAt != 0 && now.Add(expiryMargin).Seconds() >= was.ExpiresAt:
		return next // the event has expired, or is about to
	}
	next.Latest = model.Latest{Series: was.Series, CreatedAt: was.CreatedAt}
	if newest != nil {
		next.Latest = model.Latest{Series: newest.Series, Ordered: true, Order: newest.Order, Hash: newest.Hash, Attrs: newest.Attrs, CreatedAt: was.CreatedAt}
		next.ExpiresAt, next.ExpiryKnown = newest.ExpiresAt, true
	}
	return next
}

// sameLatest reports whether a stored item is already the next one.
func sameLatest(was, next *item.DerivedLatest) bool {
	return was.Ordered == next.Ordered && was.Order == next.Order && was.Hash == next.Hash &&
		was.ExpiresAt == next.ExpiresAt && was.ExpiryKnown == next.ExpiryKnown
}

// write sets what belongs to the event and removes what belonged to another event. It names no
// field that is declared as enrichment.
func (f *latestFold) write(ctx context.Context, stored item.Item, was, next *item.DerivedLatest) (storage.WriteResult, error) {
	rev, err := f.agg.newRev()
	if err != nil {
		return 0, err
	}
	set := *next
	set.Series, set.Rev = f.series, rev
	if !next.Ordered || next.Hash == was.Hash {
		set.Attrs = nil // stored already, or enrichment only
	}
	if set.CreatedAt = 0; next.Ordered && was.CreatedAt == 0 {
		set.CreatedAt = f.agg.Now()
	}
	a := table.Action{Key: keys.Latest(f.series), Set: item.FromDerivedLatest(&set), Precondition: unchanged(stored)}
	for _, old := range was.Attrs {
		if _, kept := next.Attrs.Get(old.Name); !kept && !f.kind.IsEnrichment(old.Name) {
			a.Remove = append(a.Remove, old.Name)
		}
	}
	if !next.Ordered {
		a.Remove = append(a.Remove, tablekeys.AttrAt, tablekeys.AttrID, tablekeys.AttrHash, tablekeys.AttrUntil)
	}
	f.counts.Writes++
	result, err := f.store.Update(ctx, a)
	f.counts.countResult(result)
	if errors.Is(err, storage.ErrTooLarge) { // event and enrichment together; reads return the event while it is stored
		return storage.Written, nil
	}
	return result, err
}

// unchanged is the precondition that neither a fold nor an append nor a purge has written the
// item since it was read.
func unchanged(stored item.Item) (when table.Precondition) {
	for _, attr := range []string{tablekeys.AttrRev, tablekeys.AttrAt, tablekeys.AttrID, tablekeys.AttrPurgeLock} {
		if v, there := stored[attr]; there {
			when = append(when, table.Requirement{Op: table.AttrEquals, Attr: attr, Value: v})
		} else {
			when = append(when, table.Requirement{Op: table.AttrAbsent, Attr: attr})
		}
	}
	return when
}
