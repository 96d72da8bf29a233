package timeseriestest_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

type reading struct {
	Device      string    `tide:"subject"`
	At          time.Time `tide:"time"`
	Temperature float64   `tide:"measure"`
}

var (
	start  = time.Date(2026, 4, 20, 18, 0, 0, 0, time.UTC)
	sensor = timeseries.Key{Subject: "sensor_01"}
)

var _ lifecycle.Store = (*timeseriestest.Table)(nil)

func newTable(t *testing.T) (*timeseriestest.Table, *timeseries.Events[reading]) {
	t.Helper()
	table := timeseriestest.New(t, start)
	readings, err := timeseries.Open[reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	return table, readings
}

func TestFold_FollowsAppendsCorrectionsDeletionsAndExpiry(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	table, readings := newTable(t)
	hour := func(step string, count int64, sum string) {
		t.Helper()
		table.Fold(readings.Kind())
		list, err := readings.Rollups(ctx, sensor, tier.Hour)
		found := list.Rollups
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %d hours, %v; want 1", step, len(found), err)
		}
		if m := found[0].Measure("temperature"); m.Count != count || m.Sum.String() != sum || !found[0].Exact {
			t.Errorf("%s: %d values, sum %s, exact %t; want %d and %s", step, m.Count, m.Sum, found[0].Exact, count,
				sum)
		}
	}
	first, second := reading{
		Device: "sensor_01", At: start, Temperature: 20,
	}, reading{Device: "sensor_01", At: start.Add(time.Minute), Temperature: 30}
	if _, err := readings.AppendAll(ctx, []reading{first, second}); err != nil {
		t.Fatal(err)
	}
	hour("appended", 2, "50")
	second.Temperature = 31
	if _, err := readings.Correct(ctx, second); err != nil {
		t.Fatal(err)
	}
	hour("corrected", 2, "51")
	if _, err := readings.Delete(ctx, first); err != nil {
		t.Fatal(err)
	}
	hour("deleted", 1, "31")
	table.Advance(31 * tier.Day24)
	if n, err := readings.Count(ctx, sensor); err != nil || n.Events != 0 {
		t.Errorf("%d events after their retention, %v; want none", n.Events, err)
	}
	hour("expired", 1, "31")
}

func TestFail_NamesWhatHappensToTheNextRequests(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for fault, second := range map[string]model.Outcome{ // of the same append again
		"busy":          model.Applied,
		"contended":     model.Applied,
		"lost request":  model.Applied,
		"lost response": model.Duplicate,
	} {
		table := timeseriestest.New(t, start)
		opts := table.Options()
		opts.Attempts = 1
		readings, err := timeseries.Open[reading](table, iot.Readings, opts)
		if err != nil {
			t.Fatal(err)
		}
		before := reading{Device: "sensor_01", At: start.Add(-time.Millisecond), Temperature: 1}
		if _, err := readings.Append(ctx, before); err != nil {
			t.Fatal(err)
		}
		r := reading{Device: "sensor_01", At: start, Temperature: 20}
		table.Fail(fault, 1)
		if out, err := readings.Append(ctx, r); !errors.Is(err, timeseries.ErrUndecided) {
			t.Errorf("%s: %s, %v; want %v", fault, out.Outcome, err, timeseries.ErrUndecided)
		}
		if out, err := readings.Append(ctx, r); err != nil || out.Outcome != second {
			t.Errorf("%s: again: %s, %v; want %s", fault, out.Outcome, err, second)
		}
		table.Fail("failed read", 1)
		if _, err := readings.Count(ctx, sensor); err == nil {
			t.Errorf("%s: a failed read has no error", fault)
		}
		if n, err := readings.Count(ctx, sensor); err != nil || n.Events != 2 {
			t.Errorf("%s: %d events, %v; want 2", fault, n.Events, err)
		}
	}
}

// The clock of a table with two kinds, one of them deferred, closes its buckets: no test calls Fold or Sweep.
func TestAdvance_ClosesTheBucketsOfConfiguredKinds(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	deferred, immediate := iot.Readings, iot.Readings
	deferred.Retention = tier.Standard().Defer()
	immediate.Name, immediate.Path = "PROBE", "probes"
	immediate.Retention = tier.Standard()
	table := timeseriestest.New(t, start)
	table.Configure(deferred, immediate)
	var opened []*timeseries.Events[reading]
	for _, kind := range []catalog.Kind{deferred, immediate} {
		events, err := timeseries.Open[reading](table, kind, table.Options())
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, events)
		if _, err := events.Append(ctx, reading{Device: "sensor_01", At: start, Temperature: 20}); err != nil {
			t.Fatal(err)
		}
	}
	table.Advance(40 * tier.Day24) // the event has expired, its month is closed
	for _, events := range opened {
		if n, err := events.Count(ctx, sensor); err != nil || n.Events != 0 {
			t.Errorf("%s: %d events, %v; want none", events.Kind().Name, n.Events, err)
		}
		for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
			list, err := events.Rollups(ctx, sensor, unit)
			found := list.Rollups
			if err != nil || len(found) != 1 {
				t.Fatalf("%s: %d buckets of a %s, %v; want 1", events.Kind().Name, len(found), unit, err)
			}
			if m := found[0].Measure("temperature"); m.Count != 1 || found[0].Open || !found[0].Exact {
				t.Errorf("%s: %s: %+v, want one value, closed and exact", events.Kind().Name, unit, found[0])
			}
		}
	}
}

func TestWaitRollup_ReturnsWhenTheBucketHasTheEvents(t *testing.T) {
	t.Parallel()
	table, readings := newTable(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := readings.Append(ctx, reading{Device: "sensor_01", At: start, Temperature: 20}); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(ctx, time.Millisecond)
	defer stop()
	if _, err := readings.WaitRollup(short, sensor, tier.Hour, start, 2); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a bucket with too few events: %v, want %v", err, context.DeadlineExceeded)
	}
	go table.Fold(readings.Kind())
	hour, err := readings.WaitRollup(ctx, sensor, tier.Hour, start.Add(30*time.Minute), 1)
	if err != nil || hour.Measure("temperature").Count != 1 {
		t.Errorf("got %+v, %v; want one value", hour, err)
	}
	if _, err := readings.WaitRollup(ctx, sensor, tier.Minute, start, 1); !errors.Is(err, timeseries.ErrNoTier) {
		t.Errorf("an unknown tier: %v, want %v", err, timeseries.ErrNoTier)
	}
}

// A deferred tier is folded by its readers until a sweep writes its row, and late events after that
// are in it at once.
func TestSweep_WritesTheRowsThatReadsFoldUntilThen(t *testing.T) {
	t.Parallel()
	ctx, kind := context.Background(), iot.Readings
	kind.Retention = tier.Standard().Defer()
	table := timeseriestest.New(t, start)
	readings, err := timeseries.Open[reading](table, kind, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	hour := func(step string, count int64, open bool) {
		t.Helper()
		list, err := readings.Rollups(ctx, sensor, tier.Hour)
		found := list.Rollups
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %d hours, %v; want 1", step, len(found), err)
		}
		if m := found[0].Measure("temperature"); m.Count != count || found[0].Open != open || !found[0].Exact {
			t.Errorf("%s: %d values, open %t, exact %t; want %d and open %t", step, m.Count, found[0].Open,
				found[0].Exact, count, open)
		}
	}
	if _, err := readings.Append(ctx, reading{Device: "sensor_01", At: start, Temperature: 20}); err != nil {
		t.Fatal(err)
	}
	hour("appended", 1, true)
	table.Fold(readings.Kind())
	table.Advance(2 * time.Hour)
	hour("ended, but not swept", 1, true)
	table.Sweep(readings.Kind())
	table.Advance(time.Minute)
	hour("swept", 1, false)
	if _, err := readings.Append(ctx, reading{
		Device: "sensor_01", At: start.Add(time.Second), Temperature: 30,
	}); err != nil {
		t.Fatal(err)
	}
	hour("late, before the table's changes are folded: the row that the sweep wrote", 1, false)
	table.Fold(readings.Kind())
	hour("late", 2, false)
}

func TestSeries_ListsWhatWasFolded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	table, readings := newTable(t)
	for _, r := range []reading{
		{Device: "b", At: start, Temperature: 1},
		{Device: "a", At: start.Add(-90 * time.Minute), Temperature: 1},
		{Device: "a", At: start.Add(time.Minute), Temperature: 1},
	} {
		if _, err := readings.Append(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	table.Fold(readings.Kind())
	list := func(subject string) (all []timeseries.Listed) {
		t.Helper()
		for one, err := range readings.Series(ctx, subject) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		return all
	}
	a := timeseries.Listed{Key: timeseries.Key{Subject: "a"}, First: start.Truncate(24 * time.Hour),
		Last: start.Truncate(24 * time.Hour)}
	b := a
	b.Subject = "b"
	if got := list(""); !slices.Equal(got, []timeseries.Listed{a, b}) {
		t.Errorf("all series: %v, want %v and %v", got, a, b)
	}
	if got := list("b"); !slices.Equal(got, []timeseries.Listed{b}) {
		t.Errorf("of b: %v, want %v", got, b)
	}
	for range readings.Series(ctx, "") {
		break // an iteration may end early
	}
	for _, err := range readings.Series(ctx, string(make([]byte, 3000))) {
		if !errors.Is(err, timeseries.ErrSeries) {
			t.Errorf("a subject that is too long: %v, want %v", err, timeseries.ErrSeries)
		}
	}
}

func TestTable_ListsTheSubjectsThatAreSilent(t *testing.T) {
	ctx := t.Context()
	table, readings := newTable(t)
	for subject, at := range map[string]time.Time{"a": start.Add(-2 * time.Hour), "b": start} {
		var r reading
		r.Device, r.At = subject, at
		if _, err := readings.Append(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	table.Fold(readings.Kind())
	silent, through, err := readings.Silent(ctx, time.Hour)
	if err != nil || through.IsZero() {
		t.Fatalf("through %s: %v", through, err)
	}
	var got []timeseries.Listed
	for one, err := range silent {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if len(got) != 1 || got[0].Subject != "a" || !got[0].Last.Equal(start.Add(-2*time.Hour)) {
		t.Errorf("silent are %+v, want a", got)
	}
	none, _, err := readings.Silent(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	for one, err := range none {
		if err == nil {
			t.Errorf("silent for 0 is %+v, want an error", one)
		}
	}
}
