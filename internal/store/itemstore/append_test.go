package itemstore_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The results of the actions come in their order: the latest item, the purge lock, each put, each absent
// event, the merge. A reply may have fewer of them: a condition without a result did not fail.
func TestFailedAppend_AssignsEachResultToItsCondition(t *testing.T) {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d1"}, Kind: "READING"}
	event := func(minute int) model.Event {
		return model.Event{Series: series, Order: model.Order{At: model.Time(minute) * 60_000}}
	}
	tx := &storage.AppendTransaction{
		Latest: &storage.LatestWrite{Series: series}, PurgeLock: &series.Subject,
		Puts: []model.Event{event(1), event(2)}, Absent: []model.EventKey{{Series: series, Order: event(3).Order}}, Merge: &storage.EventMerge{Event: event(4)},
	}
	const actions, lock = 6, 1
	olds := make([]item.Item, actions)
	olds[0] = item.FromLatest(&model.Latest{Series: series, Ordered: true, Order: event(9).Order})
	for n := range 4 {
		e := event(n + 1)
		olds[2+n] = item.FromEvent(&e)
	}
	for failed := range actions {
		for known := range actions + 1 {
			results := make([]itemop.ItemResult, known)
			if fails := failed < known; fails {
				results[failed] = itemop.ItemResult{Failed: true, Old: olds[failed]}
			}
			got, err := itemstore.FailedAppend(tx, results)
			if err != nil || got.Result != storage.ConditionFailed || len(got.Stored) != 4 {
				t.Fatalf("%d results, number %d failed: %+v, %v", known, failed, got, err)
			}
			if want := failed == 0 && known > 0; got.LatestFailed != want || (got.Latest != nil) != want {
				t.Errorf("%d results, number %d failed: latest item %+v", known, failed, got.Latest)
			}
			if want := failed == lock && known > lock; got.PurgeLockFailed != want {
				t.Errorf("%d results, number %d failed: purge lock %t", known, failed, got.PurgeLockFailed)
			}
			for n, e := range got.Stored {
				if want := failed == 2+n && failed < known; (e != nil) != want || want && e.Order != event(n+1).Order {
					t.Errorf("%d results, number %d failed: event %d is %+v", known, failed, n, e)
				}
			}
		}
	}
}
