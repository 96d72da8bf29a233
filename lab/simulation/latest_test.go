package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// latestHistories is the number of histories of latest items that a test run plays.
var latestHistories = testenv.Histories(60, 200)

func TestSimulation_LatestItemsFollowTheNewestEvent(t *testing.T) {
	t.Parallel()
	trial := simstream.Trial{Setup: playLatest}
	sim := simulateTrial(trial, testenv.Seed(t), latestHistories)
	for _, r := range sim.failed {
		t.Errorf("seed %d: %v\n%s", r.Seed, r.Failure, trial.Shrink(r.Seed))
	}
	required := []string{latestChecked}
	for _, f := range []simstream.Fault{simstream.CrashAfter, simstream.Duplicate, simstream.WriteDelayed} {
		required = append(required, f.String())
	}
	for _, o := range latestOperations {
		required = append(required, operationPrefix+o.name)
	}
	for _, name := range required {
		if sim.counts[name] == 0 {
			t.Errorf("%q did not occur in %d histories", name, latestHistories)
		}
	}
}

// The simulation of latest items is useful only if it detects faults.
func TestSimulation_DetectsPlantedFaultsOfLatestItems(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		name  string
		seed  uint64 // of a history that detected it
		plant func(*world) aggregate.Store
	}{
		{"the newest event is read before the latest item", 77, newNewestFirst},
		{"a latest item is written whatever was written meanwhile", 106, func(w *world) aggregate.Store {
			return overwriting{w.store}
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			detect(t, p.seed, func(s *simstream.Sim) { playLatestVariant(s, variant{store: p.plant}) })
		})
	}
}

// newestFirst reads the newest event of a series before its latest item, and returns it to the same
// fold later. Some folds pause in between, so that another process changes an event and folds the item
// meanwhile. It shows only if nothing folds the item later.
type newestFirst struct {
	*store
	pages map[earlyFold]storage.EventPage
}

// earlyFold names the fold of one series in one invocation.
type earlyFold struct {
	context.Context
	series model.Series
}

func newNewestFirst(w *world) aggregate.Store {
	return newestFirst{w.store, map[earlyFold]storage.EventPage{}}
}

func (n newestFirst) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	series := n.kind().Series(n.subject[0], "", model.Order{})
	if k == keys.Latest(series) {
		newest := storage.Range{
			Series: series, From: model.MinTime, To: model.MaxTime + 1, Newest: true, Limit: 1, Consistent: true,
		}
		if page, err := n.store.Events(ctx, newest); err == nil {
			n.pages[earlyFold{ctx, series}] = page
			if n.DiceFrom(ctx).Chance("pauses", .3) {
				if err := n.Sleep(ctx, time.Minute); err != nil {
					return nil, err
				}
			}
		}
	}
	return n.store.GetItem(ctx, k)
}

func (n newestFirst) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	fold := earlyFold{ctx, r.Series}
	if page, early := n.pages[fold]; early && r.Newest && r.After == "" {
		delete(n.pages, fold)
		return page, nil
	}
	return n.store.Events(ctx, r)
}
