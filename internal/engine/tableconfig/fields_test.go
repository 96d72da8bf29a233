package tableconfig_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// fieldsWorld is a table whose kind gets and loses fields while events arrive. Each event
// has every field, so a field is whole in a bucket if it was counted in each event.
type fieldsWorld struct {
	*testing.T
	table   *memory.Table
	clock   model.Time
	declare func(*catalog.Kind)
	workers []*tableconfig.Current
	counts  map[string]int64 // events by bucket
	ids     int
}

func newFieldsWorld(t *testing.T) *fieldsWorld {
	w := &fieldsWorld{T: t, clock: mustTime("2026-04-20T06:00:00Z"), counts: map[string]int64{},
		declare: func(*catalog.Kind) {}}
	w.table = memory.New(w.now)
	w.workers = []*tableconfig.Current{w.process(), w.process()}
	w.apply()
	return w
}

func (w *fieldsWorld) now() model.Time { return w.clock }

func (w *fieldsWorld) kinds() *catalog.Catalog {
	w.Helper()
	k := catalog.Kind{
		Name: "FLOW", Subject: catalog.SubjectType{Name: "DEVICE"}, Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9}},
		Retention: policy(3*day, hours(90*day), days, months),
	}
	w.declare(&k)
	kinds, err := catalog.New(k)
	if err != nil {
		w.Fatal(err)
	}
	return kinds
}

func (w *fieldsWorld) process() *tableconfig.Current {
	return &tableconfig.Current{Table: w.table, Now: w.now, Declare: func() (*catalog.Catalog, error) {
		return w.kinds(), nil
	}}
}

func (w *fieldsWorld) apply() {
	w.Helper()
	a := &tableconfig.Applier{Table: w.table, Now: w.now, MaxAhead: 5 * time.Minute}
	if _, err := a.Apply(w.Context(), w.kinds()); err != nil {
		w.Fatal(err)
	}
}

func (w *fieldsWorld) load(p *tableconfig.Current) *catalog.Catalog {
	w.Helper()
	kinds, _, err := p.Kinds(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return kinds
}

// event stores an event, which a worker processes.
func (w *fieldsWorld) event(at model.Time, worker int) {
	w.Helper()
	kinds := w.load(w.workers[worker])
	kind := &kinds.Kinds[0]
	w.ids++
	one := model.NumberValue(model.NewDecimal(1))
	attrs := model.Attrs{{Name: "badge", Value: model.TextValue(fmt.Sprint(w.ids))},
		{Name: "room", Value: model.TextValue("a")}, {Name: "value", Value: one}}
	e := model.Event{
		Series: kind.Series("d1", "", model.Order{}), Order: model.Order{At: at, ID: fmt.Sprint(w.ids)}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.clock, ExpiresAt: kind.Retention.EventExpiresAt(w.clock),
	}
	if _, err := w.table.Put(w.Context(), e); err != nil {
		w.Fatal(err)
	}
	agg := &aggregate.Aggregator{
		Store: w.table, QuarantineStore: w.table, Catalog: kinds, Now: w.now, Rand: rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	report := agg.Process(w.Context(),
		[]storage.Change{{Type: storage.Inserted, Key: e.Key(), After: &e, At: w.clock}})
	if len(report.Failures) > 0 {
		w.Fatal(report.Failures[0].Err)
	}
	for _, t := range kind.Retention.Tiers {
		w.counts[t.Unit.String()+" "+t.Unit.BucketAt(at).Start.String()]++
	}
}

// rollups reads every rollup of a tier as a process sees it.
func (w *fieldsWorld) rollups(p *tableconfig.Current, unit tier.Unit) []query.Rollup {
	w.Helper()
	s := &query.Service{Store: w.table, Now: w.now}
	page, err := s.Rollups(w.Context(), query.Rollups{Series: query.Series{Kind: &w.load(p).Kinds[0],
		Subject: "d1"}, Unit: unit, From: model.MinTime, To: model.MaxTime})
	if err != nil || page.Next != "" {
		w.Fatal(err, page.Next)
	}
	return page.Rollups
}

// figures returns how many events each field of a rollup was counted in.
func figures(r query.Rollup) map[rollup.FieldRole]int64 {
	d, _ := r.Summary.Dimension("room")
	badges, _, _ := r.Summary.Distinct("badge")
	all := map[rollup.FieldRole]int64{rollup.MeasureRole: r.Measure("value").Count, rollup.DistinctRole: badges,
		rollup.DimensionRole: d.Other}
	for _, v := range d.Values {
		all[rollup.DimensionRole] += v.Count
	}
	return all
}

// wrong returns the fields of rollups that are exact and not partial, but lack an event. A
// field that the reader does not declare is not shown.
func (w *fieldsWorld) wrong(p *tableconfig.Current) (wrong []string) {
	w.Helper()
	spec := w.load(p).Kinds[0].Spec()
	names := map[rollup.FieldRole]string{rollup.MeasureRole: "value"}
	if len(spec.Dimensions) > 0 {
		names[rollup.DimensionRole] = "room"
	}
	if len(spec.Distinct) > 0 {
		names[rollup.DistinctRole] = "badge"
	}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		for _, r := range w.rollups(p, unit) {
			got := figures(r)
			bucket := unit.String() + " " + r.Bucket.Start.String()
			for role, name := range names {
				if _, partial := r.Partial.Find(role, name); r.Exact && !partial && got[role] != w.counts[bucket] {
					wrong = append(wrong, fmt.Sprintf("%s: %s %s %d of %d", bucket, role, name, got[role], w.counts[bucket]))
				}
			}
		}
	}
	return wrong
}

func withAllFields(k *catalog.Kind) {
	k.Measures = []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true, Counter: true}}
	k.Dimensions, k.Distinct = []rollup.DimensionSpec{{Name: "room"}}, []string{"badge"}
}

// A field is added after two events of a month. Its figures have one event of three, and
// each row of the month must say so.
func TestFields_AddedToALiveKindSayFromWhenTheyAreWhole(t *testing.T) {
	t.Parallel()
	w := newFieldsWorld(t)
	w.event(mustTime("2026-04-20T05:10:00Z"), 0)
	w.event(mustTime("2026-04-20T05:20:00Z"), 0)
	w.clock = mustTime("2026-04-20T07:00:00Z")
	w.declare = withAllFields
	w.apply()
	w.clock = mustTime("2026-04-20T08:30:00Z")
	w.event(mustTime("2026-04-20T08:10:00Z"), 0)

	reader := w.process()
	month := w.rollups(reader, tier.Month)[0]
	if got := figures(month); got[rollup.DimensionRole] != 1 || got[rollup.DistinctRole] != 1 ||
		month.Summary.Events() != 3 || !month.Exact {
		t.Fatalf("the month has %v of %d events, exact %t: the history proves nothing", got, month.Summary.Events(),
			month.Exact)
	}
	since := mustTime("2026-04-20T07:00:00Z")
	want := rollup.AddedFields{
		{Role: rollup.PercentilesRole, Name: "value", Since: since, WholeFrom: since},
		{Role: rollup.StepsRole, Name: "value", Since: since, WholeFrom: since},
		{Role: rollup.DimensionRole, Name: "room", Since: since, WholeFrom: since},
		{Role: rollup.DistinctRole, Name: "badge", Since: since, WholeFrom: since},
	}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		if r := w.rollups(reader, unit)[0]; !slices.Equal(r.Partial, want) {
			t.Errorf("%s %s: partial %v, want %v", unit, r.Bucket.Start, r.Partial, want)
		}
	}
	if hours := w.rollups(reader, tier.Hour); len(hours) != 2 || len(hours[1].Partial) > 0 {
		t.Errorf("the hour after the change is partial: %+v", hours)
	}
	total, err := (&query.Service{Store: w.table, Now: w.now}).Total(t.Context(),
		query.Rollups{Series: query.Series{Kind: &w.load(reader).Kinds[0], Subject: "d1"}, Unit: tier.Hour, From: 0,
			To: model.MaxTime})
	if err != nil || !slices.Equal(total.Partial, want) {
		t.Errorf("total: partial %v, %v; want %v", total.Partial, err, want)
	}
}

// verify recounts rows by the fields that they were folded by, and names the partial ones.
func TestFields_VerifyKnowsWhatARowIncludes(t *testing.T) {
	t.Parallel()
	w := newFieldsWorld(t)
	w.event(mustTime("2026-04-20T05:10:00Z"), 0)
	w.clock = mustTime("2026-04-20T07:00:00Z")
	w.declare = withAllFields
	w.apply()
	w.clock = mustTime("2026-04-20T08:30:00Z")
	w.event(mustTime("2026-04-20T08:10:00Z"), 0)
	v := &verify.Verifier{Store: w.table, Catalog: w.load(w.process()), Now: w.now}
	report, err := v.Verify(t.Context(), verify.Scope{Span: verify.Always})
	if err != nil || !report.OK() || len(report.Partial["FLOW"]) != 4 {
		t.Fatalf("%+v, %v; want no difference and four partial fields", report, err)
	}
	for _, tier := range report.Tiers {
		if tier.Partial != 1 {
			t.Errorf("%s: %d partial rows, want 1", tier.Tier, tier.Partial)
		}
	}
	key := rollup.Key{Series: w.load(w.process()).Kinds[0].Series("d1", "", model.Order{}), Tier: "hour",
		Start: mustTime("2026-04-20T05:00:00Z")}
	row, _ := w.table.Row(t.Context(), key)
	lying := *row
	lying.FieldsAt, lying.Rev = mustTime("2026-04-20T07:00:00Z"), rollup.Rev{1}
	if _, err := w.table.PutRow(t.Context(), &lying, row.Rev); err != nil {
		t.Fatal(err)
	}
	if report, err = v.Verify(t.Context(), verify.Scope{Span: verify.Always}); err != nil || report.OK() {
		t.Errorf("a row that says whole without the fields: %+v, %v; want a difference", report, err)
	}
}

// Whatever is declared and applied in any order, with processes that know older
// configurations, deployments that are late or rolled back: a figure that is exact and not
// partial has every event.
func TestFields_AFigureThatIsNotPartialHasEveryEvent(t *testing.T) {
	t.Parallel()
	partial := 0
	for seed := range uint64(100) {
		w := newFieldsWorld(t)
		draw := rand.New(rand.NewPCG(seed, 14))
		reader := w.process()
		for range 60 {
			pause := 20 * time.Minute
			if draw.IntN(6) == 0 {
				pause = 3 * time.Hour
			}
			w.clock = w.clock.Add(time.Duration(draw.Int64N(int64(pause))).Truncate(time.Millisecond))
			switch draw.IntN(7) {
			case 0:
				fields := draw.IntN(4)
				w.declare = func(k *catalog.Kind) {
					all := *k
					withAllFields(&all)
					if fields&1 != 0 {
						k.Dimensions, k.Measures = all.Dimensions, all.Measures
					}
					if fields&2 != 0 {
						k.Distinct = all.Distinct
					}
				}
			case 1:
				w.apply()
			case 2: // a process starts again
				w.workers[draw.IntN(2)] = w.process()
			case 3:
				if wrong := w.wrong(reader); len(wrong) > 0 {
					t.Fatalf("seed %d at %s: %v", seed, w.clock, wrong)
				}
			default:
				w.event(w.clock.Add(-time.Duration(draw.IntN(180))*time.Minute), draw.IntN(2))
			}
		}
		for _, r := range w.rollups(reader, tier.Hour) {
			partial += len(r.Partial)
		}
		if wrong := w.wrong(w.process()); len(wrong) > 0 {
			t.Fatalf("seed %d: %v", seed, wrong)
		}
	}
	if partial == 0 {
		t.Error("no figure was partial: the histories prove nothing")
	}
}
