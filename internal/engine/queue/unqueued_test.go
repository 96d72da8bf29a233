package queue

import (
	"errors"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A put that is refused, or has no result, is reported with the events that needed it.
func TestWriter_ReportsEventsWhoseBucketsMayNotBeQueued(t *testing.T) {
	t.Parallel()
	hours := []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever, Deferred: true}}
	kind := &catalog.Kind{Name: "VIEW", Retention: tier.Policy{Tiers: hours}}
	clock := model.Time(0)
	order := model.Order{At: clock}
	events := []Event{{EventKey: model.EventKey{Series: kind.Series("s", "", order), Order: order}}}
	for name, store := range map[string]*scripted{
		"refused":   {putErr: errors.New("not allowed"), clock: &clock},
		"unknown":   {result: storage.Unknown, clock: &clock},
		"throttled": {result: storage.Throttled, clock: &clock},
	} {
		once := retry.Retrier{Policy: retry.Policy{Attempts: 1}}
		r := Requests{Now: func() model.Time { return clock }, Retrier: once}
		unqueued, err := (&Writer{Store: store}).Ensure(t.Context(), kind, events, r)
		if !slices.Equal(unqueued, []model.EventKey{events[0].EventKey}) || err == nil {
			t.Errorf("%s: %v, %v; want the event and an error", name, unqueued, err)
		}
	}
}

func TestNewWriter_IsNilForAStoreWithoutAQueue(t *testing.T) {
	t.Parallel()
	if w := NewWriter(struct{}{}, nil); w != nil {
		t.Errorf("%v, want nil", w)
	}
}
