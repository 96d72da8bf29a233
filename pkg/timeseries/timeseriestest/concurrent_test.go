package timeseriestest_test

import (
	"context"
	"errors"
	"testing"
	"time"
)

// The table in memory asks for the time while it writes, so that a Fold meanwhile must not hold the clock.
func TestFold_WhileOthersAppend(t *testing.T) {
	t.Parallel()
	table, readings := newTable(t)
	appended := make(chan error, 1)
	go func() {
		var failed error
		for i := range 200 {
			_, err := readings.Append(context.Background(),
				reading{Device: "sensor_01", At: start.Add(-time.Duration(i) * time.Second), Temperature: 1})
			failed = errors.Join(failed, err)
		}
		appended <- failed
	}()
	for len(appended) == 0 {
		table.Fold(readings.Kind())
		table.StreamBatch()
	}
	if err := <-appended; err != nil {
		t.Fatal(err)
	}
	table.Fold(readings.Kind())
	total, err := readings.Total(context.Background(), sensor)
	if err != nil || total.Summary.Events() != 200 {
		t.Errorf("total %+v, %v; want 200 events", total, err)
	}
}
