package userprogram

import (
	"context"
	"errors"
	"fmt"
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
	Stream      string    `tide:"stream"`
	At          time.Time `tide:"time"`
	ID          string    `tide:"id"`
	Temperature float64   `tide:"measure"`
	Location    string    `tide:"field"`
	Room        string    `tide:"field"`
	AccountID   string    `tide:"enrichment"`
	Created     time.Time `tide:"created"`
}

var sensor = timeseries.Key{Subject: "sensor_01"}

func at(minute int) reading {
	return reading{Device: sensor.Subject, At: now.Add(time.Duration(minute-60) * time.Minute),
		Temperature: float64(minute)}
}

func open(t *testing.T, s timeseries.Store, kind catalog.Kind) *timeseries.Events[reading] {
	t.Helper()
	readings, err := timeseries.Open[reading](s, kind, &timeseries.Options{Now: clock, Attempts: 3})
	if err != nil {
		t.Fatal(err)
	}
	return readings
}

// appended fails the test unless an append has the outcome.
func appended(t *testing.T, readings *timeseries.Events[reading], r reading, want model.Outcome,
	opts ...timeseries.AppendOption) timeseries.Result[reading] {
	t.Helper()
	out, err := readings.Append(context.Background(), r, opts...)
	if !fits(want, err) || out.Outcome != want {
		t.Fatalf("append at %s: %q, %v; want %s", r.At.Format(time.TimeOnly), out.Outcome, err, want)
	}
	return out
}

func temperatures(t *testing.T, readings *timeseries.Events[reading],
	opts ...timeseries.HistoryOption) (all []float64) {
	t.Helper()
	for r, err := range readings.History(context.Background(), sensor, opts...) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Temperature)
	}
	return all
}

func TestEntity_OneLatestItemAndImmutableEvents(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		readings := open(t, s, iot.Readings)
		appended(t, readings, at(1), model.Applied)
		appended(t, readings, at(2), model.Applied)
		appended(t, readings, at(2), model.Duplicate)
		changed := at(2)
		changed.Temperature = 99
		appended(t, readings, changed, model.Collision)
		latest, err := readings.Latest(context.Background(), sensor)
		if err != nil || latest.Temperature != 2 || !slices.Equal(temperatures(t, readings), []float64{1, 2}) {
			t.Errorf("latest %+v, %v, history %v", latest, err, temperatures(t, readings))
		}
	})
}

func TestEntity_StaleIsAValueWithTheWinner(t *testing.T) {
	dropping := iot.Readings
	dropping.Late = catalog.DropLate
	onEachStore(t, func(t *testing.T, s store) {
		readings := open(t, s, dropping)
		if out := appended(t, readings, at(2), model.Applied); out.Latest != nil {
			t.Errorf("applied with %+v, want no winner", out.Latest)
		}
		if out := appended(t, readings, at(1), model.Stale); out.Latest == nil || out.Latest.Temperature != 2 {
			t.Errorf("stale with %+v, want the winner", out.Latest)
		}
	})
}

// A busy table, a cancelled context and an invalid value are errors, never stale or nil.
func TestEntity_NothingStoredIsAnError(t *testing.T) {
	table := timeseriestest.New(t, now)
	readings := open(t, table, iot.Readings)
	table.Fail("busy", 100)
	if out, err := readings.Append(context.Background(), at(1)); !errors.Is(err, timeseries.ErrUndecided) ||
		out.Outcome != "" {
		t.Errorf("busy: %q, %v", out.Outcome, err)
	}
	table.Fail("busy", 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := readings.Append(ctx, at(1)); !errors.Is(err, timeseries.ErrUndecided) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, err := readings.AppendAll(context.Background(), []reading{at(1), {Device: "sensor_01"}})
	var fields model.FieldErrors
	if !errors.Is(err, timeseries.ErrRejected) || !errors.As(err, &fields) || fields[0].Field != "timestamp" {
		t.Errorf("no time: %v", err)
	}
}

// A conflict is retried, and a lost response is a duplicate of one's own, thus applied.
func TestEntity_TransientFaultsAreRetried(t *testing.T) {
	table := timeseriestest.New(t, now)
	readings := open(t, table, iot.Readings)
	table.Fail("busy", 1)
	appended(t, readings, at(1), model.Applied)
	table.Fail("lost response", 1)
	appended(t, readings, at(2), model.Applied)
}

func TestEntity_EnrichmentIsPreservedAndRead(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, readings := context.Background(), open(t, s, iot.Readings)
		appended(t, readings, at(1), model.Applied)
		if out, err := readings.Enrich(ctx, sensor, map[string]any{"accountId": "acct-1"}); err != nil ||
			out.Outcome != model.Applied {
			t.Fatalf("enrich: %s, %v", out.Outcome, err)
		}
		out, err := readings.Enrich(ctx, sensor, map[string]any{"accountId": "acct-2"},
			timeseries.If("accountId", model.Missing, nil))
		if !fits(model.Conflict, err) || out.Outcome != model.Conflict || out.Latest.AccountID != "acct-1" {
			t.Errorf("on a condition: %+v, %v", out, err)
		}
		appended(t, readings, at(2), model.Applied)
		latest, err := readings.Latest(ctx, sensor)
		if err != nil || latest.AccountID != "acct-1" || !latest.Created.Equal(now) {
			t.Errorf("got %+v, %v", latest, err)
		}
	})
}

func TestEntity_EventsExpireAndTheLatestItemDoesNot(t *testing.T) {
	table := timeseriestest.New(t, now)
	readings, err := timeseries.Open[reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	appended(t, readings, at(1), model.Applied)
	table.Advance(31 * tier.Day24)
	latest, err := readings.Latest(context.Background(), sensor)
	if err != nil || latest == nil || len(temperatures(t, readings)) != 0 {
		t.Errorf("after 31 days: %+v, %v, %v", latest, err, temperatures(t, readings))
	}
}

func TestEntity_HistoryByRangeFilterOrderPageAndCount(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, readings := context.Background(), open(t, s, iot.Readings)
		for m := range 6 {
			appended(t, readings, at(m), model.Applied)
		}
		other := at(3)
		other.Stream = "outside"
		appended(t, readings, other, model.Applied)
		for name, c := range map[string]struct {
			opts []timeseries.HistoryOption
			want []float64
		}{
			"half-open":           {[]timeseries.HistoryOption{timeseries.In(at(1).At, at(4).At)}, []float64{1, 2, 3}},
			"open at the end":     {[]timeseries.HistoryOption{timeseries.In(at(4).At, time.Time{})}, []float64{4, 5}},
			"newest, limited":     {[]timeseries.HistoryOption{timeseries.Newest(), timeseries.Limit(2)}, []float64{5, 4}},
			"filtered":            {[]timeseries.HistoryOption{timeseries.Where("temperature", model.Greater, 3)}, []float64{4, 5}},
			"strongly consistent": {[]timeseries.HistoryOption{timeseries.Consistent(), timeseries.Limit(1)}, []float64{0}},
		} {
			if got := temperatures(t, readings, c.opts...); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		events, next := 0, ""
		for range 4 { // no cursor key is needed
			page, err := readings.Page(ctx, sensor, timeseries.Limit(2), timeseries.After(next))
			if err != nil {
				t.Fatal(err)
			}
			events += len(page.Entries)
			if next = page.Next; next == "" {
				break
			}
		}
		n, err := readings.Count(ctx, sensor)
		if err != nil || n.Events != 6 || events != 6 {
			t.Errorf("%d counted, %d in pages, %v; want 6", n.Events, events, err)
		}
	})
}

func TestEntity_AppendsToASoftDeletedSubjectDoNotReviveIt(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, device := context.Background(), model.Subject{Type: "DEVICE", ID: sensor.Subject}
		profiles := &lifecycle.Service{Store: s}
		if _, err := profiles.Create(ctx, device, nil); err != nil {
			t.Fatal(err)
		}
		if out, err := profiles.Delete(ctx, device, 0); err != nil || out.Outcome != lifecycle.Deleted {
			t.Fatalf("delete: %s, %v", out.Outcome, err)
		}
		appended(t, open(t, s, iot.Readings), at(1), model.Applied)
		if p, err := profiles.Get(ctx, device); p != nil || err != nil {
			t.Errorf("profile %+v, %v; want none", p, err)
		}
	})
}

func TestEntity_AUsersConditionIsAConflictApartFromStale(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		readings := open(t, s, iot.Readings)
		appended(t, readings, at(1), model.Applied)
		out := appended(t, readings, at(2), model.Conflict, timeseries.If("temperature", model.Greater, 10))
		if out.Latest == nil || out.Latest.Temperature != 1 {
			t.Errorf("conflict with %+v, want the item that it was decided by", out.Latest)
		}
		appended(t, readings, at(2), model.Applied, timeseries.If("temperature", model.Less, 10))
	})
}

func TestEntity_ConfigurationErrorsHaveCodes(t *testing.T) {
	type noOrder struct {
		Device string `tide:"subject"`
	}
	type noKey struct {
		At time.Time `tide:"time"`
	}
	type reference struct {
		Device string     `tide:"subject"`
		At     *time.Time `tide:"time"`
	}
	type versioned struct {
		reading
		Version int `tide:"version"`
	}
	type softDeleted struct {
		reading
		Deleted bool `tide:"deleted"`
	}
	type untagged struct{ Device string }
	type keyed struct {
		Device string    `tide:"subject"`
		At     time.Time `tide:"time,id"`
	}
	table := timeseriestest.New(t, now)
	for i, mistake := range []struct {
		want timeseries.Code
		err  error
	}{
		{timeseries.OrderMissing, opening[noOrder](table)},
		{timeseries.OrderIsKey, opening[keyed](table)},
		{timeseries.Versioned, opening[versioned](table)},
		{timeseries.AppendLacksKey, opening[noKey](table)},
		{timeseries.OrderIsReference, opening[reference](table)},
		{timeseries.SoftDeleted, opening[softDeleted](table)},
		{timeseries.AppendMissing, opening[untagged](table)},
	} {
		var got *timeseries.Error
		if !errors.As(mistake.err, &got) || got.Code != mistake.want ||
			string(got.Code) != fmt.Sprintf("TM-%03d", i+1) {
			t.Errorf("got %v, want %s", mistake.err, mistake.want)
		}
	}
}

func opening[T any](s timeseries.Store) error {
	_, err := timeseries.Open[T](s, iot.Readings, nil)
	return err
}

func TestEntity_AnIndexOfLatestItemsIsSparseOrPreserved(t *testing.T) {
	for half, want := range map[catalog.HalfPolicy]string{catalog.HalfSparse: "",
		catalog.HalfPreserve: "sensor_01"} {
		kind := iot.Readings
		kind.LatestBy = []catalog.LatestIndex{{By: []string{"location"}, Sort: []string{"room"}, Half: half}}
		onEachStore(t, func(t *testing.T, s store) {
			readings := open(t, s, kind)
			whole, part := at(1), at(2)
			whole.Location = "hall"
			whole.Room = "1"
			part.Location = "roof" // part has no room
			appended(t, readings, whole, model.Applied)
			appended(t, readings, part, model.Applied)
			page, err := readings.LatestBy(context.Background(), []string{"hall"})
			got := ""
			for _, e := range page.Entries {
				got += e.Value.Device
			}
			if err != nil || got != want {
				t.Errorf("%s: found %q, %v; want %q", half, got, err, want)
			}
		})
	}
}

// time.Now() is an event time.
func TestEntity_TimesAreTruncatedToTheMillisecond(t *testing.T) {
	r := at(1)
	r.At = r.At.Add(123456 * time.Nanosecond)
	readings := open(t, timeseriestest.New(t, now), iot.Readings)
	appended(t, readings, r, model.Applied)
	appended(t, readings, r, model.Duplicate)
}

// The daily average is weighted: hours {sum 10, n 10} and {sum 90, n 1} make 100/11.
func TestPattern_DailyAveragesAreWeightedByValues(t *testing.T) {
	ctx, table := context.Background(), timeseriestest.New(t, now)
	readings, err := timeseries.Open[reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	for m := range 10 {
		r := at(m - 60)
		r.Temperature = 1
		appended(t, readings, r, model.Applied)
	}
	r := at(0)
	r.Temperature = 90
	appended(t, readings, r, model.Applied)
	table.Fold(readings.Kind())
	day, err := readings.WaitRollup(ctx, sensor, tier.Day, now, 11)
	avg, ok := day.Measure("temperature").Avg()
	if err != nil || !ok || fmt.Sprintf("%.4f", avg) != "9.0909" {
		t.Errorf("average %v, %v; want 100/11", avg, err)
	}
}

// History for ever without rollups once meant 30 days, without an error.
func TestEntity_HistoryForEverWithoutRollups(t *testing.T) {
	table := timeseriestest.New(t, now)
	kind := iot.Readings
	kind.Retention = tier.Policy{Raw: tier.Forever}
	readings, err := timeseries.Open[reading](table, kind, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	appended(t, readings, at(1), model.Applied)
	table.Fold(readings.Kind())
	table.Advance(20 * 365 * 24 * time.Hour)
	if got := temperatures(t, readings); len(got) != 1 {
		t.Errorf("after 20 years: %v, want the event", got)
	}
	if _, err := readings.Rollups(context.Background(), sensor, tier.Day); !errors.Is(err,
		timeseries.ErrNoTier) {
		t.Errorf("rollups: %v, want ErrNoTier", err)
	}
	if _, err := readings.Chart(context.Background(), sensor); !errors.Is(err, timeseries.ErrNoTier) {
		t.Errorf("chart: %v, want ErrNoTier", err)
	}
}

// An absurd retention is an error when the kind is opened.
func TestEntity_UnusableRetentionsAreRefused(t *testing.T) {
	for name, policy := range map[string]tier.Policy{
		"no retention of events": {Tiers: tier.Standard().Tiers},
		"no retention of rows":   {Raw: tier.Forever, Tiers: []tier.Tier{{Unit: tier.Day}}},
		"events for a moment":    {Raw: time.Second},
		"rows that expire first": {Raw: tier.Forever, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: time.Hour}, {Unit: tier.Day, Retention: tier.Forever}}},
	} {
		kind := iot.Readings
		kind.Retention = policy
		var mistake *timeseries.Error
		if _, err := timeseries.Open[reading](timeseriestest.New(t, now), kind, nil); !errors.As(err, &mistake) ||
			mistake.Code != timeseries.KindUnusable {
			t.Errorf("%s: %v, want %s", name, err, timeseries.KindUnusable)
		}
	}
}

// An index by enrichment is written by Enrich, by the index's policy for incomplete entries.
func TestEntity_IndexByEnrichment(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, kind := context.Background(), iot.Readings
		kind.Enrichment = []string{"accountId"}
		kind.LatestBy = []catalog.LatestIndex{{By: []string{"accountId"}}}
		readings := open(t, s, kind)
		found := func(account string) int {
			page, err := readings.LatestBy(ctx, []string{account})
			if err != nil {
				t.Fatal(err)
			}
			return len(page.Entries)
		}
		enrich := func(account any) {
			t.Helper()
			if out, err := readings.Enrich(ctx, sensor, map[string]any{"accountId": account}); err != nil ||
				out.Outcome != model.Applied {
				t.Fatalf("enrich: %s, %v", out.Outcome, err)
			}
		}
		appended(t, readings, at(1), model.Applied)
		enrich("acct-1")
		appended(t, readings, at(2), model.Applied)
		if found("acct-1") != 1 {
			t.Error("after an append, the item is not found by its enrichment")
		}
		enrich("acct-2")
		if found("acct-1") != 0 || found("acct-2") != 1 {
			t.Errorf("after a change: %d and %d, want 0 and 1", found("acct-1"), found("acct-2"))
		}
		enrich(nil)
		if found("acct-2") != 0 {
			t.Error("after its removal, the item is still found")
		}
	})
}

// A ledger refuses an entry that is late, by its kind: a condition alone would only compare the
// latest item, and a kind that keeps late events would store the entry.
func TestEntity_ConditionalAppendOfALateEventIsDecidedByTheKind(t *testing.T) {
	for late, want := range map[catalog.LatePolicy]model.Outcome{catalog.DropLate: model.Stale,
		catalog.KeepLate: model.Late} {
		onEachStore(t, func(t *testing.T, s store) {
			kind := iot.Readings
			kind.Late = late
			readings, holds := open(t, s, kind), timeseries.If("temperature", model.Equal, 2.0)
			appended(t, readings, at(2), model.Applied)
			appended(t, readings, at(1), want, holds)
			appended(t, readings, at(0), model.Conflict, timeseries.If("temperature", model.Equal, 9.0))
		})
	}
}
