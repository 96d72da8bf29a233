package ingest

import (
	"context"
	"fmt"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// EditStore is the table of an Editor.
type EditStore interface {
	Store
	ChangeStore
	latest.Store
}

// Editor corrects and deletes stored events for people and programs that name them by their
// identity. The latest item follows at once, and the rollups from the table stream. An Editor is
// safe for concurrent use.
type Editor struct {
	Service *Service // whose Store is not used
	Store   EditStore
}

// EditOutcome is what an edit did.
type EditOutcome string

// The outcomes of an edit.
const (
	Corrected EditOutcome = "corrected"
	Deleted   EditOutcome = "deleted"
	NotFound  EditOutcome = "not-found" // there is no such event, or it expires within minutes
	Changed   EditOutcome = "changed"   // the event has another hash than expected: nothing was written
)

// Edit is the result of an edit. Event is the stored event after it; nil if there is none.
type Edit struct {
	Outcome EditOutcome
	Event   *model.Event
}

// Correct replaces the fields of the event that has the identity of o. If expect is set, the
// stored event must have that hash; a repetition of a correction that was made is Corrected too.
// The error may be model.FieldErrors, or wrap model.ErrUndecided: then a repetition is safe.
func (e *Editor) Correct(ctx context.Context, kind *catalog.Kind, o TypedObservation,
	expect *model.Hash) (Edit, error) {
	order := model.Order{At: o.At, ID: o.ID}
	k := model.EventKey{Series: kind.Series(o.Subject, o.Stream, order), Order: order}
	return e.CorrectAt(ctx, kind, k, o, expect)
}

// CorrectAt is Correct for an event whose key the caller knows: in a kind that orders its events by a
// field, o has that field and no time.
func (e *Editor) CorrectAt(
	ctx context.Context, kind *catalog.Kind, k model.EventKey, o TypedObservation, expect *model.Hash,
) (Edit, error) {
	stored, err := e.stored(ctx, k)
	if err != nil || stored == nil {
		return Edit{Outcome: NotFound}, err
	}
	event, err := e.Service.corrected(kind, o, stored)
	switch {
	case err != nil:
		return Edit{}, err
	case expect == nil:
		done, err := e.Service.Correct(ctx, e.Store, kind, o, stored)
		if err == nil && done {
			err = e.Service.foldLatest(ctx, e.Store, kind,
				storage.Change{Type: storage.Corrected, Key: k, Before: stored, After: &event})
		}
		return e.edited(ctx, k, event.Hash, done, err)
	case stored.Hash != *expect:
		return e.edited(ctx, k, event.Hash, false, nil)
	}
	token, err := ids.Token(e.Service.Rand)
	if err != nil {
		return Edit{}, err
	}
	e.Service.ensureQueued(ctx, kind, queue.Event{EventKey: k, Before: stored, After: &event})
	tx := storage.AppendTransaction{Token: token,
		Merge: &storage.EventMerge{Event: event, Was: *expect, Now: e.Service.Now()}}
	result, err := e.Service.change(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		r, err := e.Store.Append(ctx, tx)
		return r.Result, err
	})
	if err == nil && result == storage.Written {
		err = e.Service.foldLatest(ctx, e.Store, kind,
			storage.Change{Type: storage.Corrected, Key: k, Before: stored, After: &event})
	}
	return e.edited(ctx, k, event.Hash, result == storage.Written, err)
}

// Patch sets some fields of a stored event and keeps the others; a null field is removed. The
// event must not change between the read and the write, or the outcome is Changed.
func (e *Editor) Patch(ctx context.Context, kind *catalog.Kind, k model.EventKey, patch model.Attrs,
	expect *model.Hash) (Edit, error) {
	stored, err := e.stored(ctx, k)
	if err != nil || stored == nil {
		return Edit{Outcome: NotFound}, err
	}
	if expect == nil && !stored.Unreadable {
		expect = &stored.Hash
	}
	was := stored.Attrs
	if webfield.HasProperties(patch) {
		was = kind.Named(was)
	}
	fields := slices.DeleteFunc(slices.Clone(was), func(a model.Attr) bool {
		_, replaced := patch.Get(a.Name)
		return replaced
	})
	for _, a := range patch {
		if a.Value.Kind != model.Null {
			fields = append(fields, a)
		}
	}
	return e.Correct(ctx, kind, TypedObservation{Subject: k.Series.Subject.ID, Stream: k.Series.Stream, At: k.At,
		ID: k.ID, Attrs: fields}, expect)
}

// edited returns the result of a correction that would store the hash.
func (e *Editor) edited(ctx context.Context, k model.EventKey, hash model.Hash, done bool,
	err error) (Edit, error) {
	if err != nil {
		return Edit{}, fmt.Errorf("correct event of %s: %w", k.Series, err)
	}
	stored, err := e.stored(ctx, k)
	switch {
	case err != nil || stored == nil:
		return Edit{Outcome: NotFound}, err
	case done || stored.Hash == hash:
		return Edit{Outcome: Corrected, Event: stored}, nil
	}
	return Edit{Outcome: Changed, Event: stored}, nil
}

// Delete deletes an event. If expect is set, the stored event must have that hash. The error
// may wrap model.ErrUndecided.
func (e *Editor) Delete(ctx context.Context, kind *catalog.Kind, k model.EventKey,
	expect *model.Hash) (Edit, error) {
	stored, err := e.stored(ctx, k)
	if expect == nil {
		deleted := false
		if err == nil {
			deleted, err = e.Service.Delete(ctx, e.Store, kind, k)
		}
		if !deleted {
			return Edit{Outcome: NotFound}, err
		}
		return Edit{Outcome: Deleted},
			e.Service.foldLatest(ctx, e.Store, kind, storage.Change{Type: storage.Deleted, Key: k, Before: stored})
	}
	switch {
	case err != nil || stored == nil:
		return Edit{Outcome: NotFound}, err
	case stored.Hash != *expect:
		return Edit{Outcome: Changed, Event: stored}, nil
	}
	token, err := ids.Token(e.Service.Rand)
	if err != nil {
		return Edit{}, err
	}
	e.Service.ensureQueued(ctx, kind, queue.Event{EventKey: k, Before: stored})
	tx := itemop.Transaction{Token: token, Actions: []itemop.Action{deletion(stored)}}
	result, err := e.Service.change(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		r, err := e.Store.Commit(ctx, tx)
		return r.Result, err
	})
	switch {
	case err != nil:
		return Edit{}, fmt.Errorf("delete event of %s: %w", k.Series, err)
	case result == storage.Written:
		return Edit{Outcome: Deleted},
			e.Service.foldLatest(ctx, e.Store, kind, storage.Change{Type: storage.Deleted, Key: k, Before: stored})
	}
	if stored, err = e.stored(ctx, k); err != nil || stored == nil {
		return Edit{Outcome: NotFound}, err
	}
	return Edit{Outcome: Changed, Event: stored}, nil
}

// stored returns the event of an identity; nil if there is none, or if it is left to expire.
func (e *Editor) stored(ctx context.Context, k model.EventKey) (*model.Event, error) {
	stored, err := storage.Event(ctx, e.Store, k)
	if err != nil || stored == nil {
		return nil, err
	}
	if stored.ExpiresAt != 0 && stored.ExpiresAt <= e.Service.Now().Add(tier.ExpiryMargin).Seconds() {
		return nil, nil
	}
	return stored, nil
}

// deletion deletes an event on condition that neither its fields nor its expiry changed.
func deletion(stored *model.Event) itemop.Action {
	it := item.FromEvent(stored)
	a := itemop.Action{Key: keys.Event(stored.Key()), Delete: true, Precondition: itemop.Precondition{
		{Op: itemop.AttrEquals, Attr: tablekeys.AttrHash, Value: it[tablekeys.AttrHash]},
	}}
	if at, expires := it[keys.AttrExpiresAt]; expires {
		return withRequirement(a, itemop.Requirement{Op: itemop.AttrEquals, Attr: keys.AttrExpiresAt, Value: at})
	}
	return withRequirement(a, itemop.Requirement{Op: itemop.AttrAbsent, Attr: keys.AttrExpiresAt})
}

func withRequirement(a itemop.Action, r itemop.Requirement) itemop.Action {
	a.Precondition = append(a.Precondition, r)
	return a
}
