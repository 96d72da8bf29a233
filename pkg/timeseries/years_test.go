package timeseries_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type lease struct {
	ID    string    `tide:"subject"`
	At    time.Time `tide:"time"`
	Until time.Time `tide:"field"`
	Rent  float64   `tide:"measure"`
}

var leases = catalog.Kind{Name: "LEASE", Subject: catalog.SubjectType{Name: "FLAT"}}

// years are times that RFC 3339 cannot write: a date of "never", one that is beyond it in UTC alone, and one
// whose milliseconds since 1970 wrap around to today.
var years = []time.Time{
	time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(9999, 12, 31, 23, 30, 0, 0, time.FixedZone("", -3600)),
	time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<62, 0), time.Unix(today.Unix()+1<<61, 0),
}

// Such a time in a field was stored, and no later read of the latest item could read it.
func TestAppend_TimesInFieldsOfYearsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	events := open[lease](t, newTable(), leases)
	for _, at := range years {
		r, err := events.Append(context.Background(), lease{ID: "a", At: today, Until: at})
		if !errors.Is(err, timeseries.ErrRejected) || r.Stored() {
			t.Errorf("until %v: %q, %v; want ErrRejected", at, r.Outcome, err)
		}
		_, err = events.Count(context.Background(), timeseries.Key{Subject: "a"},
			timeseries.Where("until", model.Less, at))
		if !errors.Is(err, model.ErrCondition) {
			t.Errorf("until < %v: %v; want ErrCondition", at, err)
		}
	}
	last := lease{ID: "a", At: today, Until: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)}
	if _, err := events.Append(context.Background(), last); err != nil {
		t.Fatal(err)
	}
	got, err := events.Latest(context.Background(), timeseries.Key{Subject: "a"})
	if err != nil || *got != last {
		t.Errorf("latest %+v, %v; want %+v", got, err, last)
	}
}

// Milliseconds of 64 bits wrap around: an event of the year 73069258183 was stored as one of today.
func TestAppend_EventTimesOfYearsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	events := open[lease](t, newTable(), leases)
	for _, at := range years {
		r, err := events.Append(context.Background(), lease{ID: "a", At: at})
		if !errors.Is(err, timeseries.ErrRejected) || r.Stored() {
			t.Errorf("at %v: %q, %v; want ErrRejected", at, r.Outcome, err)
		}
		if _, err := events.Delete(context.Background(), lease{ID: "a", At: at}); !errors.Is(err,
			timeseries.ErrRejected) {
			t.Errorf("delete at %v: %v; want ErrRejected", at, err)
		}
	}
}

// A range that ends before it begins is empty in each tier, also within one bucket.
func TestRollups_OfAnEmptyRange(t *testing.T) {
	t.Parallel()
	table := newTable()
	events := open[lease](t, table, leases)
	if _, err := events.Append(context.Background(), lease{ID: "a", At: today, Rent: 1}); err != nil {
		t.Fatal(err)
	}
	fold(table, events.Kind())
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		found, err := events.Rollups(context.Background(), timeseries.Key{Subject: "a"}, unit,
			timeseries.In(today.Add(time.Minute), today))
		if !errors.Is(err, timeseries.ErrRange) {
			t.Errorf("%s: %d rollups, %v; want ErrRange", unit, len(found.Rollups), err)
		}
	}
}

// A float that is too small for the number would be infinite.
func TestProfiles_NumbersBeyondTheTypeOfTheField(t *testing.T) {
	t.Parallel()
	type wide struct {
		ID   string  `tide:"subject"`
		Size float64 `tide:"field"`
	}
	type narrow struct {
		ID   string  `tide:"subject"`
		Size float32 `tide:"field"`
	}
	table, flat := newTable(), catalog.SubjectType{Name: "FLAT"}
	writer, err := timeseries.OpenProfiles[wide](table, flat, nil)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := timeseries.OpenProfiles[narrow](table, flat, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Put(context.Background(), wide{ID: "a", Size: 1e40}, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := reader.Get(context.Background(), "a"); err == nil {
		t.Errorf("read as %v; want an error", got.Value.Size)
	}
}
