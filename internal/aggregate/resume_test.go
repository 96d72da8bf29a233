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
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// reading notes from where on each read of events went.
type reading struct {
	store
	from []model.Time
}

func (r *reading) Events(ctx context.Context, rng model.Range) (model.EventPage, error) {
	r.from = append(r.from, rng.From)
	return r.store.Events(ctx, rng)
}

// resumable is a world in which every fold leaves a resume point where it can, with an
// event at each of the first minutes after ten, settled one by one.
func resumable(t *testing.T, minutes int) (*world, *reading) {
	w := newWorld(t)
	w.agg.Limits.Resume = 1e-9
	store := &reading{store: w.Table}
	w.on(store)
	for i := range minutes {
		w.put(model.Order{At: minute(i)}, fmt.Sprint(i))
		w.settle()
	}
	store.from = nil
	return w, store
}

// minute is a minute after ten.
func minute(i int) model.Time { return at(ten).Add(time.Duration(i) * time.Minute) }

// wantFrom fails unless events were read from these times on, in this order.
func (r *reading) wantFrom(t *testing.T, want ...model.Time) {
	t.Helper()
	if fmt.Sprint(r.from) != fmt.Sprint(want) {
		t.Errorf("events were read from %v on, want %v", r.from, want)
	}
	r.from = nil
}

func (w *world) point(when string) *rollup.Resume {
	w.Helper()
	point, ok := rollup.DecodeResume(w.row(tier.Hour, when).Resume, w.kind.Spec())
	if !ok {
		return nil
	}
	return point
}

func TestResume_LaterChangesAreFoldedFromThePointOn(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(10)}, "10")
	if report := w.settle(); report.Resumed != 1 {
		t.Errorf("%d folds went on from a point, want 1", report.Resumed)
	}
	store.wantFrom(t, minute(9))
	w.wantRow(tier.Hour, ten, 11, "10", true)
	w.wantRecount()
}

// A change at the point's own time is not in what lies before it.
func TestResume_ChangeAtThePointGoesOnFromIt(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(9), ID: "b"}, "90")
	w.settle()
	store.wantFrom(t, minute(9))
	w.delete(model.Order{At: minute(9)})
	w.settle()
	store.wantFrom(t, minute(9))
	w.wantRow(tier.Hour, ten, 10, "90", true)
	w.wantRecount()
}

func TestResume_ChangeBeforeThePointFoldsFromTheStartAndTheNextPointHasIt(t *testing.T) {
	for name, change := range map[string]func(*world){
		"insert":     func(w *world) { w.put(model.Order{At: minute(3), ID: "late"}, "99") },
		"correction": func(w *world) { w.correct(model.Order{At: minute(3)}, "99") },
		"deletion":   func(w *world) { w.delete(model.Order{At: minute(3)}) },
	} {
		t.Run(name, func(t *testing.T) {
			w, store := resumable(t, 10)
			change(w)
			w.settle()
			store.wantFrom(t, at(ten))
			w.wantRecount()
			w.put(model.Order{At: minute(10)}, "10")
			w.settle()
			if len(store.from) != 1 || store.from[0] == at(ten) {
				t.Errorf("the next fold began at %v, want a point", store.from)
			}
			w.wantRecount()
		})
	}
}

// A batch that brings both is one change before the point.
func TestResume_OneEarlierChangeOfABatchFoldsFromTheStart(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(11)}, "11")
	w.put(model.Order{At: minute(8), ID: "late"}, "8")
	w.settle()
	store.wantFrom(t, at(ten))
	w.wantRecount()
}

// How far back changes come is learned from them, and forgotten.
func TestResume_ThePointLiesAsFarBackAsChangesLatelyCame(t *testing.T) {
	w, _ := resumable(t, 20)
	if p := w.point(ten); p == nil || p.At != minute(19) || p.Newest != minute(19) {
		t.Fatalf("in order, the point is %+v; want it at the newest event", p)
	}
	w.put(model.Order{At: minute(11), ID: "late"}, "11")
	w.settle()
	if p := w.point(ten); p == nil || p.At != minute(11) || p.Newest != minute(19) {
		t.Fatalf("after a change 8 minutes late the point is %+v; want it 8 minutes back", p)
	}
	w.put(model.Order{At: minute(20)}, "20")
	w.settle()
	if p := w.point(ten); p == nil || p.At != minute(13) || p.Newest != minute(20) {
		t.Errorf("one look later the point is %+v; want it 7 minutes back", p)
	}
}

// An event may be stored, and not yet told, when another look folds what lies before a
// later point. Whoever is told of it folds from the start, whatever came between.
func TestResume_EarlierInsertThatNobodyWasToldOfIsFoldedOnceItIs(t *testing.T) {
	w, store := resumable(t, 10)
	w.put(model.Order{At: minute(2), ID: "untold"}, "99")
	untold := w.changes()
	w.put(model.Order{At: minute(10)}, "10")
	told := w.changes()
	w.settleAll(told)
	w.wantRow(tier.Hour, ten, 11, "10", true) // 12 events are stored

	// Between the reads and the write of its look, another goes on from the point.
	w.put(model.Order{At: minute(11)}, "11")
	meanwhile := w.changes()
	w.on(&interposed{store: w.Table, before: func() {
		newWorldSharing(w).settleAll(meanwhile)
	}})
	if report := w.settleAll(untold); report.Lost == 0 {
		t.Error("no look lost its condition: the test shows nothing")
	}
	w.wantRecount()
	w.on(store)
	w.settleAll(meanwhile)
	w.settleAll(told)
	w.wantRecount()
}

func TestResume_RepairsFoldFromTheStartAndLeaveNoPoint(t *testing.T) {
	for name, repair := range map[string]func(*world){
		"redrive": func(w *world) {
			w.agg.Redrive(w.ctx(), []model.Change{{What: model.Corrected, Key: w.key(model.Order{At: minute(9)})}})
		},
		"revisit": func(w *world) {
			w.agg.Revisit(w.ctx(), []aggregate.Place{{Series: w.series, At: minute(9)}}, aggregate.Terms{})
		},
		"rebuild": func(w *world) {
			if _, err := w.agg.Rebuild(w.ctx(), aggregate.Rebuild{Series: w.series, From: minute(9), To: minute(10)}); err != nil {
				w.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, store := resumable(t, 10)
			w.put(model.Order{At: minute(1), ID: "given up"}, "99")
			w.changes()
			repair(w)
			if len(store.from) == 0 || store.from[len(store.from)-1] != at(ten) {
				t.Errorf("events were read from %v on, want the start", store.from)
			}
			if w.point(ten) != nil {
				t.Error("the repaired row has a resume point")
			}
			w.wantRecount()
		})
	}
}

func TestResume_MarkedRowHasNone(t *testing.T) {
	w, store := resumable(t, 10)
	w.setNow(noon.Add(29*tier.Day24 + 23*time.Hour + 30*time.Minute))
	w.put(model.Order{At: minute(9), ID: "late"}, "99")
	w.settle()
	store.wantFrom(t)
	w.wantRow(tier.Hour, ten, 10, "9", false)
	if w.point(ten) != nil {
		t.Error("a row that was marked has a resume point")
	}
}

// What was folded under one declaration is not gone on with under another.
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
	w.settle()
	store.wantFrom(t, at(ten))
	w.wantRecount()
}

// appendMany stores n events, evenly over the first part of the hour, and settles them
// in one batch.
func (w *world) appendMany(n int, over time.Duration) {
	w.Helper()
	for i := range n {
		w.put(model.Order{At: at(ten).Add(over * time.Duration(i) / time.Duration(n))}, fmt.Sprint(i))
	}
	w.settle()
}

func TestResume_IsKeptOnlyWhereItSavesMoreThanItCosts(t *testing.T) {
	for _, c := range []struct {
		name   string
		events int
		over   time.Duration
		limits aggregate.Limits
		want   bool
	}{
		{"few events", 40, 30 * time.Minute, aggregate.Limits{}, false},
		{"many events", 300, 30 * time.Minute, aggregate.Limits{}, true},
		{"many events, at the end of their hour", 300, 59*time.Minute + 50*time.Second, aggregate.Limits{}, false},
		{"many events, switched off", 300, 30 * time.Minute, aggregate.Limits{Resume: math.Inf(1)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.agg.Limits = c.limits
			w.appendMany(c.events, c.over)
			w.put(model.Order{At: at(ten).Add(c.over)}, "1")
			w.settle()
			w.put(model.Order{At: at(ten).Add(c.over), ID: "b"}, "1")
			w.settle()
			if got := w.point(ten) != nil; got != c.want {
				t.Errorf("the row has a resume point: %v, want %v", got, c.want)
			}
			w.wantRecount()
		})
	}
}

// A late event tells nothing of how much of its hour is still to come: the hour does.
func TestResume_LateEventOfAnHourThatIsOverLeavesNone(t *testing.T) {
	w := newWorld(t)
	w.appendMany(300, 59*time.Minute+50*time.Second)
	w.put(model.Order{At: minute(30), ID: "late"}, "1")
	w.settle()
	if w.point(ten) != nil {
		t.Error("the row of an hour that is over has a resume point")
	}
	w.wantRecount()
}

// Code that comes later may decode what this code cannot, and must get to see it.
func TestResume_NonePassesAnEventThatCannotBeDecoded(t *testing.T) {
	w, store := resumable(t, 10)
	e := w.event(model.Order{At: minute(5), ID: "odd"}, "5")
	odd := item.FromEvent(&e)
	delete(odd, keys.AttrHash)
	if err := w.PutItem(w.ctx(), odd); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.put(model.Order{At: minute(20)}, "20")
	w.settle()
	store.wantFrom(t, at(ten), minute(5))
	w.wantRow(tier.Hour, ten, 11, "20", false)
	if w.point(ten) != nil {
		t.Error("the point lies after an event that could not be decoded")
	}
}

// A write unit is a KB: a point that takes the row past one must save that too.
func TestResume_ThatTakesTheRowPastAnotherWriteUnitMustSaveItToo(t *testing.T) {
	kind := gauge
	kind.Distinct = []string{"who"} // 8 bytes a value, in the row and in the point
	for events, want := range map[int]bool{150: false, 1000: true} {
		w := newWorldOf(t, kind)
		for i := range events {
			e := w.event(model.Order{At: at(ten).Add(30 * time.Minute * time.Duration(i) / time.Duration(events))}, "1")
			e.Attrs = append(e.Attrs, model.Attr{Name: "who", Value: model.TextValue(fmt.Sprint(i % 60))})
			if _, err := w.Put(w.ctx(), e); err != nil {
				t.Fatal(err)
			}
		}
		w.settle()
		w.put(model.Order{At: minute(30)}, "1")
		w.settle()
		if got := w.point(ten) != nil; got != want {
			t.Errorf("%d events, 60 of them different: a point %v, want %v", events, got, want)
		}
	}
}

// Resume points are told of no reader: the row is the same with and without them.
func TestResume_ChangesNoByteOfTheRow(t *testing.T) {
	rows := func(saves float64) string {
		w := newWorld(t)
		w.agg.Limits.Resume = saves
		for i := range 40 {
			w.put(model.Order{At: minute((i * 7) % 40)}, fmt.Sprint(i))
			if i%3 == 0 {
				w.delete(model.Order{At: minute((i * 7) % 40)})
			}
			w.settle()
		}
		row := w.row(tier.Hour, ten)
		return strings.Join([]string{fmt.Sprintf("%x", row.Summary.Encode(nil)), row.Digest.String(), fmt.Sprint(row.ChildrenUntil, row.Exact, row.Unreadable, row.NewestArrival)}, " ")
	}
	if with, without := rows(1e-9), rows(math.Inf(1)); with != without {
		t.Errorf("with resume points\n%s\nwithout\n%s", with, without)
	}
}
