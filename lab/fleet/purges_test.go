package fleet

import (
	"maps"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// Members move between groups by their events and by their profiles, are purged before, during and after
// that, and come back under the same id. When everything is settled, rows of groups, lists of members,
// increases of counters and silent lists equal a recount of the events that are left.
func TestPurges_GroupsEqualARecountAfterMovesAndPurges(t *testing.T) {
	t.Parallel()
	met, checked := map[string]int{}, map[string]int{}
	histories := testenv.Histories(40, 1500)
	for seed := range uint64(histories) {
		w := newHistory(t, seed)
		w.play()
		for name, n := range w.met {
			met[name] += min(n, 1)
		}
		for name, n := range w.checked {
			checked[name] += n
		}
		if t.Failed() {
			t.Fatalf("seed %d: situations met %v", seed, w.met)
		}
	}
	for _, name := range situations {
		if met[name] < histories/20 {
			t.Errorf("%q in %d of %d histories, want more", name, met[name], histories)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(met)) {
		t.Logf("%5d of %d histories: %s", met[name], histories, name)
	}
	t.Logf("checked: %v", checked)
}

// Where the table stream loses records of what a purge removes, only the purge itself notifies the groups.
func TestPurges_APurgeWithoutNoticeIsFound(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		w := newHistory(probe{}, seed)
		w.dropNotices = true
		if w.play(); w.failure != "" {
			t.Logf("found by seed %d: %s", seed, w.failure)
			return
		}
	}
	t.Error("no history finds that purges notify no group")
}
