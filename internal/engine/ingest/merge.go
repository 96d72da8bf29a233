package ingest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// firstCollision returns the position in pending of the first entry whose identity is
// stored with other fields, and the stored event; -1 if there is none.
func (p *plan) firstCollision(failed storage.StoreResult) (int, *model.Event) {
	found := make(map[int]*model.Event)
	for i, e := range p.identities {
		if i < len(failed.Stored) && failed.Stored[i] != nil && failed.Stored[i].Hash != e.event.Hash {
			found[e.index] = failed.Stored[i]
		}
	}
	for i, e := range p.pending {
		if stored := found[e.index]; stored != nil {
			return i, stored
		}
	}
	return -1, nil
}

// mergeAt appends entries of which the one at position i is to be merged with a stored
// event. Merging may change the latest item, so the entries before it are appended first.
// What a failed condition said about them is forgotten, because it is not final.
func (b *batch) mergeAt(ctx context.Context, entries []entry, i int, stored *model.Event) error {
	for _, e := range entries {
		b.results[e.index] = model.AppendResult{Outcome: model.Unknown, Key: e.event.Key()}
	}
	if err := b.appendPart(ctx, entries[:i]); err != nil || b.purging {
		return err
	}
	if err := b.merge(ctx, entries[i], stored); err != nil || b.purging {
		return err
	}
	return b.appendPart(ctx, entries[i+1:])
}

// merge adds the fields of e to the event that is stored under its identity, on condition
// that the event is still the one that was read. If it is also the event of the latest
// item, both are written in one transaction. Merging does not depend on the order of
// messages, and a repeated message is a duplicate. A field with two values is a collision.
func (b *batch) merge(ctx context.Context, e entry, stored *model.Event) error {
	for {
		merged, outcome := mergedEvent(stored, &e.event)
		if outcome != model.Applied {
			b.decide([]entry{e}, outcome)
			return nil
		}
		tx, err := b.mergeTransaction(&merged, stored, e.event.Attrs)
		if err != nil {
			return err
		}
		result, err := b.send(ctx, func(ctx context.Context) (storage.StoreResult, error) {
			return b.Store.Append(ctx, tx)
		})
		switch {
		case isTooLarge(err):
			b.rejectTooLarge(e)
			return nil
		case err != nil:
			return err
		case result.Result == storage.Written:
			b.mergeWritten(e, &tx)
			return nil
		}
		if decided := b.mergeFailed(e, &tx, result); decided {
			return nil
		}
		if found := result.Stored[0]; found != nil && found.Hash == stored.Hash && !found.Unreadable {
			b.decide([]entry{e}, model.Collision) // it is about to expire, so it is not changed
			return nil
		} else if found != nil {
			stored = found
		}
	}
}

// mergedEvent returns stored with the fields of e. The outcome is Applied if the result
// must be written, Duplicate if stored already has all fields of e, and Collision if a
// field has two values or the event would be too large.
func mergedEvent(stored, e *model.Event) (model.Event, model.Outcome) {
	if stored.Unreadable {
		return model.Event{}, model.Collision
	}
	for _, a := range e.Attrs {
		if v, exists := stored.Attrs.Get(a.Name); exists && v != a.Value {
			return model.Event{}, model.Collision
		}
	}
	merged, key := *stored, keys.Event(stored.Key())
	merged.Attrs = stored.Attrs.Union(e.Attrs)
	switch {
	case len(merged.Attrs) == len(stored.Attrs):
		return model.Event{}, model.Duplicate
	case itemSize(len(key.PK)+len(key.SK), merged.Attrs) > maxEventBytes:
		return model.Event{}, model.Collision
	}
	merged.Hash = model.HashAttrs(merged.Attrs)
	merged.IndexBy = e.IndexBy
	// A repair finds events by their arrival, and computes from it when they expire.
	merged.ArrivedAt = max(stored.ArrivedAt, e.ArrivedAt)
	if stored.ExpiresAt != 0 && e.ExpiresAt != 0 {
		merged.ExpiresAt = max(stored.ExpiresAt, e.ExpiresAt)
	} else {
		merged.ExpiresAt = 0
	}
	return merged, model.Applied
}

// mergeTransaction writes a merged event, and adds the new fields to the latest item if it
// is of the same event.
func (b *batch) mergeTransaction(merged, stored *model.Event,
	added model.Attrs) (storage.AppendTransaction, error) {
	token, err := ids.Token(b.Rand)
	if err != nil {
		return storage.AppendTransaction{}, err
	}
	tx := storage.AppendTransaction{Token: token,
		Merge: &storage.EventMerge{Event: *merged, Was: stored.Hash, Now: b.Now()}}
	switch {
	case b.latest != nil && b.latest.Ordered && b.latest.Order == merged.Order:
		tx.Latest = &storage.LatestWrite{
			Series: merged.Series, Same: true, First: merged.Order, Last: merged.Order, Hash: merged.Hash,
			Set: added, Now: merged.ArrivedAt, Condition: b.condition, Entries: indexEntries(b.kind, merged),
		}
		return tx, nil
	case len(b.condition) > 0:
		tx.Check = &storage.LatestCheck{Series: merged.Series, Condition: b.condition}
	}
	tx.PurgeLock = &merged.Series.Subject
	return tx, nil
}

func (b *batch) mergeWritten(e entry, tx *storage.AppendTransaction) {
	switch {
	case tx.Latest != nil:
		latest := *b.latest
		latest.Attrs, latest.Hash = latest.Attrs.Union(tx.Latest.Set), tx.Latest.Hash
		b.latest = &latest
		b.decide([]entry{e}, model.Applied)
	case !b.kind.LatestInTransaction():
		b.decide([]entry{e}, model.Applied)
	default:
		b.decide([]entry{e}, model.Late)
	}
}

// mergeFailed takes what a failed merge says about the latest item and the purge lock, and
// reports whether that decides e.
func (b *batch) mergeFailed(e entry, tx *storage.AppendTransaction,
	failed storage.StoreResult) (decided bool) {
	latest := failed.Latest
	if failed.LatestFailed {
		b.latest = latest
	}
	switch {
	case failed.PurgeLockFailed || latest != nil && latest.PurgeLocked:
		b.purging = true
		b.decide([]entry{e}, model.Gone)
		return true
	case failed.Stored[0] != nil || !failed.LatestFailed:
		return false
	case tx.Check != nil || latest != nil && latest.Ordered && latest.Order == e.event.Order:
		b.decide([]entry{e}, model.Conflict)
		return true
	}
	return false // the latest item has another order: only the event is to be written
}

// merges reports whether colliding events of the kind are merged.
func merges(k *catalog.Kind) bool { return k.OnCollision == catalog.MergeCollision }
