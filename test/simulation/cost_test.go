package main

import (
	"testing"
	"time"
)

// whole is a load without resume points.
func whole(l load) load {
	l.whole = true
	return l
}

// A resume point spares a look most of what it read before, without a write unit more.
func TestCost_ResumePointsSaveReadsAndWriteNoMore(t *testing.T) {
	t.Parallel()
	without, with := measure(whole(hotHour(1_800, false))), measure(hotHour(1_800, false))
	if r := without.perEvent(unitsRead) / with.perEvent(unitsRead); r < 3 {
		t.Errorf("an event of a hot hour reads %.2f units without resume points and %.2f with: want a third of it or less", without.perEvent(unitsRead), with.perEvent(unitsRead))
	}
	if without.units[unitsRollups] != with.units[unitsRollups] {
		t.Errorf("%d units written without resume points and %d with", without.units[unitsRollups], with.units[unitsRollups])
	}
	if without.sizes["hour"] != with.sizes["hour"] {
		t.Errorf("the row of an hour that is over has %d bytes, %d without resume points: it still carries one", with.sizes["hour"], without.sizes["hour"])
	}
}

// A resume point that a quiet series would not repay is not written.
func TestCost_AQuietSeriesHasNoResumePoints(t *testing.T) {
	t.Parallel()
	quiet := load{perBatch: 1, every: time.Minute, lasts: 3 * time.Hour, before: 2}
	without, with := measure(whole(quiet)), measure(quiet)
	if without.units[unitsRead] != with.units[unitsRead] || without.sizes["hour"] != with.sizes["hour"] {
		t.Errorf("%d units read and an hour's row of %d bytes with resume points, %d and %d without",
			with.units[unitsRead], with.sizes["hour"], without.units[unitsRead], without.sizes["hour"])
	}
}

// A hot series is what the minute tier is for: its looks read minutes again, not the
// whole hour.
func TestCost_TheMinuteTierBoundsWhatAHotHourReads(t *testing.T) {
	t.Parallel()
	without, with := measure(whole(hotHour(1_800, false))), measure(whole(hotHour(1_800, true)))
	if without.events != with.events || with.events == 0 {
		t.Fatalf("%d and %d events are not comparable", without.events, with.events)
	}
	if r := without.perEvent(unitsRead) / with.perEvent(unitsRead); r < 2 {
		t.Errorf("an event of a hot hour reads %.2f units without minutes and %.2f with: want half of it or less", without.perEvent(unitsRead), with.perEvent(unitsRead))
	}
	if with.dollars() > without.dollars() {
		t.Errorf("a hot hour costs %.2f with minutes, %.2f without", with.dollars(), without.dollars())
	}
}

// A quiet series pays for a tier that it does not need.
func TestCost_AQuietSeriesIsCheaperWithoutMinutes(t *testing.T) {
	t.Parallel()
	without, with := measure(hotHour(360, false)), measure(hotHour(360, true))
	if with.dollars() <= without.dollars() {
		t.Errorf("an event every ten seconds costs %.2f with minutes, %.2f without: then every kind should have them", with.dollars(), without.dollars())
	}
}

// Looking again is what is paid for redelivery, and writing is not: a batch that
// comes twice finds its rows right.
func TestCost_ABatchThatComesTwiceIsReadTwiceAndWrittenOnce(t *testing.T) {
	t.Parallel()
	once := whole(hotHour(360, false))
	twice := once
	twice.again = 1
	a, b := measure(once), measure(twice)
	if a.units[unitsRollups] != b.units[unitsRollups] {
		t.Errorf("%d units written for rollups, %d where every batch comes twice", a.units[unitsRollups], b.units[unitsRollups])
	}
	if r := b.perEvent(unitsRead) / a.perEvent(unitsRead); r < 1.5 || r > 2 {
		t.Errorf("batches that come twice read %.2f times as much, want nearly twice", r)
	}
}
