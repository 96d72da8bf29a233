package timeseries_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// A failed condition is a conflict, even for an event that is also late. A late event whose
// condition holds is late.
func TestAppend_ReportsAFailedConditionAsConflict(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	at := func(minute int) Reading {
		return Reading{Device: "sensor_01", At: today.Add(time.Duration(minute-30) * time.Minute), Location: "hall"}
	}
	here, elsewhere := timeseries.If("location", model.Equal, "hall"),
		timeseries.If("location", model.Equal, "roof")
	fresh := timeseries.If("location", model.Missing, nil)
	for _, policy := range []struct {
		late catalog.LatePolicy
		want model.Outcome
	}{{catalog.KeepLate, model.Late}, {catalog.DropLate, model.Stale}} {
		kind := iot.Readings
		kind.Late = policy.late
		events := open[Reading](t, newTable(), kind)
		for _, step := range []struct {
			name string
			v    Reading
			opts []timeseries.AppendOption
			want model.Outcome
		}{
			{"the first, requires a stored item", at(10), []timeseries.AppendOption{here}, model.Conflict},
			{"the first, requires no stored item", at(10), []timeseries.AppendOption{fresh}, model.Applied},
			{"the same again", at(10), []timeseries.AppendOption{here}, model.Duplicate},
			{"a newer one, condition holds", at(11), []timeseries.AppendOption{here, timeseries.If("temperature", model.Missing, nil)}, model.Applied},
			{"a newer one, condition fails", at(12), []timeseries.AppendOption{here, elsewhere}, model.Conflict},
			{"an older one, condition holds", at(5), []timeseries.AppendOption{here}, policy.want},
			{"an older one, condition fails", at(6), []timeseries.AppendOption{elsewhere}, model.Conflict},
			{"no subject", Reading{At: today}, []timeseries.AppendOption{here}, ""},
			{"no time", Reading{Device: "sensor_01"}, []timeseries.AppendOption{here}, ""},
		} {
			out, err := events.Append(ctx, step.v, step.opts...)
			if out.Outcome != step.want || errors.Is(err, timeseries.ErrRejected) != (step.want == "") {
				t.Errorf("%s: %s: %s, %v; want %s", policy.late, step.name, out.Outcome, err, step.want)
			}
			if out.Outcome == model.Conflict && step.v.At.After(today.Add(-20*time.Minute)) &&
				(out.Latest == nil || out.Latest.Location != "hall") {
				t.Errorf("%s: the conflict has %+v, want the latest item that it was decided by", step.name, out.Latest)
			}
		}
	}
}

func TestAppend_AConditionMayNameEnrichment(t *testing.T) {
	t.Parallel()
	events := open[Reading](t, newTable(), iot.Readings)
	out, err := events.Append(context.Background(), Reading{Device: "sensor_01", At: today},
		timeseries.If("accountId", model.Missing, nil))
	if err != nil || out.Outcome != model.Applied {
		t.Errorf("got %s, %v; want applied", out.Outcome, err)
	}
}

func TestAppend_AnInvalidConditionIsAnError(t *testing.T) {
	t.Parallel()
	lone := iot.Readings
	lone.Latest = catalog.NoLatest
	v := Reading{Device: "sensor_01", At: today}
	for name, c := range map[string]struct {
		kind catalog.Kind
		opt  timeseries.AppendOption
		want error
	}{
		"a field that the model lacks": {iot.Readings, timeseries.If("humidity", model.Exists, nil), timeseries.ErrField},
		"an unknown comparison":        {iot.Readings, timeseries.If("location", "~", "x"), model.ErrCondition},
		"a value of an unknown type":   {iot.Readings, timeseries.If("location", model.Equal, struct{}{}), model.ErrCondition},
		"a kind without latest item":   {lone, timeseries.If("location", model.Exists, nil), timeseries.ErrNoLatest},
	} {
		events := open[Reading](t, newTable(), c.kind)
		if out, err := events.Append(context.Background(), v, c.opt); !errors.Is(err, c.want) || out.Outcome != "" {
			t.Errorf("%s: append: %s, %v; want %v", name, out.Outcome, err, c.want)
		}
		if _, err := events.TransactItems(v, c.opt); !errors.Is(err, c.want) {
			t.Errorf("%s: as items: %v, want %v", name, err, c.want)
		}
	}
}

// A nil option would be read as none: more is read than the program asked for, or written without its
// condition.
func TestOptions_NilIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	events := open[Reading](t, newTable(), iot.Readings)
	key, v := timeseries.Key{Subject: "sensor_01"}, Reading{Device: "sensor_01", At: today}
	var between timeseries.RangeOption
	var latest timeseries.LatestOption
	_, appending := events.Append(ctx, v, nil)
	_, composing := events.TransactItems(v, nil)
	_, reading := events.Latest(ctx, key, latest)
	_, total := events.Total(ctx, key, timeseries.In(today, today.Add(time.Hour)), between)
	for name, got := range map[string]struct {
		err  error
		want string
	}{
		"Append": {appending, "option 1 is nil"}, "TransactItems": {composing, "option 1 is nil"},
		"Latest": {reading, "option 1 is nil"}, "Total": {total, "option 2 is nil"},
	} {
		if got.err == nil || !strings.Contains(got.err.Error(), got.want) {
			t.Errorf("%s: %v, want %s", name, got.err, got.want)
		}
	}
	if stored, err := events.Latest(ctx, key); err != nil || stored != nil {
		t.Errorf("%v, %v is stored, want nothing", stored, err)
	}
}
