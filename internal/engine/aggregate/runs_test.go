package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// counted is batched, and counts the requests that read events. Reads of more than an hour fail
// with fails, or panic if panics is set, after their first event.
type counted struct {
	batched
	eventReads, longReads int
	fails                 error
	panics                bool
}

func (s *counted) EachEvent(ctx context.Context, r storage.Range, do func(*model.Event)) (string, error) {
	if !r.Consistent {
		return "", errStale
	}
	s.eventReads++
	if r.To.Sub(r.From) <= time.Hour {
		return s.batched.EachEvent(ctx, r, do)
	}
	s.longReads++
	if s.fails == nil && !s.panics {
		return s.batched.EachEvent(ctx, r, do)
	}
	page, err := s.Events(ctx, r)
	if err != nil {
		return "", err
	}
	do(&page.Events[0])
	if s.panics {
		panic("planted")
	}
	return "", s.fails
}

func onCounted(w *world, s *counted) *counted {
	s.store = w.table
	w.on(s)
	w.agg.Limits.Concurrency = 1 // counts are not guarded
	return s
}

func TestRuns_AdjacentHoursAreReadTogetherWithTheSameResult(t *testing.T) {
	want := newWorld(t)
	threeHundred(want)
	want.process()
	for name, s := range map[string]*counted{
		"reads":  {},
		"errors": {fails: errors.New("throttled")},
		"panics": {panics: true},
	} {
		w := newWorld(t)
		onCounted(w, s)
		threeHundred(w)
		w.process()
		w.wantImages(want.images())
		w.wantRecount()
		if s.longReads != 13 { // of 24 hours each
			t.Errorf("%s: %d reads of several hours, want 13", name, s.longReads)
		}
		if alone := s.eventReads - s.longReads; (alone == 0) != (name == "reads") {
			t.Errorf("%s: %d reads of single hours", name, alone)
		}
	}
}

// Hours that have rows are read together too, if these can be recomputed.
func TestRuns_HoursWithRowsAreReadTogether(t *testing.T) {
	w := newWorld(t)
	s := onCounted(w, &counted{})
	for _, id := range []string{"a", "b"} {
		s.eventReads = 0
		for i := range 20 {
			w.put(model.Order{At: noon.Add(-time.Duration(1+i) * time.Hour), ID: id}, "1")
		}
		w.process()
		w.wantRecount()
		if s.eventReads != 1 {
			t.Errorf("event %s of each hour: %d reads, want one of all hours", id, s.eventReads)
		}
	}
}

// Only buckets side by side are read together: what lies between others is not read.
func TestRuns_AGapEndsARun(t *testing.T) {
	w := newWorld(t)
	s := onCounted(w, &counted{})
	for i := range 20 {
		w.put(model.Order{At: noon.Add(-time.Duration(1+3*i) * time.Hour)}, fmt.Sprint(i))
	}
	w.process()
	w.wantRecount()
	if s.longReads != 0 || s.eventReads != 20 {
		t.Errorf("%d reads, %d of several hours; want 20 of an hour each", s.eventReads, s.longReads)
	}
}

func TestRuns_SeriesAreNotReadTogether(t *testing.T) {
	w := newWorld(t)
	s := onCounted(w, &counted{})
	for i := range 6 {
		w.series = w.kind.Series(fmt.Sprintf("d%d", i%2), "", model.Order{})
		w.put(model.Order{At: noon.Add(-time.Duration(1+i/2) * time.Hour)}, fmt.Sprint(i))
	}
	w.process()
	w.wantRecount()
	if s.longReads != 2 || s.eventReads != 2 {
		t.Errorf("%d reads, %d of several hours; want one for each of two series", s.eventReads, s.longReads)
	}
}

// afterRun is batched, and does something once, after the events of a run were read.
type afterRun struct {
	batched
	do func()
}

func (s *afterRun) EachEvent(ctx context.Context, r storage.Range, do func(*model.Event)) (string, error) {
	next, err := s.batched.EachEvent(ctx, r, do)
	if after := s.do; after != nil {
		s.do = nil
		after()
	}
	return next, err
}

// Another process writes a row of a run after its events were read: the row is then folded from events that
// are read again.
func TestRuns_ARowThatWasWrittenMeanwhileIsReadAgain(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.put(model.Order{At: noon.Add(-time.Duration(1+i) * time.Hour)}, "1")
	}
	changes, other := w.changes(), newWorldSharing(w)
	w.agg.Limits.Concurrency = 1
	w.on(&afterRun{batched: batched{store: w.table}, do: func() {
		w.put(model.Order{At: noon.Add(-time.Hour), ID: "meanwhile"}, "2")
		other.processAll(w.changes())
	}})
	if r := w.processAll(changes); r.LostLocks == 0 {
		t.Error("no lock was lost")
	}
	w.wantRecount()
}

// The events of a run may fill several pages.
func TestRuns_AreReadPageByPage(t *testing.T) {
	w := newWorld(t)
	w.on(&batched{store: &paged{store: w.table, limit: 4}})
	threeHundred(w)
	w.process()
	w.wantRecount()
}

func TestRuns_AFullHourIsReadWithTheOthers(t *testing.T) {
	w := newWorld(t)
	s := onCounted(w, &counted{})
	w.agg.Limits.MaxChildren = 5
	for i := range 5 {
		w.put(model.Order{At: noon.Add(-time.Hour + time.Duration(i)*time.Second)}, fmt.Sprint(i))
	}
	w.put(model.Order{At: noon.Add(-2 * time.Hour)}, "99")
	w.process()
	w.wantRecount()
	if s.eventReads != 1 {
		t.Errorf("%d reads, want one of both hours", s.eventReads)
	}
}

// A bucket with too many children is read alone, up to the limit, as always.
func TestRuns_AnOverfullHourIsReadAlone(t *testing.T) {
	w := newWorld(t)
	s := onCounted(w, &counted{})
	w.agg.Limits.MaxChildren = 5
	for i := range 12 {
		w.put(model.Order{At: noon.Add(-time.Hour + time.Duration(i)*time.Second)}, fmt.Sprint(i))
	}
	w.put(model.Order{At: noon.Add(-2 * time.Hour)}, "99")
	w.process()
	w.wantRow(tier.Hour, "2026-03-10T10:00:00Z", 1, "99", true)
	if row := w.row(tier.Hour, "2026-03-10T11:00:00Z"); row == nil || row.Exact {
		t.Errorf("the row of an overfull hour is %+v, want an inexact one", row)
	}
	if s.longReads != 1 || s.eventReads == 1 {
		t.Errorf("%d reads, %d of several hours; want one of both hours, then the overfull one alone", s.eventReads,
			s.longReads)
	}
}

// Hours older than their retention depend on the rows of their days and months, which are read
// once for all of them.
func TestRuns_HoursOfOneDayReadTheRowOfTheDayOnce(t *testing.T) {
	w := newWorld(t)
	s := onCounted(w, &counted{})
	old := noon.Add(-200 * tier.Day24) // hours are kept for 90 days
	for i := range 48 {
		w.put(model.Order{At: old.Add(time.Duration(i) * time.Hour)}, fmt.Sprint(i))
	}
	w.process()
	w.wantRecount()
	if n := s.singly.Load(); n > 3+1+1 {
		t.Errorf("%d rows read one by one for 48 hours of 3 days, want one a day, and rows of days and months", n)
	}
}

var _ aggregate.RowReader = (*counted)(nil)
