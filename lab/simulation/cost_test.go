package simulation

import (
	"testing"
	"time"
)

// The minute tier is for hot series: their recomputations read minutes instead of the
// complete hour.
func TestCost_TheMinuteTierBoundsWhatAHotHourReads(t *testing.T) {
	t.Parallel()
	without, with := measured(hotHour(1_800, false)), measured(hotHour(1_800, true))
	if without.events != with.events || with.events == 0 {
		t.Fatalf("%d and %d events are not comparable", without.events, with.events)
	}
	if r := without.perEvent(unitsRead) / with.perEvent(unitsRead); r < 2 {
		t.Errorf("an event of a hot hour reads %.2f units without minutes and %.2f with: want half of it or less",
			without.perEvent(unitsRead), with.perEvent(unitsRead))
	}
	if with.dollars() > without.dollars() {
		t.Errorf("a hot hour costs %.2f with minutes, %.2f without", with.dollars(), without.dollars())
	}
}

// For a quiet series a minute tier only adds cost.
func TestCost_AQuietSeriesIsCheaperWithoutMinutes(t *testing.T) {
	t.Parallel()
	without, with := measured(hotHour(360, false)), measured(hotHour(360, true))
	if with.dollars() <= without.dollars() {
		t.Errorf("an event every ten seconds costs %.2f with minutes and %.2f without, want more with minutes",
			with.dollars(), without.dollars())
	}
}

// A redelivered batch costs reads but no writes: its rows are unchanged.
func TestCost_ARedeliveredBatchIsReadTwiceAndWrittenOnce(t *testing.T) {
	t.Parallel()
	once := hotHour(360, false)
	twice := once
	twice.redelivered = 1
	a, b := measured(once), measured(twice)
	if a.units[unitsRollups] != b.units[unitsRollups] {
		t.Errorf("%d units written for rollups, %d where every batch is delivered twice", a.units[unitsRollups],
			b.units[unitsRollups])
	}
	if r := b.perEvent(unitsRead) / a.perEvent(unitsRead); r < 1.5 || r > 2 {
		t.Errorf("batches delivered twice read %.2f times as much, want nearly twice", r)
	}
}

// A device that reports once a minute pays for its rollups when buckets close. The queries
// and the low watermarks of idle sweeps are not counted: they do not depend on events.
func TestCost_DeferredTiersArePaidForWhenBucketsClose(t *testing.T) {
	t.Parallel()
	l := load{perBatch: 1, every: time.Minute, lasts: 24 * time.Hour, deferred: true, warmupDays: 1}
	u := measured(l)
	if w, r := u.perEvent(unitsRollups), u.perEvent(unitsRead); w > .12 || r > .25 {
		t.Errorf("an event costs %.3f write and %.3f read units, want at most 0.12 and 0.25", w, r)
	}
	l.late = .01
	u = measured(l)
	if w, r := u.perEvent(unitsRollups), u.perEvent(unitsRead); w > .15 || r > .4 {
		t.Errorf("with 1 %% late, an event costs %.3f write and %.3f read units, want at most 0.15 and 0.4", w, r)
	}
}
