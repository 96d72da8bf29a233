package verify

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// late returns an event of the tested hour that has just arrived.
func (f *fixture) late(id string, ago time.Duration) model.Event {
	e := eventAt("2026-04-20T14:40:00Z", 7)
	e.ID, e.ArrivedAt = id, f.now().Add(-ago)
	return e
}

// statuses returns how many buckets have a status, by tier.
func statuses(r *Report, s Status) map[string]int {
	n := map[string]int{}
	for _, t := range r.Tiers {
		if t.Status[s] > 0 {
			n[t.Tier] = t.Status[s]
		}
	}
	return n
}

// Events that the table stream has not delivered yet are in no row, which is no fault of the row.
func TestVerify_EventsThatAreNotProcessedYetAreNoDifference(t *testing.T) {
	for name, next := range map[string]time.Duration{
		"of a bucket with a row":    0,
		"of a bucket without a row": 5 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, testKind(t))
			f.process(testEvents...)
			f.setProgress(f.now().Add(-time.Minute))
			e := f.late("late", time.Second)
			e.At = e.At.Add(-next)
			f.store(e)
			report := f.verify(Verifier{}, Scope{Span: Always})
			got := statuses(report, Pending)
			if !report.OK() || got["hour"] != 1 || got["day"] != 1 {
				t.Errorf("pending %v, differences %v; want the hour and the day pending", got, report.Differences)
			}
		})
	}
}

// Some of the new events are processed: each row has the events that had arrived when it was written.
func TestVerify_RowsThatAreBehindByDifferentEventsAreNoDifference(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.setProgress(f.now().Add(-time.Minute))
	f.process(f.late("first", 3*time.Second))
	f.store(f.late("second", 2*time.Second))
	other := f.late("third", time.Second)
	other.At = other.At.Add(-3 * time.Hour)
	f.process(other)
	fourth := other
	fourth.ID, fourth.ArrivedAt = "fourth", f.now()
	f.store(fourth)
	if report := f.verify(Verifier{}, Scope{Span: Always}); !report.OK() || report.Count(Pending) == 0 {
		t.Errorf("%d pending, differences %v; want no difference", report.Count(Pending), report.Differences)
	}
}

// New events hide no row that is wrong without them.
func TestVerify_AWrongRowWithNewEventsIsReported(t *testing.T) {
	hour := tier.Hour
	for name, spoil := range map[string]func(*fixture){
		"a row that was edited": func(f *fixture) {
			f.changeRow(hour, "2026-04-20T14:30:00Z", func(r *rollup.Row) { r.Unreadable = 3 })
		},
		"a row that lacks an older event": func(f *fixture) { f.store(f.late("old", time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, testKind(t))
			f.process(testEvents...)
			f.setProgress(f.now().Add(-time.Minute))
			spoil(f)
			f.store(f.late("late", time.Second))
			report := f.verify(Verifier{}, Scope{Span: Always})
			if len(report.Differences) == 0 || report.Differences[0].Key.Tier != hour.String() {
				t.Errorf("differences %v, want the wrong hour", report.Differences)
			}
		})
	}
}

// A row that is behind changes which are processed is wrong, however new its events are.
func TestVerify_AnEventThatIsProcessedAndNotInItsRowIsReported(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.setProgress(f.now().Add(-10 * time.Minute))
	f.store(f.late("late", 5*time.Minute))
	if report := f.verify(Verifier{}, Scope{Span: Always}); !report.OK() {
		t.Errorf("differences %v, want none: the change is not processed yet", report.Differences)
	}
	f.setProgress(f.now().Add(-4 * time.Minute))
	if report := f.verify(Verifier{}, Scope{Span: Always}); report.OK() {
		t.Error("want a difference: the change was processed")
	}
}

// setProgress stores how far the table stream is processed.
func (f *fixture) setProgress(at model.Time) {
	f.Helper()
	result, _, err := f.AdvanceProgress(f.Context(), at, model.MinTime)
	if err != nil || result != storage.Written {
		f.Fatal(result, err)
	}
}

// Without a function that reads the table stream, no change is on its way.
func TestVerify_NothingIsPendingInATableThatNoFunctionReads(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.store(f.late("late", time.Second))
	if report := f.verify(Verifier{}, Scope{Span: Always}); report.OK() {
		t.Error("want the missing rows")
	}
}
