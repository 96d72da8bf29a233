package timeseries_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// A condition of the caller's that fails is a conflict, and not what the order of
// events says: an older reading on a condition that holds is late, whatever else.
func TestAppend_AConflictIsToldFromTheOrder(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	at := func(minute int) Reading {
		return Reading{Device: "sensor_01", At: today.Add(time.Duration(minute-30) * time.Minute), Location: "hall"}
	}
	here, elsewhere := timeseries.If("location", model.Equal, "hall"), timeseries.If("location", model.Equal, "roof")
	fresh := timeseries.If("location", model.Missing, nil)
	for _, policy := range []struct {
		late catalog.LatePolicy
		want model.Verdict
	}{{catalog.KeepLate, model.Late}, {catalog.DropLate, model.Stale}} {
		kind := iot.Readings
		kind.Late = policy.late
		events := open[Reading](t, newTable(), kind)
		for _, step := range []struct {
			name string
			v    Reading
			opts []timeseries.AppendOption
			want model.Verdict
		}{
			{"the first, where there must be one", at(10), []timeseries.AppendOption{here}, model.Conflict},
			{"the first, where there must be none", at(10), []timeseries.AppendOption{fresh}, model.Applied},
			{"the same again", at(10), []timeseries.AppendOption{here}, model.Duplicate},
			{"a newer one, where it was", at(11), []timeseries.AppendOption{here, timeseries.If("temperature", model.Missing, nil)}, model.Applied},
			{"a newer one, elsewhere", at(12), []timeseries.AppendOption{here, elsewhere}, model.Conflict},
			{"an older one, where it was", at(5), []timeseries.AppendOption{here}, policy.want},
			{"an older one, elsewhere", at(6), []timeseries.AppendOption{elsewhere}, model.Conflict},
			{"no subject", Reading{At: today}, []timeseries.AppendOption{here}, model.Rejected},
			{"no time", Reading{Device: "sensor_01"}, []timeseries.AppendOption{here}, model.Rejected},
		} {
			out, err := events.Append(ctx, step.v, step.opts...)
			if err != nil || out.Verdict != step.want {
				t.Errorf("%s: %s: %s, %v; want %s", policy.late, step.name, out.Verdict, err, step.want)
			}
			if out.Verdict == model.Conflict && step.v.At.After(today.Add(-20*time.Minute)) && (out.Current == nil || out.Current.Location != "hall") {
				t.Errorf("%s: the conflict shows %+v, want the current it was with", step.name, out.Current)
			}
		}
	}
}

func TestAppend_AConditionMayNameEnrichment(t *testing.T) {
	t.Parallel()
	events := open[Reading](t, newTable(), iot.Readings)
	out, err := events.Append(context.Background(), Reading{Device: "sensor_01", At: today}, timeseries.If("accountId", model.Missing, nil))
	if err != nil || out.Verdict != model.Applied {
		t.Errorf("got %s, %v; want it applied", out.Verdict, err)
	}
}

func TestAppend_AConditionThatMeansNothingIsAnErrorAndNoVerdict(t *testing.T) {
	t.Parallel()
	lone := iot.Readings
	lone.WithoutCurrent = true
	v := Reading{Device: "sensor_01", At: today}
	for name, c := range map[string]struct {
		kind catalog.Kind
		opt  timeseries.AppendOption
		want error
	}{
		"a field that the model lacks": {iot.Readings, timeseries.If("humidity", model.Exists, nil), timeseries.ErrField},
		"a comparison that is none":    {iot.Readings, timeseries.If("location", "~", "x"), model.ErrCondition},
		"a value of no type of ours":   {iot.Readings, timeseries.If("location", model.Equal, struct{}{}), model.ErrCondition},
		"a kind that keeps no current": {lone, timeseries.If("location", model.Exists, nil), ingest.ErrNoCurrent},
	} {
		events := open[Reading](t, newTable(), c.kind)
		if out, err := events.Append(context.Background(), v, c.opt); !errors.Is(err, c.want) || out.Verdict != model.Unknown {
			t.Errorf("%s: append: %s, %v; want %v", name, out.Verdict, err, c.want)
		}
		if _, err := events.TransactItems(v, c.opt); !errors.Is(err, c.want) {
			t.Errorf("%s: as items: %v, want %v", name, err, c.want)
		}
	}
}
