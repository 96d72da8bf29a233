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

// compose appends v in a transaction without other items.
func compose(t *testing.T, table *memory.Table, events *timeseries.Events[Reading], v Reading,
	opts ...timeseries.AppendOption) timeseries.Result[Reading] {
	t.Helper()
	c, err := events.TransactItems(v, opts...)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := table.Append(context.Background(), c.Transaction)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Result(reply)
	if !fits(out.Outcome, err) {
		t.Fatal(err)
	}
	return out
}

func TestTransactItems_HaveTheOutcomeOfAnAppendExceptForLateEvents(t *testing.T) {
	t.Parallel()
	table := newTable()
	events := open[Reading](t, table, iot.Readings) // keeps late events
	at := func(minute int, location string) Reading {
		return Reading{Device: "sensor_01", At: today.Add(time.Duration(minute-30) * time.Minute),
			Location: location}
	}
	here := timeseries.If("location", model.Equal, "hall")
	for _, step := range []struct {
		name string
		v    Reading
		opts []timeseries.AppendOption
		want model.Outcome
	}{
		{"the first", at(10, "hall"), nil, model.Applied},
		{"the same again", at(10, "hall"), nil, model.Duplicate},
		{"the same time, another value", at(10, "roof"), nil, model.Collision},
		{"newer", at(11, "hall"), nil, model.Applied},
		{"older", at(9, "hall"), nil, model.Stale},
		{"newer, condition holds", at(12, "roof"), []timeseries.AppendOption{here}, model.Applied},
		{"newer, condition fails", at(13, "hall"), []timeseries.AppendOption{here}, model.Conflict},
	} {
		if out := compose(t, table, events, step.v, step.opts...); out.Outcome != step.want {
			t.Errorf("%s: %s, want %s", step.name, out.Outcome, step.want)
		}
	}
	n, err := events.Count(context.Background(), sensor)
	if err != nil || n.Events != 3 {
		t.Errorf("%d events are stored, %v; want the three applied ones", n.Events, err)
	}
}

func TestTransactItems_OfAKindWithoutLatestItemAreTheEventAndThePurgeLock(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Latest = catalog.NoLatest
	table := newTable()
	events := open[Reading](t, table, kind)
	v := Reading{Device: "sensor_01", At: today, Location: "hall"}
	for _, want := range []model.Outcome{model.Applied, model.Duplicate} {
		if out := compose(t, table, events, v); out.Outcome != want || out.Latest != nil {
			t.Errorf("got %s with latest item %v, want %s without", out.Outcome, out.Latest, want)
		}
	}
}

func TestTransactItems_OfARejectedValueIsAnError(t *testing.T) {
	t.Parallel()
	minted := iot.Readings
	minted.IDs = catalog.MintedID
	for name, c := range map[string]struct {
		kind catalog.Kind
		v    Reading
	}{
		"no time":                   {iot.Readings, Reading{Device: "sensor_01"}},
		"no subject":                {iot.Readings, Reading{At: today}},
		"an id that the kind mints": {minted, Reading{Device: "sensor_01", At: today, ID: "x"}},
	} {
		_, err := open[Reading](t, newTable(), c.kind).TransactItems(c.v)
		var fields model.FieldErrors
		if !errors.Is(err, timeseries.ErrRejected) || !errors.As(err, &fields) {
			t.Errorf("%s: %v, want %v and the field", name, err, timeseries.ErrRejected)
		}
	}
}
