package linear

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestHistories_AreLinearizableUnderEveryFault(t *testing.T) {
	t.Parallel()
	n := 20_000
	if testenv.Long() {
		n = 100_000
	}
	total := play(variant{}, 1, n)
	if total.failed != nil {
		t.Fatalf("%s\n%s", total, total.shrunk(variant{}))
	}
	if lost := total.counts[countLost]; lost < n/100 {
		t.Errorf("%d of %d attempts had no response, want at least 1 %%", lost, n)
	}
	for _, outcome := range []model.Outcome{model.Applied, model.Late, model.Stale, model.Duplicate,
		model.Collision, model.Conflict} {
		if got := total.counts[string(outcome)]; got < n/1000 {
			t.Errorf("%d outcomes %q in %d operations, want at least 1 in 1000", got, outcome, n)
		}
	}
}

// The seeds of today are others than yesterday's.
func TestHistories_OfTodayAreLinearizable(t *testing.T) {
	t.Parallel()
	if total := play(variant{}, testenv.Seed(t), 20_000); total.failed != nil {
		t.Errorf("%s\n%s", total, total.shrunk(variant{}))
	}
}

// planted are faults around the code that the checkers must find.
var planted = map[string]variant{
	"a lost write is acknowledged": {append: func(w *world, _ *storage.AppendTransaction) (storage.StoreResult, bool) {
		return storage.StoreResult{Result: storage.Written}, w.dice.Chance("loses "+w.Now().String(), .1)
	}},
	"a lost correction is acknowledged": {lose: "CorrectEvent"},
	"a lost deletion is acknowledged":   {lose: "DeleteEvent"},
	"an invalidation is lost":           {lose: "PutInvalidations"},
	"the caller's condition is ignored": {append: func(_ *world, tx *storage.AppendTransaction) (storage.StoreResult, bool) {
		if tx.Latest != nil {
			tx.Latest.Condition = nil
		}
		return storage.StoreResult{}, false
	}},
	"the latest item is read as it was before": {latest: func(w *world, now *model.Latest) *model.Latest {
		if now == nil {
			return nil
		}
		before := w.known[now.Series.Subject.ID]
		w.known[now.Series.Subject.ID] = now
		return before
	}},
	"some changes are acknowledged and not aggregated": {changes: func(_ *world, all []storage.Change) (kept []storage.Change) {
		for _, c := range all {
			if c.Type != storage.Deleted {
				kept = append(kept, c)
			}
		}
		return kept
	}},
}

func TestPlantedFaults_AreFoundAndDrawn(t *testing.T) {
	t.Parallel()
	for name, v := range planted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			total := play(v, 1, 20_000)
			violation := new(Violation)
			if total.failed == nil || !errors.As(total.failed.Failure, &violation) {
				t.Fatalf("%s: want a violation", total)
			}
			page := filepath.Join(t.TempDir(), "page.html")
			if err := violation.Draw(page); err != nil {
				t.Fatal(err)
			}
			if drawn, err := os.ReadFile(page); err != nil || !strings.Contains(string(drawn), "append") {
				t.Errorf("the page of %v does not show its operations: %v", violation, err)
			}
		})
	}
}
