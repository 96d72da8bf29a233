package ingest_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestComposedResult_FollowsThePrecedenceOfOutcomes(t *testing.T) {
	t.Parallel()
	order := model.Order{At: 1000, ID: "b"}
	mine := model.Event{Order: order, Hash: model.Hash{1}}
	tx := &storage.AppendTransaction{Latest: &storage.LatestWrite{Last: order, Hash: mine.Hash},
		Puts: []model.Event{mine}}
	latest := func(at model.Time, id string, hash byte, locked bool) *model.Latest {
		return &model.Latest{Ordered: true, Order: model.Order{At: at, ID: id}, Hash: model.Hash{hash},
			PurgeLocked: locked}
	}
	limited := *tx
	limited.Latest = &storage.LatestWrite{Last: order, Hash: mine.Hash,
		Condition: model.Condition{{Field: "mode", Op: model.Exists}}}
	if got := ingest.ComposedResult(&limited, storage.StoreResult{
		Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(2000, "", 0, false), Stored: []*model.Event{nil},
	}); got.Outcome != model.Conflict {
		t.Errorf("older, and the condition failed: %s, want %s", got.Outcome, model.Conflict)
	}
	same, other := &model.Event{Hash: mine.Hash}, &model.Event{Hash: model.Hash{2}}
	none := []*model.Event{nil}
	for name, c := range map[string]struct {
		stored storage.StoreResult
		want   model.Outcome
	}{
		"stored":                               {storage.StoreResult{Result: storage.Written}, model.Applied},
		"throttled":                            {storage.StoreResult{Result: storage.Throttled}, model.Unknown},
		"conflicted":                           {storage.StoreResult{Result: storage.Conflicted}, model.Unknown},
		"response lost":                        {storage.StoreResult{Result: storage.Unknown}, model.Unknown},
		"subject locked":                       {storage.StoreResult{Result: storage.ConditionFailed, PurgeLockFailed: true, Stored: []*model.Event{same}}, model.Gone},
		"latest item locked":                   {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(1, "", 0, true), Stored: none}, model.Gone},
		"same event stored":                    {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(9000, "", 0, false), Stored: []*model.Event{same}}, model.Duplicate},
		"identity taken":                       {storage.StoreResult{Result: storage.ConditionFailed, Stored: []*model.Event{other}}, model.Collision},
		"latest item has its hash":             {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(1000, "b", 1, false), Stored: none}, model.Duplicate},
		"latest item has another hash":         {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(1000, "b", 7, false), Stored: none}, model.Collision},
		"older":                                {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(2000, "", 0, false), Stored: none}, model.Stale},
		"older by its id":                      {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(1000, "c", 0, false), Stored: none}, model.Stale},
		"newer, the condition failed":          {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest(500, "", 0, false), Stored: none}, model.Conflict},
		"no latest item, the condition failed": {storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Stored: none}, model.Conflict},
		"nothing is said":                      {storage.StoreResult{Result: storage.ConditionFailed}, model.Conflict},
		"the caller's own item":                {storage.StoreResult{Result: storage.ConditionFailed, Stored: none}, model.Conflict},
	} {
		if got := ingest.ComposedResult(tx, c.stored); got.Outcome != c.want || got.Key.Order != order {
			t.Errorf("%s: %s, want %s", name, got.Outcome, c.want)
		}
	}
	if got := ingest.ComposedResult(tx, storage.StoreResult{Result: storage.Written}); got.Latest == nil ||
		got.Latest.Order != order {
		t.Errorf("applied returned %+v, want the latest item as written", got.Latest)
	}
}

func TestCompose_KindWithoutLatestItemTakesNoCondition(t *testing.T) {
	t.Parallel()
	service, kind := serviceOn(nil, 1), newKind(t, withoutLatest)
	tx, wrong, err := service.Compose(t.Context(), kind, observation(minute(0), ""), nil)
	if err != nil || wrong != nil || tx.Latest != nil || tx.PurgeLock == nil || len(tx.Puts) != 1 {
		t.Errorf("without a condition: %+v, %v, %v; want only the event and the purge lock", tx, wrong, err)
	}
	where := model.Condition{{Field: "x", Op: model.Exists}}
	if _, _, err := service.Compose(t.Context(), kind, observation(minute(0), ""), where); !errors.Is(err,
		ingest.ErrNoLatest) {
		t.Errorf("with a condition: %v, want %v", err, ingest.ErrNoLatest)
	}
}
