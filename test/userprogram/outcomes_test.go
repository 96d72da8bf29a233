package userprogram

import (
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// fits reports whether err is the error that belongs to an outcome: what was not stored is an error.
func fits(outcome model.Outcome, err error) bool {
	want, notStored := map[model.Outcome]error{
		model.Collision: timeseries.ErrCollision, model.Conflict: timeseries.ErrConflict,
		model.Gone: timeseries.ErrGone,
	}[outcome]
	return notStored && errors.Is(err, want) || !notStored && err == nil
}

// A program that forgot the shards of its table is refused, and never finds nothing.
func TestGuard_AKindThatDoesNotFitTheTableReadsAndChangesNothing(t *testing.T) {
	t.Parallel()
	table := timeseriestest.New(t, now)
	sharded := iot.Readings
	sharded.Shards = 4
	table.Configure(sharded)
	stored := open(t, table, sharded)
	appended(t, stored, at(1), model.Applied)
	unknown := iot.Readings
	unknown.Name, unknown.Path = "STRANGE", "strange"
	for name, readings := range map[string]*timeseries.Events[reading]{
		"another number of shards": open(t, table, iot.Readings), "an unknown kind": open(t, table, unknown),
	} {
		_, appendErr := readings.Append(t.Context(), at(2))
		_, countErr := readings.Count(t.Context(), sensor)
		deleted, deleteErr := readings.Delete(t.Context(), at(1))
		_, transactErr := readings.TransactItems(at(2))
		for _, err := range []error{appendErr, countErr, deleteErr, transactErr} {
			if !errors.Is(err, timeseries.ErrTableConfig) || !errors.Is(err, timeseries.ErrPermanent) || deleted {
				t.Errorf("%s: %v, deleted %t; want %v", name, err, deleted, timeseries.ErrTableConfig)
			}
		}
	}
	if n, err := stored.Count(t.Context(), sensor); err != nil || n.Events != 1 {
		t.Errorf("%d events, %v; want the one that was stored", n.Events, err)
	}
}

func TestKinds_TwoOnOneTableForTests(t *testing.T) {
	t.Parallel()
	table := timeseriestest.New(t, now)
	other := iot.Readings
	other.Name, other.Path = "SECOND", "second"
	for _, kind := range []struct {
		name     string
		readings *timeseries.Events[reading]
	}{{"first", openWith(t, table, iot.Readings, table.Options())}, {"second",
		openWith(t, table, other, table.Options())}, {"third", openWith(t, table, iot.Readings, table.Options())}} {
		r := at(1)
		r.At = r.At.Add(time.Duration(len(kind.name)) * time.Second)
		if out, err := kind.readings.Append(t.Context(), r); err != nil || !out.Stored() {
			t.Errorf("%s kind: %s, %v", kind.name, out.Outcome, err)
		}
	}
}

func openWith(t *testing.T, s store, kind catalog.Kind,
	options *timeseries.Options) *timeseries.Events[reading] {
	t.Helper()
	events, err := timeseries.Open[reading](s, kind, options)
	if err != nil {
		t.Fatal(err)
	}
	return events
}
