package ingest_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func derived(k *catalog.Kind) { k.Latest = catalog.DerivedLatest }

// lostResponses stores what the first requests send, and returns no response.
type lostResponses struct {
	*memory.Table
	left, appends atomic.Int64
}

func (l *lostResponses) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	r, err := l.Table.Put(ctx, e)
	if l.left.Add(-1) >= 0 {
		return storage.StoreResult{Result: storage.Unknown}, err
	}
	return r, err
}

func (l *lostResponses) Append(ctx context.Context,
	tx storage.AppendTransaction) (storage.StoreResult, error) {
	l.appends.Add(1)
	return l.Table.Append(ctx, tx)
}

func TestAppend_OfADerivedKindIsOnePutWithoutTheLatestItem(t *testing.T) {
	t.Parallel()
	kind, store := newKind(t, derived), &lostResponses{Table: memory.New(clock)}
	var batch []ingest.TypedObservation
	for i := range 60 {
		batch = append(batch, observation(minute(i), "", num("t", 1)))
	}
	for _, r := range appendAll(t, serviceOn(store, 1), kind, batch...) {
		if r.Outcome != model.Applied {
			t.Fatalf("outcome %s, want applied", r.Outcome)
		}
	}
	wantOutcomes(t, appendAll(t, serviceOn(store, 2), kind, observation(minute(5), "", num("t", 1)),
		observation(minute(5), "", num("t", 2))),
		model.Duplicate, model.Collision)
	if n := len(scan(t, store.Table)); n != 60 || store.appends.Load() != 0 {
		t.Errorf("%d items and %d transactions, want 60 events only", n, store.appends.Load())
	}
}

func TestAppend_OfADerivedKindKnowsItsOwnEventAfterALostResponse(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){
		"reported": derived,
		"merged":   func(k *catalog.Kind) { derived(k); k.OnCollision = catalog.MergeCollision },
	} {
		kind, store := newKind(t, change), &lostResponses{Table: memory.New(clock)}
		wantOutcomes(t, appendAll(t, serviceOn(store, 1), kind, observation(minute(1), "", num("t", 1))),
			model.Applied)
		store.left.Store(3)
		got := appendAll(t, serviceOn(store, 2), kind, observation(minute(1), "", num("t", 1)))
		store.left.Store(3)
		got = append(got, appendAll(t, serviceOn(store, 2), kind, observation(minute(2), "", num("t", 1)))...)
		if wantOutcomes(t, got, model.Duplicate, model.Applied); t.Failed() {
			t.Log(name)
		}
	}
}

// The event of the latest item has expired and is sent again: without the check it would be
// stored, and counted, a second time.
func TestAppend_OfADerivedKindRejectsTheRepeatOfAnExpiredEvent(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, derived), memory.New(clock)
	raw, seed := kind.Retention.Raw, 0
	for name, c := range map[string]struct {
		at      model.Time
		value   int64
		locked  bool
		want    model.Outcome
		appends int64
	}{
		"a repeat":                  {clock().Add(-raw), 1, false, model.Duplicate, 1},
		"another value":             {clock().Add(-raw), 2, false, model.Collision, 1},
		"another old event":         {clock().Add(-raw + time.Hour), 1, false, model.Applied, 1},
		"just old enough to check":  {clock().Add(-raw + tier.Day24), 1, false, model.Applied, 1},
		"too young to have expired": {clock().Add(-raw + tier.Day24 + 1), 1, false, model.Applied, 0},
		"a purged subject":          {clock().Add(-raw + 2*time.Hour), 1, true, model.Gone, 1},
	} {
		attrs := model.Attrs{num("t", 1)}
		latest := item.FromLatest(&model.Latest{
			Series: series(kind), Ordered: true, Order: model.Order{At: clock().Add(-raw)}, Hash: model.HashAttrs(attrs), Attrs: attrs, PurgeLocked: c.locked,
		})
		if err := table.PutItem(t.Context(), latest); err != nil {
			t.Fatal(err)
		}
		store := &lostResponses{Table: table}
		seed++
		got := appendAll(t, serviceOn(store, seed), kind, observation(c.at, "", num("t", c.value)))
		if got[0].Outcome != c.want || store.appends.Load() != c.appends {
			t.Errorf("%s: %s with %d transactions, want %s with %d", name, got[0].Outcome, store.appends.Load(),
				c.want, c.appends)
		}
		composed, _, err := serviceOn(store, seed).Compose(t.Context(), kind,
			observation(c.at, "", num("t", c.value)), nil)
		if err != nil || (composed.Check != nil) != (c.appends > 0) {
			t.Errorf("%s: a composed transaction has the check %v, %v", name, composed.Check, err)
		}
	}
}

func TestAppendIf_OfADerivedKindSaysWhatToConfigure(t *testing.T) {
	t.Parallel()
	kind := newKind(t, derived)
	_, err := serviceOn(memory.New(clock), 1).AppendIf(t.Context(), kind, observation(minute(1), ""),
		model.Condition{whenOn})
	if !errors.Is(err, ingest.ErrNoLatest) || !strings.Contains(err.Error(), "latest: transaction") {
		t.Errorf("%v, want an error that names the configuration", err)
	}
}
