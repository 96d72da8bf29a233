package timeseries_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// onTestTable opens readings on a table whose clock the test moves.
func onTestTable(t *testing.T) (*timeseriestest.Table, *timeseries.Events[Reading]) {
	t.Helper()
	table := timeseriestest.New(t, today)
	events, err := timeseries.Open[Reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	return table, events
}

// "No events" and "what was there has expired" are two results of each read.
func TestReads_SayWhatHasExpired(t *testing.T) {
	t.Parallel()
	table, events := onTestTable(t)
	table.Configure(events.Kind())
	if _, err := events.Append(t.Context(), Reading{Device: "sensor_01", At: today}); err != nil {
		t.Fatal(err)
	}
	table.Advance(3 * time.Hour)
	whole := func(step string, want bool) {
		t.Helper()
		in := timeseries.In(today.Add(-time.Hour), today.Add(2*time.Hour))
		hours, err := events.Rollups(t.Context(), sensor, tier.Hour, in)
		if got := len(hours.Missing) == 0; err != nil || got != want || len(hours.Rollups) == 1 != want {
			t.Errorf("%s: %d hours, missing %v, %v; want all known: %t", step, len(hours.Rollups),
				hours.Missing, err, want)
		}
		page, err := events.RollupPage(t.Context(), sensor, tier.Hour, in)
		if got := len(page.Missing) == 0; err != nil || got != want {
			t.Errorf("%s: a page with missing %v, %v; want all known: %t", step, page.Missing, err, want)
		}
		counted, err := events.Count(t.Context(), sensor, in)
		if err != nil || counted.WholeFrom.IsZero() != want || counted.Events == 1 != want {
			t.Errorf("%s: counted %+v, %v; want all known: %t", step, counted, err, want)
		}
		from, err := events.WholeFrom(t.Context(), sensor, in)
		if err != nil || !from.Equal(counted.WholeFrom) {
			t.Errorf("%s: events are whole from %s, %v; want %s", step, from, err, counted.WholeFrom)
		}
	}
	whole("stored", true)
	table.Advance(100 * tier.Day24)
	whole("expired", false)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := events.WaitRollup(ctx, sensor, tier.Hour, today, 1)
	if err == nil || !strings.Contains(err.Error(), "not known") {
		t.Errorf("a wait for an expired hour: %v, want that it is not known", err)
	}
}

// While the table stream lags, an empty list says how far it is known.
func TestReads_SayWhatIsProcessed(t *testing.T) {
	t.Parallel()
	table, events := onTestTable(t)
	if _, err := events.Append(t.Context(), Reading{Device: "sensor_01", At: today}); err != nil {
		t.Fatal(err)
	}
	behind := func(step string, want bool) {
		t.Helper()
		hours, err := events.Rollups(t.Context(), sensor, tier.Hour)
		if err != nil || hours.ProcessedThrough == nil || len(hours.Rollups) == 0 != want ||
			hours.ProcessedThrough.Time().Before(table.Now()) != want {
			t.Errorf("%s: %d hours, processed through %v, %v; want behind: %t", step, len(hours.Rollups),
				hours.ProcessedThrough, err, want)
		}
		listed := 0
		for _, err := range events.Series(t.Context(), "") {
			if listed++; err != nil {
				t.Fatal(err)
			}
		}
		progress, err := events.Progress(t.Context())
		if err != nil || progress.ProcessedThrough == nil || listed == 0 != want ||
			progress.ProcessedThrough.Time().Before(table.Now()) != want {
			t.Errorf("%s: %d series, %+v, %v; want behind: %t", step, listed, progress, err, want)
		}
	}
	table.Advance(time.Minute)
	behind("appended", true)
	table.Fold(events.Kind())
	table.Advance(time.Minute)
	behind("folded", false)
}

// A device whose clock is not set sends its first events in the hours after 1970 began: that is a time, and
// not "never".
func TestReads_EventsOf1970HaveATime(t *testing.T) {
	t.Parallel()
	table, events := onTestTable(t)
	begin := time.Unix(0, 0)
	if _, err := events.Append(t.Context(), Reading{Device: "sensor_01", At: begin}); err != nil {
		t.Fatal(err)
	}
	table.Fold(events.Kind())
	listed := 0
	for s, err := range events.Series(t.Context(), "") {
		if listed++; err != nil || !s.First.Equal(begin) || !s.Last.Equal(begin) {
			t.Errorf("listed from %s to %s, %v; want %s", s.First, s.Last, err, begin)
		}
	}
	silent, _, err := events.Silent(t.Context(), time.Hour)
	if err != nil || listed != 1 {
		t.Fatalf("%d series, %v; want 1", listed, err)
	}
	found := 0
	for s, err := range silent {
		if found++; err != nil || !s.Last.Equal(begin) {
			t.Errorf("silent since %s, %v; want %s", s.Last, err, begin)
		}
	}
	if found != 1 {
		t.Errorf("%d silent subjects, want 1", found)
	}
}
