package verify

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// watched runs one pass by a clock that only sleeping moves, and returns the rows that differ, by series, and
// the time that it took.
func watched(f *fixture, units float64, position string, asleep func()) (found map[string]int,
	took time.Duration) {
	f.Helper()
	return watchedFor(f, 1, units, position, asleep)
}

func watchedFor(f *fixture, passes int, units float64, position string, asleep func()) (found map[string]int,
	took time.Duration) {
	f.Helper()
	now := f.now()
	began := now
	found = map[string]int{}
	w := Watcher{
		Verifier: Verifier{Store: f.Table, Catalog: f.catalog, Now: func() model.Time { return now }},
		Units:    units, Patience: 10 * time.Minute, Passes: passes,
		Position: position, Replace: files.Replace,
		Found: func(_ context.Context, s model.Series, r *Report) error {
			found[s.Subject.ID] = len(r.Differences)
			return nil
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			now = now.Add(d)
			if asleep != nil {
				asleep()
			}
			return ctx.Err()
		},
	}
	if err := w.Run(f.Context()); err != nil {
		f.Fatal(err)
	}
	return found, now.Sub(began)
}

func TestWatcher_ReportsARowThatStaysWrong(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.changeRow(tier.Hour, "2026-04-20T14:00:00Z", func(row *rollup.Row) { row.Digest[0]++ })
	found, took := watched(f, 1e6, "", nil)
	if found[tested.Subject.ID] != 1 || took < 10*time.Minute {
		t.Errorf("found %v after %s, want one row after the patience", found, took)
	}
}

// The table stream delivers an event a moment after it was stored.
func TestWatcher_AnEventThatIsOnItsWayIsNoDifference(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	late := eventAt("2026-04-20T14:30:00Z", 1)
	late.ID = "late"
	changes := f.store(late)
	found, _ := watched(f, 1e6, "", func() { f.agg.Process(f.Context(), changes) })
	if n, seen := found[tested.Subject.ID]; n != 0 || !seen {
		t.Errorf("found %v, want the series without differences", found)
	}
}

func TestWatcher_ReadsNoMoreThanItsBudget(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	_, fast := watched(f, 1e6, "", nil)
	_, slow := watched(f, 2, "", nil)
	if fast > time.Second || slow < time.Second {
		t.Errorf("a pass takes %s with a million units a second, %s with 2; want less and more than a second",
			fast, slow)
	}
}

func TestWatcher_ResumesWhereItWasStopped(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	other := testEvents[0]
	other.Series.Subject.ID = "zzz"
	f.process(other)
	position := filepath.Join(t.TempDir(), "position")
	stop := Watcher{
		Verifier: Verifier{Store: f.Table, Catalog: f.catalog, Now: f.now}, Units: 1e6,
		Position: position, Replace: files.Replace,
		Passes: 1,
		Found: func(_ context.Context, s model.Series, _ *Report) error {
			if s.Subject.ID == "zzz" {
				return os.ErrClosed
			}
			return nil
		},
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	if err := stop.Run(t.Context()); err == nil {
		t.Fatal("the watch was not stopped")
	}
	found, _ := watched(f, 1e6, position, nil)
	if _, again := found[tested.Subject.ID]; again || !slices.Contains([]int{0}, found["zzz"]) ||
		len(found) != 1 {
		t.Errorf("found %v, want the series that was left alone", found)
	}
}

// What is recorded is the sum over all series as they were recounted last, also of a resumed watch.
func TestWatcher_RecordsHowManyRowsDiffer(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	other := testEvents[0]
	other.Series.Subject.ID = "zzz"
	f.process(other)
	position := filepath.Join(t.TempDir(), "position")
	pass := func() (last int) {
		last = -1
		now := f.now()
		w := Watcher{
			Verifier: Verifier{Store: f.Table, Catalog: f.catalog, Now: func() model.Time { return now }},
			Units:    1e6, Patience: 10 * time.Minute, Position: position, Replace: files.Replace, Passes: 2,
			Found: func(context.Context, model.Series, *Report) error {
				now = now.Add(time.Minute)
				return nil
			},
			Record: func(_ context.Context, v storage.Verification) error {
				last = v.Differ
				return nil
			},
			Sleep: func(ctx context.Context, d time.Duration) error {
				now = now.Add(d)
				return ctx.Err()
			},
		}
		if err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return last
	}
	wrong := func(by byte) {
		f.changeRow(tier.Hour, "2026-04-20T14:00:00Z", func(row *rollup.Row) { row.Digest[0] += by })
	}
	if got := pass(); got != 0 {
		t.Errorf("right rows: %d differ", got)
	}
	wrong(1)
	for range 2 { // the second watch resumes the first
		if got := pass(); got != 1 {
			t.Errorf("a wrong row: %d differ, want 1", got)
		}
	}
	wrong(255)
	if got := pass(); got != 0 {
		t.Errorf("repaired: %d differ", got)
	}
}

// The second look at a row that differed may find it behind another event.
func TestWatcher_AnEventThatArrivesDuringThePatienceIsNoDifference(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.setProgress(f.now())
	changes := f.store(f.late("first", 0))
	found, _ := watched(f, 1e6, "", func() {
		f.agg.Process(f.Context(), changes)
		f.store(f.late("second", -10*time.Minute))
	})
	if n, seen := found[tested.Subject.ID]; n != 0 || !seen {
		t.Errorf("found %v, want the series without differences", found)
	}
}
