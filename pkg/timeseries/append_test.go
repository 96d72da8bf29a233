package timeseries_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

func TestAppendAll_ReturnsOneResultForEachValueInOrder(t *testing.T) {
	events := open[Reading](t, newTable(), iot.Readings)
	minute := func(m int) time.Time { return today.Add(time.Duration(m-30) * time.Minute) }
	outs, err := events.AppendAll(context.Background(), []Reading{
		{Device: "sensor_01", At: minute(1), Temperature: number("1")},
		{Device: "sensor_01", Temperature: number("1")}, // no time
		{Device: "sensor_01", At: minute(3), Temperature: number("3")},
		{Device: "sensor_01", At: minute(2), Temperature: number("2")},
		{Device: "sensor_01", At: minute(3), Temperature: number("3")},
		{Device: "sensor_01", At: minute(3), Temperature: number("4")},
		{Device: "sensor_02", At: minute(1), Temperature: number("1")},
		{At: minute(1)}, // no subject
	})
	if !errors.Is(err, timeseries.ErrRejected) || errors.Is(err, timeseries.ErrUndecided) ||
		!strings.Contains(err.Error(), "3 of 8 values were not stored, or may not be: value 1: ") {
		t.Errorf("error %v, want the errors of values 1, 5 and 7", err)
	}
	var got []model.Outcome
	for _, o := range outs {
		got = append(got, o.Outcome)
		if o.Outcome == "" && !errors.Is(o.Err, timeseries.ErrRejected) ||
			o.Outcome != "" && !fits(o.Outcome, o.Err) {
			t.Errorf("%q with %v, want ErrRejected or the error of the outcome", o.Outcome, o.Err)
		}
	}
	want := []model.Outcome{model.Applied, "", model.Applied, model.Late, model.Duplicate, model.Collision,
		model.Applied, ""}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// errorCode returns the code of the first field error; "" if there is none.
func errorCode(err error) string {
	var fields model.FieldErrors
	if !errors.As(err, &fields) {
		return ""
	}
	return fields[0].Code
}

func TestAppendAll_OfNoValuesReturnsNoResults(t *testing.T) {
	outs, err := open[Reading](t, newTable(), iot.Readings).AppendAll(context.Background(), nil)
	if len(outs) != 0 || err != nil {
		t.Errorf("got %v, %v", outs, err)
	}
}

func TestAppend_RejectsInvalidValues(t *testing.T) {
	type wide struct {
		minimalModel
		Value float64 `tide:"measure"`
		Other float64 `tide:"measure"`
	}
	finer := today.Add(-time.Minute + time.Microsecond)
	for name, c := range map[string]struct {
		kind catalog.Kind
		v    wide
		code string // "" if the value is applied
	}{
		"no time":                           {iot.Readings, wide{minimalModel: minimalModel{Device: "sensor_01"}}, ingest.CodeMissing},
		"no subject":                        {iot.Readings, wide{minimalModel: minimalModel{At: today}}, ingest.CodeMissing},
		"finer than a millisecond":          {iot.Readings, wide{minimalModel: minimalModel{"sensor_01", finer}}, ""},
		"far ahead":                         {iot.Readings, wide{minimalModel: minimalModel{"sensor_01", today.Add(time.Hour)}}, ingest.CodeTimeAhead},
		"out of a decimal's range":          {iot.Readings, wide{minimalModel{"sensor_01", today}, 1e300, 0}, ingest.CodeNumberRange},
		"larger than sums can hold":         {iot.Readings, wide{minimalModel{"sensor_01", today}, 1e15, 0}, ingest.CodeNumberTooLarge},
		"not a number, declared as measure": {iot.Readings, wide{minimalModel{"sensor_01", today}, math.Inf(1), 0}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := open[wide](t, newTable(), c.kind).Append(context.Background(), c.v)
			switch {
			case c.code == "" && (err != nil || out.Outcome != model.Applied):
				t.Errorf("got %s, %v, want applied", out.Outcome, err)
			case c.code != "" &&
				(!errors.Is(err, timeseries.ErrRejected) || out.Outcome != "" || errorCode(err) != c.code):
				t.Errorf("got %q, %v, want rejected as %s", out.Outcome, err, c.code)
			}
		})
	}
}

// A latest item is read with its enrichment. Append ignores enrichment in its value.
func TestAppend_NeverWritesEnrichment(t *testing.T) {
	table, ctx := newTable(), context.Background()
	events := open[Reading](t, table, iot.Readings)
	key := keys.Latest(model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"})

	first := Reading{Device: "sensor_01", At: today.Add(-time.Minute), AccountID: "not to be written"}
	if _, err := events.Append(ctx, first); err != nil {
		t.Fatal(err)
	}
	stored, err := table.GetItem(ctx, key)
	if _, there := stored["accountId"]; err != nil || there {
		t.Fatalf("after an append: %v, %v; want no enrichment stored", stored, err)
	}
	enriched := item.Item{keys.AttrPK: {Type: item.S, S: key.PK}, keys.AttrSK: {Type: item.S, S: key.SK},
		"accountId": {Type: item.S, S: "acct-1"}}
	if err := table.UpdateItem(ctx, enriched); err != nil {
		t.Fatal(err)
	}
	if _, err := events.Append(ctx,
		Reading{Device: "sensor_01", At: today, AccountID: "acct-2", Location: "here"}); err != nil {
		t.Fatal(err)
	}
	latest, err := events.Latest(ctx, timeseries.Key{Subject: "sensor_01"})
	if err != nil || latest.AccountID != "acct-1" || latest.Location != "here" {
		t.Errorf("got %+v, %v; want the enrichment unchanged and the new location", latest, err)
	}
}

func TestIn_IsHalfOpenToTheNanosecond(t *testing.T) {
	events, ctx := open[Reading](t, newTable(), iot.Readings), context.Background()
	for i := range 3 {
		if _, err := events.Append(ctx,
			Reading{Device: "sensor_01", At: today.Add(time.Duration(i-3) * time.Millisecond)}); err != nil {
			t.Fatal(err)
		}
	}
	first := today.Add(-3 * time.Millisecond)
	for name, c := range map[string]struct {
		from, to time.Time
		want     int
	}{
		"all":                  {first, today, 3},
		"a nanosecond too far": {first.Add(1), today, 2},
		"without the last":     {first, today.Add(-time.Millisecond), 2},
		"with the last":        {first, today.Add(-time.Millisecond + 1), 3},
		"before all time":      {time.Time{}, time.Unix(1<<60, 0), 3},
	} {
		n := 0
		for _, err := range events.History(ctx, timeseries.Key{Subject: "sensor_01"}, timeseries.In(c.from, c.to)) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n++
		}
		if n != c.want {
			t.Errorf("%s: %d events, want %d", name, n, c.want)
		}
	}
}

func TestRollups_SummariseAppendedValues(t *testing.T) {
	table, ctx := newTable(), context.Background()
	events := open[Reading](t, table, iot.Readings)
	for hour := range 24 {
		_, err := events.Append(ctx,
			Reading{Device: "sensor_01", At: today.Add(time.Duration(hour-24) * time.Hour), Temperature: number("10")})
		if err != nil {
			t.Fatal(err)
		}
	}
	fold(table, events.Kind())
	key := timeseries.Key{Subject: "sensor_01"}
	list, err := events.Rollups(ctx, key, tier.Day)
	days := list.Rollups
	if err != nil || len(days) != 2 || days[0].Open || !days[1].Open || !days[0].Exact {
		t.Fatalf("got %d days, %v; want yesterday closed, today open, both exact", len(days), err)
	}
	temperature := days[1].Measure("temperature")
	if p95, ok := temperature.Quantile(.95); temperature.Count != 18 || !ok || p95 != 10 {
		t.Errorf("today: %d values, p95 %v; want 18 and 10", temperature.Count, p95)
	}
	list, err = events.Rollups(ctx, key, tier.Hour, timeseries.Newest(), timeseries.Limit(2))
	newest := list.Rollups
	if err != nil || len(newest) != 2 || newest[0].Bucket.Label() != "2026-04-20-17" {
		t.Errorf("newest hours: %v, %v", newest, err)
	}
}

func TestOpen_UsesTheGivenLimits(t *testing.T) {
	events, err := timeseries.Open[Reading](newTable(), iot.Readings,
		&timeseries.Options{Now: clock, Limits: timeseries.Limits{Subject: 4}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = events.Append(context.Background(), Reading{Device: "sensor_01", At: today})
	if !errors.Is(err, timeseries.ErrRejected) || errorCode(err) != ingest.CodeTooLong {
		t.Errorf("got %v, want rejected as %s", err, ingest.CodeTooLong)
	}
}
