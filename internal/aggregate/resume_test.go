package aggregate_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// startLog records where each read of events started.
type startLog struct {
	store
	from []model.Time
}

func (r *startLog) Events(ctx context.Context, rng storage.Range) (storage.EventPage, error) {
	r.from = append(r.from, rng.From)
	return r.store.Events(ctx, rng)
}

// resumable returns a world in which every fold stores a resume point if it can. It has one
// event at each of the first minutes after ten, processed one by one.
func resumable(t *testing.T, minutes int) (*world, *startLog) {
	w := newWorld(t)
	w.agg.Limits.MinResumeSaving = 1e-9
	store := &startLog{store: w.table}
	w.on(store)
	for i := range minutes {
		w.put(model.Order{At: minute(i)}, fmt.Sprint(i))
		w.process()
	}
	store.from = nil
	return w, store
}

// minute returns the i-th minute after ten.
func minute(i int) model.Time { return at(ten).Add(time.Duration(i) * time.Minute) }

// wantFrom fails unless the reads of events started at these times, in this order.
func (r *startLog) wantFrom(t *testing.T, want ...model.Time) {
	t.Helper()
	if fmt.Sprint(r.from) != fmt.Sprint(want) {
		t.Errorf("reads started at %v, want %v", r.from, want)
	}
	r.from = nil
}

func (w *world) point(when string) *rollup.ResumePoint {
	w.t.Helper()
	point, ok := rollup.DecodeResumePoint(w.row(tier.Hour, when).ResumePoint, w.kind.Spec())
	if !ok {
		return nil
	}
	return point
}

func TestResume_LaterChangesAreFoldedFromThePoint(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(10)}, "10")
	if report := w.process(); report.Resumed != 1 {
		t.Errorf("%d folds resumed from a point, want 1", report.Resumed)
	}
	store.wantFrom(t, minute(9))
	w.wantRow(tier.Hour, ten, 11, "10", true)
	w.wantRecount()
}

// An event at the time of the point is not before it.
func TestResume_ChangeAtThePointResumesFromIt(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(9), ID: "b"}, "90")
	w.process()
	store.wantFrom(t, minute(9))
	w.delete(model.Order{At: minute(9)})
	w.process()
	store.wantFrom(t, minute(9))
	w.wantRow(tier.Hour, ten, 10, "90", true)
	w.wantRecount()
}

func TestResume_ChangeBeforeThePointFoldsFromTheStartAndIsInTheNextPoint(t *testing.T) {
	for name, change := range map[string]func(*world){
		"insert":     func(w *world) { w.put(model.Order{At: minute(3), ID: "late"}, "99") },
		"correction": func(w *world) { w.correct(model.Order{At: minute(3)}, "99") },
		"deletion":   func(w *world) { w.delete(model.Order{At: minute(3)}) },
	} {
		t.Run(name, func(t *testing.T) {
			w, store := resumable(t, 10)
			change(w)
			w.process()
			store.wantFrom(t, at(ten))
			w.wantRecount()
			w.put(model.Order{At: minute(10)}, "10")
			w.process()
			if len(store.from) != 1 || store.from[0] == at(ten) {
				t.Errorf("the next fold started at %v, want a point", store.from)
			}
			w.wantRecount()
		})
	}
}

// The batch has one change after the point and one before it.
func TestResume_OneEarlierChangeInABatchFoldsFromTheStart(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(11)}, "11")
	w.put(model.Order{At: minute(8), ID: "late"}, "8")
	w.process()
	store.wantFrom(t, at(ten))
	w.wantRecount()
}

// The distance of the point follows how late recent changes were.
func TestResume_ThePointIsAsFarBackAsRecentChangesWereLate(t *testing.T) {
	w, _ := resumable(t, 20)
	if p := w.point(ten); p == nil || p.At != minute(19) || p.Newest != minute(19) {
		t.Fatalf("in order, the point is %+v; want it at the newest event", p)
	}
	w.put(model.Order{At: minute(11), ID: "late"}, "11")
	w.process()
	if p := w.point(ten); p == nil || p.At != minute(11) || p.Newest != minute(19) {
		t.Fatalf("after a change 8 minutes late the point is %+v; want it 8 minutes back", p)
	}
	w.put(model.Order{At: minute(20)}, "20")
	w.process()
	if p := w.point(ten); p == nil || p.At != minute(13) || p.Newest != minute(20) {
		t.Errorf("one recomputation later the point is %+v; want it 7 minutes back", p)
	}
}

// An event can be stored while its record has not arrived, and other recomputations resume
// from a later point. The recomputation of its record folds from the start.
func TestResume_EarlierInsertIsFoldedWhenItsRecordArrives(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(2), ID: "delayed"}, "99")
	delayed := w.changes()
	w.put(model.Order{At: minute(10)}, "10")
	delivered := w.changes()
	w.processAll(delivered)
	w.wantRow(tier.Hour, ten, 11, "10", true) // 12 events are stored

	// Between the reads and the write of its recomputation, another one resumes from the point.
	w.put(model.Order{At: minute(11)}, "11")
	meanwhile := w.changes()
	w.on(&interposed{store: w.table, before: func() {
		newWorldSharing(w).processAll(meanwhile)
	}})
	if report := w.processAll(delayed); report.LostLocks == 0 {
		t.Error("no recomputation lost its lock: the test proves nothing")
	}
	w.wantRecount()
	w.on(store)
	w.processAll(meanwhile)
	w.processAll(delivered)
	w.wantRecount()
}

func TestResume_RepairsFoldFromTheStartAndStoreNoPoint(t *testing.T) {
	for name, repair := range map[string]func(*world){
		"redrive": func(w *world) {
			w.agg.Redrive(w.ctx(), []storage.Change{{Type: storage.Corrected, Key: w.key(model.Order{At: minute(9)})}})
		},
		"revisit": func(w *world) {
			w.agg.Recompute(w.ctx(), []aggregate.Target{{Series: w.series, At: minute(9)}}, aggregate.RepairOptions{})
		},
		"rebuild": func(w *world) {
			if _, err := w.agg.Rebuild(w.ctx(), aggregate.Rebuild{Series: w.series, From: minute(9), To: minute(10)}); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, store := resumable(t, 10)
			w.put(model.Order{At: minute(1), ID: "given up"}, "99")
			w.changes()
			repair(w)
			if len(store.from) == 0 || store.from[len(store.from)-1] != at(ten) {
				t.Errorf("reads started at %v, want the start of the hour", store.from)
			}
			if w.point(ten) != nil {
				t.Error("the repaired row has a resume point")
			}
			w.wantRecount()
		})
	}
}

func TestResume_RowMarkedInexactHasNoPoint(t *testing.T) {
	w, store := resumable(t, 10)
	w.setNow(noon.Add(29*tier.Day24 + 23*time.Hour + 30*time.Minute))
	w.put(model.Order{At: minute(9), ID: "late"}, "99")
	w.process()
	store.wantFrom(t, at(ten)) // to see whether the row includes the event
	w.wantRow(tier.Hour, ten, 10, "9", false)
	if w.point(ten) != nil {
		t.Error("a row marked inexact has a resume point")
	}
}

// A fold does not resume from a point of another declaration of its kind.
func TestResume_AnotherDeclarationFoldsFromTheStart(t *testing.T) {
	w, store := resumable(t, 10)
	kind := gauge
	kind.Distinct = []string{"who"}
	cat, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	w.agg.Catalog = cat
	w.kind, _ = cat.Kind(kind.Name)
	w.put(model.Order{At: minute(10)}, "10")
	w.process()
	store.wantFrom(t, at(ten))
	w.wantRecount()
}

// appendMany stores n events, evenly over the first part of the hour, and processes them in
// one batch.
func (w *world) appendMany(n int, over time.Duration) {
	w.t.Helper()
	for i := range n {
		w.put(model.Order{At: at(ten).Add(over * time.Duration(i) / time.Duration(n))}, fmt.Sprint(i))
	}
	w.process()
}

func TestResume_PointIsStoredOnlyWhereItSavesMoreThanItCosts(t *testing.T) {
	for _, c := range []struct {
		name   string
		events int
		over   time.Duration
		limits aggregate.Limits
		want   bool
	}{
		{"few events", 40, 30 * time.Minute, aggregate.Limits{}, false},
		{"many events", 300, 30 * time.Minute, aggregate.Limits{}, true},
		{"many events, until the end of the hour", 300, 59*time.Minute + 50*time.Second, aggregate.Limits{}, false},
		{"many events, switched off", 300, 30 * time.Minute, aggregate.Limits{MinResumeSaving: math.Inf(1)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.agg.Limits = c.limits
			w.appendMany(c.events, c.over)
			w.put(model.Order{At: at(ten).Add(c.over)}, "1")
			w.process()
			w.put(model.Order{At: at(ten).Add(c.over), ID: "b"}, "1")
			w.process()
			if got := w.point(ten) != nil; got != c.want {
				t.Errorf("the row has a resume point: %v, want %v", got, c.want)
			}
			w.wantRecount()
		})
	}
}

// How much of an hour is still to come is not known from a late event.
func TestResume_LateEventOfAPastHourStoresNoPoint(t *testing.T) {
	w := newWorld(t)
	w.appendMany(300, 59*time.Minute+50*time.Second)
	w.put(model.Order{At: minute(30), ID: "late"}, "1")
	w.process()
	if w.point(ten) != nil {
		t.Error("the row of a past hour has a resume point")
	}
	w.wantRecount()
}

// A later version of the code may be able to decode the event, so it must be read again.
func TestResume_NoPointAfterAnUnreadableEvent(t *testing.T) {
	w, store := resumable(t, 10)
	e := w.event(model.Order{At: minute(5), ID: "odd"}, "5")
	odd := item.FromEvent(&e)
	delete(odd, tablekeys.AttrHash)
	if err := w.table.PutItem(w.ctx(), odd); err != nil {
		t.Fatal(err)
	}
	w.process()
	w.put(model.Order{At: minute(20)}, "20")
	w.process()
	store.wantFrom(t, at(ten), minute(5))
	w.wantRow(tier.Hour, ten, 11, "20", false)
	if w.point(ten) != nil {
		t.Error("the point is after an event that could not be decoded")
	}
}

// A write unit is 1 KB: a point that makes the row cost one more must save that too.
func TestResume_PointThatCostsAWriteUnitMustSaveThatToo(t *testing.T) {
	kind := gauge
	kind.Distinct = []string{"who"} // 8 bytes a value, in the row and in the point
	for events, want := range map[int]bool{150: false, 1000: true} {
		w := newWorldOf(t, kind)
		for i := range events {
			e := w.event(model.Order{At: at(ten).Add(30 * time.Minute * time.Duration(i) / time.Duration(events))}, "1")
			e.Attrs = append(e.Attrs, model.Attr{Name: "who", Value: model.TextValue(fmt.Sprint(i % 60))})
			if _, err := w.table.Put(w.ctx(), e); err != nil {
				t.Fatal(err)
			}
		}
		w.process()
		w.put(model.Order{At: minute(30)}, "1")
		w.process()
		if got := w.point(ten) != nil; got != want {
			t.Errorf("%d events, 60 of them different: a point %v, want %v", events, got, want)
		}
	}
}

// Apart from its resume point, a row is the same with and without resume points.
func TestResume_PointsDoNotChangeTheRest(t *testing.T) {
	rows := func(saves float64) string {
		w := newWorld(t)
		w.agg.Limits.MinResumeSaving = saves
		for i := range 40 {
			w.put(model.Order{At: minute((i * 7) % 40)}, fmt.Sprint(i))
			if i%3 == 0 {
				w.delete(model.Order{At: minute((i * 7) % 40)})
			}
			w.process()
		}
		row := w.row(tier.Hour, ten)
		return strings.Join([]string{fmt.Sprintf("%x", row.Summary.Encode(nil)), row.Digest.String(), fmt.Sprint(row.ChildrenExpireAt, row.Exact, row.Unreadable, row.NewestArrival)}, " ")
	}
	if with, without := rows(1e-9), rows(math.Inf(1)); with != without {
		t.Errorf("with resume points\n%s\nwithout\n%s", with, without)
	}
}
