package main

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// blocked processes no change of a batch while on is set.
type blocked struct {
	processor
	on bool
}

func (b *blocked) Process(ctx context.Context, changes []storage.Change) aggregate.Report {
	if b.on && len(changes) > 0 {
		return aggregate.Report{Failures: []aggregate.Failure{{Change: 0, Err: errors.New("table unreachable")}}}
	}
	return b.processor.Process(ctx, changes)
}

// reading is a batch with one reading that arrived at a time.
func reading(t *testing.T, device string, at model.Time) []byte {
	t.Helper()
	payload := bytes.ReplaceAll(sample(t, "insert"), []byte("sensor_01"), []byte(device))
	return bytes.ReplaceAll(bytes.ReplaceAll(payload, []byte("2026-04-20T14:00:00.000Z"), []byte(at.String())),
		[]byte("2026-04-20T14:00:01.250Z"), []byte(at.String()))
}

// In a stage with traffic, each part that fails raises the alarm of its metric, within the minutes that are
// left after two for CloudWatch.
func TestNoticed_EachFailureOfTrafficRaisesItsAlarm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		alarm telemetry.Metric
		fault func(t *testing.T, d *deployment)
	}{
		{"a batch fails", telemetry.BatchFailures, func(_ *testing.T, d *deployment) { d.processor.(*blocked).on = true }},
		{"rollups are late", telemetry.Lag, func(_ *testing.T, d *deployment) { d.heldSince = d.minute }},
		{"poison", telemetry.Quarantined, func(t *testing.T, d *deployment) { d.traffic = func() []byte { return sample(t, "poison") } }},
		{"the event bus is down", telemetry.OldestAlertWaiting, func(_ *testing.T, d *deployment) {
			d.bus.open, d.device = false, "sensor_02" // whose first reading raises an alert
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, w := newBusyDeployment(t), newWatch(t, c.alarm)
			w.notices(t, d, func() { c.fault(t, d) })
		})
	}
}

// newBusyDeployment has a reading in each minute.
func newBusyDeployment(t *testing.T) *deployment {
	d := newDeployment(t)
	catalog, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	d.processor = &blocked{processor: &aggregate.Aggregator{Store: d.table, QuarantineStore: d.table,
		Catalog: catalog, Now: d.now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}}
	d.bus = &bus{open: true}
	d.device = "sensor_01"
	d.heldSince = -1
	_, service := alertingOn(t, d.fixture, d.bus)
	service.Now = d.now
	d.traffic = func() []byte {
		at := d.now()
		if d.heldSince >= 0 { // a minute brings a second of what waits
			at = sampleNow.Add(time.Duration(d.heldSince)*time.Minute + time.Duration(
				d.minute-d.heldSince)*time.Second)
		}
		d.newPut(t, d.device, at)
		payload := reading(t, d.device, at)
		d.apply(t, payload)
		return payload
	}
	return d
}
