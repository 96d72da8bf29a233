package timeseries_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// applied returns a table to which the kind of readings was applied, after change.
func applied(t *testing.T, change func(*catalog.Kind)) *memory.Table {
	t.Helper()
	kind := iot.Readings
	change(&kind)
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	table := newTable()
	a := &tableconfig.Applier{Table: table, Now: func() model.Time { return model.TimeOf(clock()) }}
	if _, err := a.Apply(t.Context(), kinds); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestAppend_RefusesAKindThatDoesNotFitTheTable(t *testing.T) {
	t.Parallel()
	table := applied(t, func(k *catalog.Kind) { k.Shards = 3 })
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	value := Reading{Device: "sensor_01", At: today, Temperature: number("20")}
	_, plain := readings.Append(t.Context(), value)
	_, conditional := readings.Append(t.Context(), value, timeseries.If("location", model.Missing, nil))
	for _, err := range []error{plain, conditional} {
		if !errors.Is(err, timeseries.ErrTableConfig) {
			t.Errorf("append: %v, want %v", err, timeseries.ErrTableConfig)
		}
	}
}

func TestAppend_KeepsEventsAsLongAsTheTableSays(t *testing.T) {
	t.Parallel()
	table := applied(t, func(k *catalog.Kind) {
		k.Retention = tier.Standard()
		k.Retention.Raw = 10 * tier.Day24
	})
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readings.Append(t.Context(), Reading{Device: "sensor_01", At: today, Temperature: number("20")}); err != nil {
		t.Fatal(err)
	}
	if n := table.Expire(model.TimeOf(today.Add(10*24*time.Hour + time.Minute))); n != 1 {
		t.Errorf("%d events expired after the 10 days of the table, want 1", n)
	}
}

// unreadable cannot read the table's configuration.
type unreadable struct{ *memory.Table }

func (unreadable) KindConfig(context.Context, string) (*entity.KindConfig, error) {
	return nil, errors.New("no route")
}

func TestAppend_IsUndecidedIfTheConfigurationCannotBeRead(t *testing.T) {
	t.Parallel()
	readings, err := timeseries.Open[Reading](unreadable{newTable()}, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readings.Append(t.Context(), Reading{Device: "sensor_01", At: today}); !errors.Is(err, timeseries.ErrUndecided) {
		t.Errorf("append: %v, want %v", err, timeseries.ErrUndecided)
	}
}
