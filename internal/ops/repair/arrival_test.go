package repair_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func eventKey(s model.Series, when string) keys.Key {
	return keys.Event(model.EventKey{Series: s, Order: model.Order{At: timeAt(when)}})
}

func (f *fixture) arrivalRepairer() *repair.Repairer {
	return &repair.Repairer{Table: f.Table, Catalog: f.catalog, Aggregator: f.agg, Now: f.now, MaxNotes: 5}
}

// changeRow changes the hour row of a device behind aggregate's back.
func (f *fixture) changeRow(device, when string, change func(*rollup.Row)) {
	f.Helper()
	row := f.row(device, when)
	change(row)
	stored, err := item.FromRow(row)
	if err == nil {
		err = f.PutItem(f.Context(), stored)
	}
	if err != nil {
		f.Fatal(err)
	}
}

func TestArrivalRepairer_RecomputesArrivalsOfTheRangeAndWrongDigests(t *testing.T) {
	f := newFixture(t)
	f.process(f.store(deviceSeries("a"), "2026-04-20T10:00:00Z"))
	f.clock.Add(time.Hour.Milliseconds())
	began := f.now()
	f.process(f.store(deviceSeries("b"), "2026-04-19T10:00:00Z")) // arrived in the range, and its row is right
	f.clock.Add(time.Hour.Milliseconds())
	f.store(deviceSeries("c"), "2026-04-18T10:00:00Z") // arrived after the range, and has no row
	r := f.arrivalRepairer()
	recomputed := 0
	r.Progress = func(s verify.Step) {
		if s.Phase == "recompute" {
			recomputed += s.Added
		}
	}
	ranges := []storage.Gap{{From: began, To: began + 1}}

	r.DryRun = true
	report, err := r.RepairArrivals(t.Context(), ranges)
	if err != nil || report.Suspects != 2 || report.Changed != 1 {
		t.Errorf("dry run: %+v, %v; want 2 suspects, one of them wrong", report, err)
	}
	f.wantWrong(3)

	recomputed, r.DryRun = 0, false
	report, err = r.RepairArrivals(t.Context(), ranges)
	if err != nil || report.Suspects != 2 || recomputed != 2 || len(report.Notes) != 3 ||
		!slices.Equal(report.Ranges, ranges) {
		t.Errorf("report %+v, %v, progress counted %d; want both suspects recomputed and three notes", report, err,
			recomputed)
	}
	f.wantWrong(0)
}

func TestArrivalRepairer_MarksSealedRowsOfTheRangeInexact(t *testing.T) {
	f := newFixture(t)
	for _, device := range []string{"a", "b"} {
		f.process(f.store(deviceSeries(device), "2026-04-20T10:00:00Z"))
		f.changeRow(device, "2026-04-20T10:00:00Z", func(r *rollup.Row) { r.ChildrenExpireAt = 1 })
		f.clock.Add(time.Hour.Milliseconds())
	}
	now := f.now() // b arrived an hour before
	if _, err := f.arrivalRepairer().RepairArrivals(t.Context(),
		[]storage.Gap{{From: now.Add(-time.Hour), To: now}}); err != nil {
		t.Fatal(err)
	}
	if a, b := f.row("a", "2026-04-20T10:00:00Z").Exact, f.row("b", "2026-04-20T10:00:00Z").Exact; !a || b {
		t.Errorf("exact: %t outside the range, %t in it; want true, false", a, b)
	}
}

func TestStreamState_NamesGapsAndForgetsTheRepairedOnes(t *testing.T) {
	f := newFixture(t)
	now := f.now()
	day := 24 * time.Hour
	blocked := storage.Blocked{Seq: "7", Gap: storage.Gap{
		From: now.Add(-8 * day), To: now.Add(-8*day + time.Minute),
	}}
	first, second := storage.Gap{From: now.Add(-9 * day), To: now.Add(-7 * day)},
		storage.Gap{From: now.Add(-5 * day), To: now.Add(-3 * day)}
	for _, it := range []item.Item{
		item.FromGap(first), item.FromGap(second), item.FromBlocked(blocked),
		item.FromStreamProgress(now.Add(-time.Hour)),
	} {
		if err := f.PutItem(t.Context(), it); err != nil {
			t.Fatal(err)
		}
	}
	state := f.streamState()
	all := []storage.Gap{first, blocked.Gap, second}
	if got := state.Unprocessed(now); state.Stalled(now) || !slices.Equal(got, all) {
		t.Errorf("stalled %t, unprocessed %v; want the two gaps and the blocked batch", state.Stalled(now), got)
	}
	later := now.Add(day)
	all = append(all, storage.Gap{From: now.Add(-time.Hour), To: later})
	if got := state.Unprocessed(later); !state.Stalled(later) || !slices.Equal(got, all) {
		t.Errorf("a day later: stalled %t, unprocessed %v; want the time since the progress too",
			state.Stalled(later), got)
	}
	if err := state.ForgetGaps(t.Context(), f.Table,
		[]storage.Gap{{From: first.From, To: first.To}, {From: second.From + 1, To: second.To}}); err != nil {
		t.Fatal(err)
	}
	left := f.streamState()
	if got := left.Gaps; !slices.Equal(got, []storage.Gap{second}) || len(left.Blocked) > 0 {
		t.Errorf("left %v and %v, want the gap that was not repaired completely", got, left.Blocked)
	}
}

func (f *fixture) streamState() repair.StreamState {
	f.Helper()
	state, err := repair.ReadStreamState(f.Context(), f.Table)
	if err != nil {
		f.Fatal(err)
	}
	return state
}
