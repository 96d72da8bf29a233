package timeseries_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// A read of something that cannot exist is a mistake of the program, and no empty result.
func TestReads_OfWhatCannotExist(t *testing.T) {
	t.Parallel()
	ctx, table := context.Background(), newTable()
	all, readings := accounts(t, table), open[Reading](t, table, iot.Readings)
	for _, id := range []string{"", "a\xff"} {
		for name, err := range map[string]error{
			"Get":      failure(all.Get(ctx, id)),
			"Deleted":  failure(all.Deleted(ctx, id)),
			"Version":  failure(all.Version(ctx, id, 1)),
			"Versions": first(all.Versions(ctx, id)),
			"Latest":   failure(readings.Latest(ctx, timeseries.Key{Subject: id})),
			"Alerts":   first(readings.Alerts(ctx, id, timeseries.AlertFilter{})),
		} {
			if !errors.Is(err, timeseries.ErrSeries) {
				t.Errorf("%s of %q: %v; want ErrSeries", name, id, err)
			}
		}
	}
	for name, err := range map[string]error{
		"Alerts":     first(readings.Alerts(ctx, "a", timeseries.AlertFilter{Severity: "fatal"})),
		"OpenAlerts": first(readings.OpenAlerts(ctx, "fatal")),
	} {
		if !errors.Is(err, model.ErrCondition) {
			t.Errorf("%s of a severity: %v; want ErrCondition", name, err)
		}
	}
	if got, err := all.Get(ctx, "unknown"); got != nil || err != nil {
		t.Errorf("a subject without a profile: %v, %v; want nil", got, err)
	}
	if err := first(readings.OpenAlerts(ctx, timeseries.Critical)); err != nil {
		t.Error(err)
	}
}
