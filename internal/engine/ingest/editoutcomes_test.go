package ingest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// before lets something happen between what an editor reads and what it writes.
type before struct {
	*memory.Table
	write func()
}

func (b *before) now() {
	if write := b.write; write != nil {
		b.write = nil
		write()
	}
}

func (b *before) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	b.now()
	return b.Table.Append(ctx, tx)
}

func (b *before) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	b.now()
	return b.Table.Commit(ctx, tx)
}

// edits are a kind, a table with one event, and an editor of it.
type edits struct {
	*ingest.Editor
	testing.TB
	kind  *catalog.Kind
	table *memory.Table
	event model.Event
}

func newEdits(t *testing.T) *edits {
	kind, m := newKind(t, keeping), memory.New(clock)
	service := serviceOn(m, 1)
	appendAll(t, service, kind, observation(minute(1), "a", num("t", 1)))
	return &edits{
		Editor: &ingest.Editor{Service: service, Store: m}, TB: t, kind: kind, table: m,
		event: readEvents(t, m, series(kind))[0],
	}
}

// stored returns the only event; nil if there is none.
func (e *edits) stored() *model.Event {
	e.Helper()
	if all := readEvents(e, e.table, series(e.kind)); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// other is what another process does: it corrects the event, or deletes it.
func (e *edits) other(value int64) func() {
	return func() {
		e.Helper()
		changed := e.event
		changed.Attrs = model.Attrs{num("t", value)}
		changed.Hash = model.HashAttrs(changed.Attrs)
		_, err := e.table.CorrectEvent(context.Background(), changed, clock())
		if value == 0 {
			_, err = e.table.DeleteEvent(context.Background(), changed.Key(), clock())
		}
		if err != nil {
			e.Fatal(err)
		}
	}
}

// prolonged is what a merge does: the event expires later, or never if later is 0.
func (e *edits) prolonged(later time.Duration) func() {
	return func() {
		e.Helper()
		changed := e.event
		if changed.ExpiresAt += int64(later.Seconds()); later == 0 {
			changed.ExpiresAt = 0
		}
		if err := e.table.PutItem(context.Background(), item.FromEvent(&changed)); err != nil {
			e.Fatal(err)
		}
	}
}

var wrongHash = model.Hash{0xff}

func TestEditor_TheOutcomeSaysWhatIsStored(t *testing.T) {
	t.Parallel()
	sent := observation(minute(1), "a", num("t", 5))
	correct := func(expect func(*edits) *model.Hash, o ingest.TypedObservation) func(*edits) (ingest.Edit,
		error) {
		return func(e *edits) (ingest.Edit, error) { return e.Correct(context.Background(), e.kind, o, expect(e)) }
	}
	remove := func(expect func(*edits) *model.Hash) func(*edits) (ingest.Edit, error) {
		return func(e *edits) (ingest.Edit, error) {
			return e.Delete(context.Background(), e.kind, e.event.Key(), expect(e))
		}
	}
	patch := func(e *edits) (ingest.Edit, error) {
		return e.Patch(context.Background(), e.kind, e.event.Key(), sent.Attrs, nil)
	}
	any := func(*edits) *model.Hash { return nil }
	right := func(e *edits) *model.Hash { return &e.event.Hash }
	wrong := func(*edits) *model.Hash { return &wrongHash }
	absent := sent
	absent.ID = "b"
	for name, c := range map[string]struct {
		edit   func(*edits) (ingest.Edit, error)
		before func(*edits) func() // what happens before the write; nil: nothing
		want   ingest.EditOutcome
		stored int64 // the value that is stored afterwards; 0 for none
	}{
		"correct whatever is stored":        {correct(any, sent), nil, ingest.Corrected, 5},
		"correct what is expected":          {correct(right, sent), nil, ingest.Corrected, 5},
		"correct another event":             {correct(wrong, sent), nil, ingest.Changed, 1},
		"correct to what is stored already": {correct(wrong, observation(minute(1), "a", num("t", 1))), nil, ingest.Corrected, 1},
		"correct an event that is absent":   {correct(right, absent), nil, ingest.NotFound, 1},
		"correct, changed meanwhile":        {correct(right, sent), func(e *edits) func() { return e.other(7) }, ingest.Changed, 7},
		"correct, corrected so meanwhile":   {correct(right, sent), func(e *edits) func() { return e.other(5) }, ingest.Corrected, 5},
		"correct, deleted meanwhile":        {correct(right, sent), func(e *edits) func() { return e.other(0) }, ingest.NotFound, 0},
		"patch":                             {patch, nil, ingest.Corrected, 5},
		"patch, changed meanwhile":          {patch, func(e *edits) func() { return e.other(7) }, ingest.Changed, 7},
		"patch, deleted meanwhile":          {patch, func(e *edits) func() { return e.other(0) }, ingest.NotFound, 0},
		"delete whatever is stored":         {remove(any), nil, ingest.Deleted, 0},
		"delete what is expected":           {remove(right), nil, ingest.Deleted, 0},
		"delete another event":              {remove(wrong), nil, ingest.Changed, 1},
		"delete, changed meanwhile":         {remove(right), func(e *edits) func() { return e.other(7) }, ingest.Changed, 7},
		"delete, prolonged meanwhile":       {remove(right), func(e *edits) func() { return e.prolonged(time.Hour) }, ingest.Changed, 1},
		"delete, kept for ever meanwhile":   {remove(right), func(e *edits) func() { return e.prolonged(0) }, ingest.Changed, 1},
		"delete, deleted meanwhile":         {remove(right), func(e *edits) func() { return e.other(0) }, ingest.NotFound, 0},
	} {
		e := newEdits(t)
		if c.before != nil {
			e.Store = &before{e.table, c.before(e)}
		}
		got, err := c.edit(e)
		if err != nil || got.Outcome != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got.Outcome, err, c.want)
		}
		after := e.stored()
		value := int64(0)
		if after != nil {
			v, _ := after.Attrs.Get("t")
			value = int64(v.Number.Float64())
		}
		if value != c.stored {
			t.Errorf("%s: %d is stored, want %d", name, value, c.stored)
		}
		reports := c.want == ingest.Corrected || c.want == ingest.Changed
		if (got.Event != nil) != reports || reports && got.Event.Hash != after.Hash {
			t.Errorf("%s: the result has the event %+v, stored is %+v", name, got.Event, after)
		}
	}
	e := newEdits(t)
	if _, err := e.Delete(t.Context(), e.kind, e.event.Key(), nil); err != nil {
		t.Fatal(err)
	}
	for _, expect := range []*model.Hash{nil, &e.event.Hash} {
		if got, err := e.Delete(t.Context(), e.kind, e.event.Key(), expect); err != nil ||
			got.Outcome != ingest.NotFound {
			t.Errorf("delete again: %s, %v; want %s", got.Outcome, err, ingest.NotFound)
		}
	}
}

// A correction names the event by an id, also of a kind whose ids are made by the server.
func TestEditor_CorrectsAnEventWhoseIDWasMade(t *testing.T) {
	t.Parallel()
	kind, m := newKind(t, madeIDs), memory.New(clock)
	service := serviceOn(m, 1)
	id := appendAll(t, service, kind, observation(minute(1), "", num("t", 1)))[0].Key.ID
	editor := &ingest.Editor{Service: service, Store: m}
	got, err := editor.Correct(t.Context(), kind, observation(minute(1), id, num("t", 5)), nil)
	if err != nil || got.Outcome != ingest.Corrected || id == "" || got.Event.ID != id {
		t.Errorf("event %q: %+v, %v; want it corrected", id, got, err)
	}
}

// An event that expires within minutes is left to expire: an edit does not find it.
func TestEditor_DoesNotFindAnEventThatIsAboutToExpire(t *testing.T) {
	t.Parallel()
	for remaining, found := range map[time.Duration]bool{tier.ExpiryMargin: false,
		tier.ExpiryMargin + time.Second: true} {
		e := newEdits(t)
		e.Service.Now = func() model.Time { return model.Time(e.event.ExpiresAt * 1000).Add(-remaining) }
		for name, edit := range map[string]func() (ingest.Edit, error){
			"patch": func() (ingest.Edit, error) {
				return e.Patch(t.Context(), e.kind, e.event.Key(), model.Attrs{num("t", 2)}, &wrongHash)
			},
			"delete": func() (ingest.Edit, error) { return e.Delete(t.Context(), e.kind, e.event.Key(), &wrongHash) },
		} {
			if got, err := edit(); err != nil || (got.Outcome == ingest.Changed) != found ||
				(got.Outcome == ingest.NotFound) == found {
				t.Errorf("%s, %s before it expires: %s, %v; found %v", name, remaining, got.Outcome, err, found)
			}
		}
	}
}

// failing is a store of which no request gets a response.
type failing struct{ *memory.Table }

var errNoResponse = errors.New("no response")

func (failing) Events(context.Context, storage.Range) (storage.EventPage, error) {
	return storage.EventPage{}, errNoResponse
}

// throttled is a store that takes no write.
type throttled struct{ *memory.Table }

func (throttled) Append(context.Context, storage.AppendTransaction) (storage.StoreResult, error) {
	return storage.StoreResult{Result: storage.Throttled}, nil
}

func (throttled) Commit(context.Context, itemop.Transaction) (itemop.TransactResult, error) {
	return itemop.TransactResult{Result: storage.Throttled}, nil
}

func (throttled) DeleteEvent(context.Context, model.EventKey, model.Time) (storage.WriteResult, error) {
	return storage.Throttled, nil
}

func (throttled) CorrectEvent(context.Context, model.Event, model.Time) (storage.WriteResult, error) {
	return storage.Throttled, nil
}

func TestEditor_AnEditWithoutAResultIsAnError(t *testing.T) {
	t.Parallel()
	e := newEdits(t)
	o := observation(minute(1), "a", num("t", 5))
	edits := map[string]func(*model.Hash) (ingest.Edit, error){
		"correct": func(expect *model.Hash) (ingest.Edit, error) { return e.Correct(t.Context(), e.kind, o, expect) },
		"delete": func(expect *model.Hash) (ingest.Edit, error) {
			return e.Delete(t.Context(), e.kind, e.event.Key(), expect)
		},
	}
	for name, edit := range edits {
		e.Store = failing{e.table}
		if _, err := edit(&e.event.Hash); !errors.Is(err, errNoResponse) {
			t.Errorf("%s, the read fails: %v", name, err)
		}
		e.Store = throttled{e.table}
		for _, expect := range []*model.Hash{nil, &e.event.Hash} {
			if _, err := edit(expect); !errors.Is(err, model.ErrUndecided) ||
				!strings.Contains(err.Error(), name+" event of") {
				t.Errorf("%s, every write is throttled: %v, want it undecided", name, err)
			}
		}
	}
	if after := e.stored(); after == nil || after.Hash != e.event.Hash {
		t.Errorf("stored is %+v, want the event as it was", after)
	}
}

// losingDeletes loses the response of the first deletion, after it was carried out.
type losingDeletes struct {
	*memory.Table
	calls int
}

func (l *losingDeletes) DeleteEvent(ctx context.Context, k model.EventKey,
	now model.Time) (storage.WriteResult, error) {
	result, err := l.Table.DeleteEvent(ctx, k, now)
	if l.calls++; l.calls == 1 {
		return storage.Unknown, err
	}
	return result, err
}

// A deletion whose response was lost finds no event when it is repeated: it has deleted the event.
func TestEditor_ADeletionThatWasCarriedOutWithoutAResponseIsADeletion(t *testing.T) {
	t.Parallel()
	e := newEdits(t)
	lossy := &losingDeletes{Table: e.table}
	e.Store = lossy
	if got, err := e.Delete(t.Context(), e.kind, e.event.Key(), nil); err != nil ||
		got.Outcome != ingest.Deleted || lossy.calls != 2 {
		t.Errorf("%s, %v after %d requests; want %s after 2", got.Outcome, err, lossy.calls, ingest.Deleted)
	}
}

// A correction replaces fields, and the event has its time. When the event arrived, whether it was late and
// when it expires stay as they were, also for an event that never expires.
func TestEditor_ACorrectionIsRecordedAndKeepsArrivalLatenessAndExpiry(t *testing.T) {
	t.Parallel()
	forever := func(k *catalog.Kind) { keeping(k); k.Retention = tier.Policy{Raw: tier.Forever} }
	for name, change := range map[string]func(*catalog.Kind){"expires": keeping, "never expires": forever} {
		kind, m := newKind(t, change), memory.New(clock)
		service := serviceOn(m, 1)
		wantOutcomes(t, appendAll(t, service, kind, observation(minute(2), "", num("t", 1)),
			observation(minute(1), "", num("t", 1))), model.Applied, model.Late)
		service.Now = func() model.Time { return clock().Add(time.Hour) }
		editor := &ingest.Editor{Service: service, Store: m}
		before := readEvents(t, m, series(kind))
		for _, was := range before {
			for _, expect := range []*model.Hash{nil, &was.Hash} {
				got, err := editor.Correct(t.Context(), kind, observation(was.At, "", num("t", 5)), expect)
				if e := got.Event; err != nil || e == nil || e.Late != was.Late || e.ArrivedAt != was.ArrivedAt ||
					e.ExpiresAt != was.ExpiresAt || e.CorrectedAt != service.Now() {
					t.Errorf("%s: %+v is corrected to %+v, %v", name, was, got.Event, err)
				} else if was = *e; was.Late != (was.At == minute(1)) ||
					(was.ExpiresAt == 0) != (name == "never expires") {
					t.Errorf("%s: stored %+v", name, was)
				}
			}
		}
	}
}
