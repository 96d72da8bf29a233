package latest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Folder folds latest items. Its methods are safe for concurrent use if the methods of its fields are.
type Folder struct {
	Store   Store
	Now     func() model.Time
	NewRev  func() (rollup.Rev, error) // the nonce of one write
	Retrier retry.Retrier
}

// Report says what folds did.
type Report struct {
	Reads   int                   // requests
	Writes  []storage.WriteResult // of each write
	Skipped int                   // events that could not be decoded
	Bounded int                   // folds that ended before the oldest event of a field was found
}

// Fold folds the latest item of a series for changes of its events, which are committed. With always it
// writes an unchanged item too: an earlier fold that read events before the changes can then not write any
// more. Errors of reads are retried. The error wraps item.ErrNewer if the item has a newer format: it is
// then unchanged. An event that cannot be decoded changes nothing of an item.
func (f *Folder) Fold(ctx context.Context, kind *catalog.Kind, s model.Series, changes []storage.Change,
	always bool) (Report, error) {
	var report Report
	err := f.Retrier.UntilWritten(ctx, transient, func(ctx context.Context) (storage.WriteResult, error) {
		one := fold{Folder: f, kind: kind, series: s, changes: changes, always: always, report: &report}
		return one.attempt(ctx)
	})
	if err != nil {
		return report, fmt.Errorf("fold the latest item of %s: %w", s, err)
	}
	return report, nil
}

// errTransient marks the error of a read that may succeed when it is repeated.
var errTransient = errors.New("no result")

func transient(err error) bool { return errors.Is(err, errTransient) }

func readError(what string, err error) error {
	if err == nil || errors.Is(err, item.ErrNewer) || errors.Is(err, item.ErrDamaged) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", what, errTransient, err)
}

// fold is one attempt to fold a latest item.
type fold struct {
	*Folder
	kind    *catalog.Kind
	series  model.Series
	changes []storage.Change
	always  bool
	report  *Report
}

// attempt reads the item and then the events, and writes the item on its revision. An item is created only if
// the subject is not being purged; one that a purge has locked is left alone.
func (f *fold) attempt(ctx context.Context) (storage.WriteResult, error) {
	f.report.Reads++
	stored, err := f.Store.GetItem(ctx, keys.Latest(f.series))
	if err != nil {
		return 0, readError("read latest item", err)
	}
	was, err := item.ReadDerivedLatest(stored)
	if err != nil || was.PurgeLocked {
		return storage.Written, err
	}
	next, needed, err := f.next(ctx, was)
	if err != nil {
		return 0, err
	}
	if !needed && !f.entriesDiffer(stored, next.Attrs) {
		return storage.Written, nil
	}
	if stored == nil {
		if locked, err := f.Store.PurgeLocked(ctx, f.series.Subject); err != nil || locked {
			return storage.Written, readError("read purge lock", err)
		}
	}
	return f.write(ctx, stored, &was, &next)
}

// next returns the item that follows was, and whether it must be written.
func (f *fold) next(ctx context.Context,
	was item.DerivedLatest) (next item.DerivedLatest, needed bool, err error) {
	if !f.kind.LatestInTransaction() {
		newest, held, err := f.newestReadable(ctx, &was)
		if err != nil {
			return next, false, err
		}
		if held {
			return was, f.always, nil
		}
		next = nextDerived(f.kind, was, newest, f.Now())
		return next, f.always || !sameEvent(&was, &next), nil
	}
	return f.nextOfFields(ctx, was)
}

// expiryMargin is how long before its expiry the event of a latest item that is not stored any
// more counts as expired. Until then a user deleted it.
const expiryMargin = time.Hour

// nextDerived returns the item that follows was in a kind whose latest items have the fields of one event,
// given the newest event that is stored. Enrichment stays.
func nextDerived(kind *catalog.Kind, was item.DerivedLatest, newest *model.Event,
	now model.Time) item.DerivedLatest {
	next := was
	switch {
	case newest != nil && (!was.Ordered || !newest.Before(was.Order)):
	case !was.Ordered || !was.ExpiryKnown:
		return next
	case was.ExpiresAt != 0 && now.Add(expiryMargin).Seconds() >= was.ExpiresAt:
		return next // the event has expired, or is about to
	}
	next.Latest = model.Latest{Series: was.Series, CreatedAt: was.CreatedAt, Attrs: enrichment(kind, was.Attrs)}
	if newest != nil {
		next.Ordered = true
		next.Order, next.Hash = newest.Order, newest.Hash
		next.Attrs = next.Attrs.Union(newest.Attrs)
		next.ExpiresAt, next.ExpiryKnown = newest.ExpiresAt, true
	}
	return next
}

func enrichment(kind *catalog.Kind, attrs model.Attrs) (all model.Attrs) {
	for _, a := range attrs {
		if kind.IsEnrichment(a.Name) {
			all = append(all, a)
		}
	}
	return all
}

// sameEvent reports whether a stored item is already of the event of the next one.
func sameEvent(was, next *item.DerivedLatest) bool {
	return was.Ordered == next.Ordered && was.Order == next.Order && was.Hash == next.Hash &&
		was.ExpiresAt == next.ExpiresAt && was.ExpiryKnown == next.ExpiryKnown
}

// write sets and removes what differs between the stored item and the next one.
func (f *fold) write(ctx context.Context, stored item.Item,
	was, next *item.DerivedLatest) (storage.WriteResult, error) {
	rev, err := f.NewRev()
	if err != nil {
		return 0, err
	}
	set := *next
	set.Series, set.Rev = f.series, rev
	set.Attrs = changedAttrs(was.Attrs, next.Attrs)
	if set.CreatedAt = 0; next.Ordered && was.CreatedAt == 0 {
		set.CreatedAt = f.Now()
	}
	a := itemop.Action{Key: keys.Latest(f.series), Set: item.FromDerivedLatest(&set),
		Precondition: unchanged(stored)}
	for _, old := range was.Attrs {
		if _, kept := next.Attrs.Get(old.Name); !kept {
			a.Remove = append(a.Remove, old.Name)
		}
	}
	if !next.Ordered {
		a.Remove = append(a.Remove, tablekeys.AttrAt, tablekeys.AttrID, tablekeys.AttrHash, tablekeys.AttrUntil)
	}
	f.setEntries(&a, stored, next.Attrs)
	f.setExpiry(&a, stored, next)
	result, err := f.Store.Update(ctx, a)
	f.report.Writes = append(f.report.Writes, result)
	if errors.Is(err, storage.ErrTooLarge) { // with enrichment: reads return the event while it is stored
		return storage.Written, nil
	}
	return result, err
}

// changedAttrs returns the fields of next that are not equal in was.
func changedAttrs(was, next model.Attrs) (changed model.Attrs) {
	for _, a := range next {
		if v, has := was.Get(a.Name); !has || v != a.Value {
			changed = append(changed, a)
		}
	}
	return changed
}

// setEntries adds the index keys that differ from the keys of the stored item. They are composed of the whole
// item: one that lacks a field of an index is not in the index.
func (f *fold) setEntries(a *itemop.Action, stored item.Item, attrs model.Attrs) {
	for _, x := range f.kind.LatestBy {
		key := Entry(f.series, x, attrs)
		if stored.IndexKey(x.Index) == key {
			continue
		}
		if key != (keys.Key{}) {
			a.Set.SetIndex(x.Index, key)
			continue
		}
		partition, sort := item.IndexAttrs(x.Index)
		a.Remove = append(a.Remove, partition, sort)
	}
}

// entriesDiffer reports whether an index has the stored item under another key than its fields give: an
// append that had only some of them could not tell.
func (f *fold) entriesDiffer(stored item.Item, attrs model.Attrs) bool {
	return slices.ContainsFunc(f.kind.LatestBy, func(x catalog.LatestIndex) bool {
		return stored.IndexKey(x.Index) != Entry(f.series, x, attrs)
	})
}

// Concerns reports whether the latest item must be folded for a change that the table stream delivers: not
// for events that an append made part of it, not for what has expired, and not for a record without images.
func Concerns(kind *catalog.Kind, c *storage.Change) bool {
	switch {
	case !kind.HasLatest() || c.Type == storage.Expired:
		return false
	case !kind.LatestInTransaction():
		return c.Type == storage.Deleted // others are folded with their buckets
	case c.Before == nil && c.After == nil:
		return false
	case c.Type != storage.Inserted || c.After.Late:
		return true
	}
	return slices.ContainsFunc(kind.LatestBy, func(x catalog.LatestIndex) bool {
		named := 0
		for _, name := range x.Fields() {
			if _, has := c.After.Attrs.Get(name); has {
				named++
			}
		}
		return named > 0 && named < len(x.Fields())
	})
}

// Entry returns the key of a latest item with these fields in an index; the zero Key if it lacks one of
// them, or if the table cannot store the key.
func Entry(s model.Series, x catalog.LatestIndex, attrs model.Attrs) keys.Key {
	var values []string
	for _, name := range x.Fields() {
		v, _ := attrs.Get(name)
		text, ok := v.Plain()
		if !ok {
			return keys.Key{}
		}
		values = append(values, text)
	}
	key := tablekeys.LatestEntry(s, values[:len(x.By)], values[len(x.By):])
	if key.Check() != nil {
		return keys.Key{}
	}
	return key
}

// unchanged is the precondition that neither a fold nor an append nor a purge has written the item since it
// was read. An enrichment may have: a fold names no field of it.
func unchanged(stored item.Item) (when itemop.Precondition) {
	for _, attr := range []string{tablekeys.AttrRev, tablekeys.AttrAt, tablekeys.AttrID, tablekeys.AttrHash,
		tablekeys.AttrPurgeLock} {
		if v, there := stored[attr]; there {
			when = append(when, itemop.Requirement{Op: itemop.AttrEquals, Attr: attr, Value: v})
		} else {
			when = append(when, itemop.Requirement{Op: itemop.AttrAbsent, Attr: attr})
		}
	}
	return when
}
