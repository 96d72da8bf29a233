package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// logged is a reading with everything that only reads fill in.
type logged struct {
	Device      string    `tide:"subject"`
	At          time.Time `tide:"time"`
	ID          string    `tide:"id"`
	Temperature float64   `tide:"measure"`
	AccountID   string    `tide:"enrichment"`
	Arrived     time.Time `tide:"arrived"`
	Late        bool      `tide:"late"`
	Created     time.Time `tide:"created"`
}

func TestEnrich_SetsAndRemovesFieldsOfTheLatestItem(t *testing.T) {
	t.Parallel()
	ctx, events := context.Background(), open[logged](t, newTable(), iot.Readings)
	enrich := func(want model.Outcome, patch map[string]any, opts ...timeseries.AppendOption) {
		t.Helper()
		if out, err := events.Enrich(ctx, sensor, patch, opts...); !fits(want, err) || out.Outcome != want {
			t.Fatalf("enrich: %s, %v; want %s", out.Outcome, err, want)
		}
	}
	account := func() string {
		t.Helper()
		latest, err := events.Latest(ctx, sensor)
		if err != nil || latest == nil {
			t.Fatalf("latest: %v, %v", latest, err)
		}
		return latest.AccountID
	}
	enrich(model.Applied, map[string]any{"accountId": "acct-1"}) // before the first event
	if _, err := events.Append(ctx, logged{Device: "sensor_01", At: today, Temperature: 20}); err != nil {
		t.Fatal(err)
	}
	if account() != "acct-1" {
		t.Errorf("an append changed the enrichment")
	}
	enrich(model.Conflict, map[string]any{"accountId": "acct-2"},
		timeseries.If("accountId", model.Equal, "acct-3"))
	enrich(model.Conflict, map[string]any{"accountId": "acct-2"},
		timeseries.If("temperature", model.Greater, 20))
	enrich(model.Applied, map[string]any{"accountId": "acct-2"}, timeseries.If("temperature", model.AtLeast, 20))
	if account() != "acct-2" {
		t.Errorf("got %s, want acct-2", account())
	}
	enrich(model.Applied, map[string]any{"accountId": nil})
	if account() != "" {
		t.Errorf("got %s, want none", account())
	}
}

func TestEnrich_ReportsWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	events := open[logged](t, newTable(), iot.Readings)
	for name, patch := range map[string]map[string]any{
		"an appended field":    {"temperature": 1},
		"an unknown type":      {"accountId": struct{}{}},
		"a text that is large": {"accountId": string(make([]byte, 5000))},
	} {
		if out, err := events.Enrich(ctx, sensor, patch); !errors.Is(err, timeseries.ErrRejected) ||
			out.Outcome != "" {
			t.Errorf("%s: %s, %v; want %v", name, out.Outcome, err, timeseries.ErrRejected)
		}
	}
	fine := map[string]any{"accountId": "a"}
	if _, err := events.Enrich(ctx, timeseries.Key{}, fine); !errors.Is(err, timeseries.ErrSeries) {
		t.Errorf("no subject: %v, want %v", err, timeseries.ErrSeries)
	}
	if _, err := open[logged](t, newTable(), withoutLatest()).Enrich(ctx, sensor, fine); !errors.Is(err,
		timeseries.ErrNoLatest) {
		t.Errorf("no latest item: %v, want %v", err, timeseries.ErrNoLatest)
	}
	spread := iot.Readings
	spread.Shards = 2
	if _, err := open[logged](t, newTable(), spread).Enrich(ctx, sensor, fine); err == nil {
		t.Error("a kind with shards: no error")
	}
	busy := &storetest.FaultyStore{Store: newTable(),
		Writes: storetest.FailRandomly(newRand(), 1, storetest.Throttle)}
	if _, err := openOn(t, busy, iot.Readings, timeseries.Options{Attempts: 1}).Enrich(ctx, sensor,
		fine); !errors.Is(err, timeseries.ErrUndecided) {
		t.Errorf("a busy table: %v, want %v", err, timeseries.ErrUndecided)
	}
}

// A latest item that has enrichment only is of no event, and has no time. Without any field there is none.
func TestLatest_WithoutAnEventHasNoTime(t *testing.T) {
	t.Parallel()
	ctx, events := t.Context(), open[logged](t, newTable(), iot.Readings)
	enrich := func(patch map[string]any) {
		t.Helper()
		if _, err := events.Enrich(ctx, sensor, patch); err != nil {
			t.Fatal(err)
		}
	}
	enrich(map[string]any{"accountId": "acme"})
	latest, err := events.Latest(ctx, sensor)
	if err != nil || latest == nil || !latest.At.IsZero() || latest.AccountID != "acme" {
		t.Errorf("with enrichment: %+v, %v; want it without a time", latest, err)
	}
	enrich(map[string]any{"accountId": nil})
	if latest, err := events.Latest(ctx, sensor); err != nil || latest != nil {
		t.Errorf("without a field: %+v, %v; want none", latest, err)
	}
	if _, err := events.Append(ctx, logged{Device: "sensor_01", At: today, Temperature: 20}); err != nil {
		t.Fatal(err)
	}
	if latest, err := events.Latest(ctx, sensor); err != nil || !latest.At.Equal(today) {
		t.Errorf("with an event: %+v, %v; want its time", latest, err)
	}
}

func TestCorrectAndDelete_ChangeHistoryAndRollups(t *testing.T) {
	t.Parallel()
	ctx, table := context.Background(), newTable()
	events := open[logged](t, table, iot.Readings)
	newer, older := logged{Device: "sensor_01", At: today, ID: "a", Temperature: 20},
		logged{Device: "sensor_01", At: today.Add(-time.Minute), ID: "b", Temperature: 10}
	if _, err := events.AppendAll(ctx, []logged{newer, older}); err != nil {
		t.Fatal(err)
	}
	older.Temperature = 11
	if corrected, err := events.Correct(ctx, older); err != nil || !corrected {
		t.Fatalf("correct: %t, %v", corrected, err)
	}
	got := ""
	for r, err := range events.History(ctx, sensor) {
		got += fmt.Sprintf("%s %v %t %t %v;", r.ID, r.Temperature, r.Late, r.Arrived.Equal(today), err)
	}
	if want := "b 11 true true <nil>;a 20 false true <nil>;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	latest, err := events.Latest(ctx, sensor)
	if err != nil || !latest.Created.Equal(today) {
		t.Errorf("created %v, %v; want %v", latest.Created, err, today)
	}
	missing := older
	missing.ID = "c"
	for name, do := range map[string]func(context.Context, logged) (bool, error){"correct": events.Correct,
		"delete": events.Delete} {
		if done, err := do(ctx, missing); done || err != nil {
			t.Errorf("%s a missing event: %t, %v", name, done, err)
		}
		if _, err := do(ctx, logged{Device: "sensor_01"}); !errors.Is(err, timeseries.ErrRejected) {
			t.Errorf("%s without a time: %v, want %v", name, err, timeseries.ErrRejected)
		}
		if _, err := do(ctx, logged{At: today}); !errors.Is(err, timeseries.ErrSeries) {
			t.Errorf("%s without a subject: %v, want %v", name, err, timeseries.ErrSeries)
		}
	}
	older.Temperature = 1e300
	if _, err := events.Correct(ctx, older); !errors.Is(err, timeseries.ErrRejected) {
		t.Errorf("correct to a number out of range: %v, want %v", err, timeseries.ErrRejected)
	}
	if deleted, err := events.Delete(ctx, older); err != nil || !deleted {
		t.Fatalf("delete: %t, %v", deleted, err)
	}
	if n, err := events.Count(ctx, sensor); err != nil || n.Events != 1 {
		t.Errorf("%d events, %v; want 1", n.Events, err)
	}
}

func TestDelete_ALostResponseCountsAsDeleted(t *testing.T) {
	t.Parallel()
	ctx, table := context.Background(), newTable()
	v := logged{Device: "sensor_01", At: today}
	if _, err := open[logged](t, table, iot.Readings).Append(ctx, v); err != nil {
		t.Fatal(err)
	}
	lossy := &storetest.FaultyStore{Store: table, Writes: storetest.FailOnce(0, storetest.LoseResponse)}
	events, err := timeseries.Open[logged](lossy, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if deleted, err := events.Delete(ctx, v); err != nil || !deleted {
		t.Errorf("delete: %t, %v", deleted, err)
	}
}

// The range is of event times, open where its end is zero.
func TestRollups_OfARangeWithinABucket(t *testing.T) {
	t.Parallel()
	table, ctx := newTable(), context.Background()
	events := open[Reading](t, table, iot.Readings)
	for h := range 5 {
		if _, err := events.Append(ctx, Reading{Device: "sensor_01",
			At: today.Add(time.Duration(h-5)*time.Hour + 30*time.Minute), Temperature: number("1")}); err != nil {
			t.Fatal(err)
		}
	}
	fold(table, events.Kind())
	half := today.Add(-4*time.Hour + 45*time.Minute)
	for name, c := range map[string]struct {
		from, to time.Time
		want     int
	}{
		"from the middle of an hour to another": {half, half.Add(time.Hour), 2},
		"open at the end":                       {half, time.Time{}, 4},
		"open at the start":                     {time.Time{}, half, 2},
		"open at both ends":                     {time.Time{}, time.Time{}, 5},
		"one millisecond of the last hour":      {today.Add(-time.Millisecond), today, 1},
	} {
		found, err := events.Rollups(ctx, sensor, tier.Hour, timeseries.In(c.from, c.to))
		if err != nil || len(found.Rollups) != c.want {
			t.Errorf("%s: %d hours, %v; want %d", name, len(found.Rollups), err, c.want)
		}
	}
	hours, next := 0, ""
	for range 5 {
		page, err := events.RollupPage(ctx, sensor, tier.Hour, timeseries.Limit(2), timeseries.After(next))
		if err != nil {
			t.Fatal(err)
		}
		hours += len(page.Rollups)
		if next = page.Next; next == "" {
			break
		}
	}
	if hours != 5 || next != "" {
		t.Errorf("pages hold %d hours, then %q; want 5", hours, next)
	}
	newest, err := events.Rollups(ctx, sensor, tier.Hour, timeseries.Newest(), timeseries.Limit(1))
	if err != nil || len(newest.Rollups) != 1 || newest.Rollups[0].Bucket.Label() != "2026-04-20-17" {
		t.Errorf("newest hour: %+v, %v", newest.Rollups, err)
	}
	_, err = events.Rollups(ctx, sensor, tier.Hour, timeseries.After("x"))
	if !errors.Is(err, timeseries.ErrCursor) {
		t.Errorf("a forged cursor: %v, want %v", err, timeseries.ErrCursor)
	}
	if _, err := events.RollupPage(ctx, sensor, tier.Minute); !errors.Is(err, timeseries.ErrNoTier) {
		t.Errorf("page of an unknown tier: %v, want %v", err, timeseries.ErrNoTier)
	}
}

func TestOpen_ChecksFieldsThatAreOnlyRead(t *testing.T) {
	t.Parallel()
	type wrongType struct {
		minimalModel
		Arrived string `tide:"arrived"`
	}
	type twoRoles struct {
		minimalModel
		Late bool `tide:"late,field"`
	}
	var mistake *timeseries.Error
	if _, err := timeseries.Open[wrongType](newTable(), iot.Readings, nil); !errors.As(err, &mistake) ||
		mistake.Code != timeseries.TypeUnfit {
		t.Errorf("a string: %v, want %s", err, timeseries.TypeUnfit)
	}
	if _, err := timeseries.Open[twoRoles](newTable(), iot.Readings, nil); !errors.As(err, &mistake) ||
		mistake.Code != timeseries.TagUnreadable {
		t.Errorf("two roles: %v, want %s", err, timeseries.TagUnreadable)
	}
}
