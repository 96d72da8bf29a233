package timeseries_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// compose appends v as a caller's transaction does, without items of the caller's own.
func compose(t *testing.T, table *memory.Table, events *timeseries.Events[Reading], v Reading, opts ...timeseries.AppendOption) timeseries.Outcome[Reading] {
	t.Helper()
	c, err := events.TransactItems(v, opts...)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := table.Append(context.Background(), c.Transaction)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Outcome(reply)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTransactItems_MeanWhatAnAppendMeansButForLateOnes(t *testing.T) {
	t.Parallel()
	table := newTable()
	events := open[Reading](t, table, iot.Readings) // keeps late ones
	at := func(minute int, location string) Reading {
		return Reading{Device: "sensor_01", At: today.Add(time.Duration(minute-30) * time.Minute), Location: location}
	}
	here := timeseries.If("location", model.Equal, "hall")
	for _, step := range []struct {
		name string
		v    Reading
		opts []timeseries.AppendOption
		want model.Verdict
	}{
		{"nothing is there yet", at(10, "hall"), nil, model.Applied},
		{"the same again", at(10, "hall"), nil, model.Duplicate},
		{"the same moment, something else", at(10, "roof"), nil, model.Collision},
		{"newer", at(11, "hall"), nil, model.Applied},
		{"older", at(9, "hall"), nil, model.Stale},
		{"newer, where it must be", at(12, "roof"), []timeseries.AppendOption{here}, model.Applied},
		{"newer, where it is no more", at(13, "hall"), []timeseries.AppendOption{here}, model.Conflict},
	} {
		if out := compose(t, table, events, step.v, step.opts...); out.Verdict != step.want {
			t.Errorf("%s: %s, want %s", step.name, out.Verdict, step.want)
		}
	}
	n, err := events.Count(context.Background(), sensor)
	if err != nil || n.Events != 3 {
		t.Errorf("%d events are stored, %v; want the three that were applied", n.Events, err)
	}
}

func TestTransactItems_OfAKindWithoutCurrentAreTheEventAndTheGate(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.WithoutCurrent = true
	table := newTable()
	events := open[Reading](t, table, kind)
	v := Reading{Device: "sensor_01", At: today, Location: "hall"}
	for _, want := range []model.Verdict{model.Applied, model.Duplicate} {
		if out := compose(t, table, events, v); out.Verdict != want || out.Current != nil {
			t.Errorf("got %s with current %v, want %s without", out.Verdict, out.Current, want)
		}
	}
}

func TestTransactItems_OfARejectedValueAreNone(t *testing.T) {
	t.Parallel()
	minted := iot.Readings
	minted.IDs = catalog.MintedID
	for name, c := range map[string]struct {
		kind catalog.Kind
		v    Reading
	}{
		"no time":                    {iot.Readings, Reading{Device: "sensor_01"}},
		"no subject":                 {iot.Readings, Reading{At: today}},
		"an id where the door mints": {minted, Reading{Device: "sensor_01", At: today, ID: "x"}},
	} {
		_, err := open[Reading](t, newTable(), c.kind).TransactItems(c.v)
		var field model.FieldError
		if !errors.Is(err, timeseries.ErrRejected) || !errors.As(err, &field) {
			t.Errorf("%s: %v, want %v and the field", name, err, timeseries.ErrRejected)
		}
	}
}
