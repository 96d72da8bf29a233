package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var errRefused = errors.New("AccessDeniedException")

// failing is a table whose requests can fail.
type failing struct {
	aggregate.HeartbeatStore
	reads, writes bool
}

func (s *failing) StreamState(ctx context.Context) (storage.StreamState, error) {
	if s.reads {
		return storage.StreamState{}, errRefused
	}
	return s.HeartbeatStore.StreamState(ctx)
}

func (s *failing) PutItem(ctx context.Context, it item.Item) error {
	if s.writes {
		return errRefused
	}
	return s.HeartbeatStore.PutItem(ctx, it)
}

func (s *failing) AdvanceProgress(ctx context.Context,
	at, floor model.Time) (storage.WriteResult, model.Time, error) {
	if s.writes {
		return 0, 0, errRefused
	}
	return s.HeartbeatStore.AdvanceProgress(ctx, at, floor)
}

func (s *failing) BeginProgress(
	ctx context.Context, at model.Time,
) (storage.WriteResult, model.Time, error) {
	if s.writes {
		return 0, 0, errRefused
	}
	return s.HeartbeatStore.BeginProgress(ctx, at)
}

// deployment is the function with its schedule and its mapping, minute by minute.
type deployment struct {
	*fixture
	minute    int
	store     failing
	unmapped  bool          // the mapping delivers nothing
	unplanned bool          // the schedule does not invoke
	refused   bool          // the function refuses to work
	stuck     bool          // sweeps fail
	heldSince int           // minute from which the table stream is read too slowly; negative: never
	device    string        // that has the traffic
	bus       *bus          // of alerts
	traffic   func() []byte // the batch of a minute; nil: none
}

func (d *deployment) now() model.Time { return sampleNow.Add(time.Duration(d.minute) * time.Minute) }

func newDeployment(t *testing.T) *deployment {
	d := &deployment{fixture: newFixture(t)}
	d.store.HeartbeatStore = d.table
	d.progress = &aggregate.StreamProgress{Store: &d.store, Now: d.now, MaxAge: 6 * time.Hour}
	d.pulse = &aggregate.Heartbeat{Store: &d.store, Now: d.now, MaxAge: 6 * time.Hour}
	d.sweeper = &agingSweeps{d: d}
	d.refresh = func(context.Context) error {
		if d.refused {
			return errRefused
		}
		return nil
	}
	return d
}

// agingSweeps is a sweeper whose low watermark stays two minutes behind while it works.
type agingSweeps struct {
	d     *deployment
	swept atomic.Int64 // minute of the last sweep
}

func (s *agingSweeps) SweepUntilStopped(
	context.Context, storage.QueueShard, *aggregate.RunningSweep,
) (aggregate.SweepReport, error) {
	if s.d.stuck {
		return aggregate.SweepReport{}, errRefused
	}
	s.swept.Store(int64(s.d.minute))
	return aggregate.SweepReport{}, nil
}

func (s *agingSweeps) QueueShards(context.Context) ([]aggregate.SweptShard, error) {
	age := aggregate.ClockMargin + time.Duration(int64(s.d.minute)-s.swept.Load())*time.Minute
	return []aggregate.SweptShard{{Age: age}}, nil
}

// pass lets one minute pass: the schedule invokes, then the mapping delivers the heartbeat. It
// returns the metrics that were published.
func (d *deployment) pass(t *testing.T) map[string]float64 {
	t.Helper()
	d.minute++
	d.out.Reset()
	if !d.unplanned {
		_, _ = d.Invoke(t.Context(), sample(t, "scheduled")) // errors are the fault's
	}
	beat, err := d.table.GetItem(t.Context(), tablekeys.Heartbeat())
	if err != nil {
		t.Fatal(err)
	}
	if beat != nil && !d.unmapped {
		_, _ = d.Invoke(t.Context(), heartbeatRecord(t, beat))
	}
	if d.traffic != nil {
		_, _ = d.Invoke(t.Context(), d.traffic())
	}
	published := map[string]float64{}
	for line := range strings.Lines(d.out.String()) {
		var members map[string]any
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			if number, ok := value.(float64); ok {
				published[name] = max(published[name], number)
			}
		}
	}
	return published
}

func heartbeatRecord(t *testing.T, beat item.Item) []byte {
	at, err := model.ParseTime(beat[tablekeys.AttrAt].S, model.RejectFinerTime)
	if err != nil {
		t.Fatal(err)
	}
	k := tablekeys.Heartbeat()
	return fmt.Appendf(nil,
		`{"Records":[{"eventID":"b","eventName":"MODIFY","dynamodb":{"Keys":{"pk":{"S":%q},"sk":{"S":%q}},`+
			`"SequenceNumber":"17","ApproximateCreationDateTime":%d}}]}`, k.PK, k.SK, at.Time().Unix())
}

// watch evaluates the alarm of a metric as CloudWatch does.
type watch struct {
	rule     telemetry.Alarm
	name     string
	period   []float64 // values of the current period
	minutes  int
	breaches []bool
}

func newWatch(t *testing.T, m telemetry.Metric) *watch {
	d, ok := m.Definition()
	if !ok || d.Alarm == nil {
		t.Fatalf("%s has no alarm", m)
	}
	return &watch{rule: *d.Alarm, name: string(d.Metric)}
}

func (w *watch) raised(published map[string]float64) bool {
	if value, ok := published[w.name]; ok {
		w.period = append(w.period, value)
	}
	if w.minutes++; w.minutes%int(w.rule.Period.Minutes()) == 0 {
		w.breaches, w.period = append(w.breaches, w.breach()), nil
	}
	count := 0
	for _, breach := range w.breaches[max(0, len(w.breaches)-w.rule.Within):] {
		if breach {
			count++
		}
	}
	return count >= w.rule.Periods
}

// notices fails the test unless the alarm is off in 20 healthy minutes, and on within eight of a fault.
func (w *watch) notices(t *testing.T, d *deployment, fault func()) {
	t.Helper()
	for range 20 {
		if w.raised(d.pass(t)) {
			t.Fatalf("minute %d: alarm without a fault", d.minute)
		}
	}
	fault()
	began := d.minute
	for !w.raised(d.pass(t)) {
		if d.minute-began >= 8 {
			t.Fatalf("no alarm after %d minutes", d.minute-began)
		}
	}
	t.Logf("noticed after %d minutes", d.minute-began)
}

func (w *watch) breach() bool {
	if len(w.period) == 0 {
		return w.rule.Silence
	}
	value := slices.Max(w.period)
	if w.rule.Statistic == telemetry.Sum {
		value = 0
		for _, one := range w.period {
			value += one
		}
	}
	return value > w.rule.Threshold
}

// Nothing is written to the table in these tests but heartbeats: silence is noticed without
// traffic. Eight minutes leave two for CloudWatch and delivery.
func TestSilence_OfAnyPartRaisesAnAlarmWithinEightMinutes(t *testing.T) {
	for _, c := range []struct {
		name  string
		alarm telemetry.Metric
		fault func(d *deployment, on bool)
	}{
		{"mapping disabled or deleted", telemetry.ProgressAge, func(d *deployment, on bool) { d.unmapped = on }},
		{"permission to read the table stream lost", telemetry.ProgressAge, func(d *deployment, on bool) { d.unmapped = on }},
		{"schedule disabled or deleted", telemetry.ProgressAge, func(d *deployment, on bool) { d.unplanned = on }},
		{"permission to write lost", telemetry.ProgressAge, func(d *deployment, on bool) { d.store.writes = on }},
		{"customer key disabled", telemetry.ProgressAge, func(d *deployment, on bool) {
			d.store.reads = on
			d.store.writes = on
			d.unmapped = on
		}},
		{"function refuses its configuration", telemetry.ProgressAge, func(d *deployment, on bool) { d.refused = on }},
		{"sweeper fails", telemetry.SweepAge, func(d *deployment, on bool) { d.stuck = on }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, w := newDeployment(t), newWatch(t, c.alarm)
			w.notices(t, d, func() { c.fault(d, true) })
			c.fault(d, false)
			for range 4 + w.rule.Periods {
				d.pass(t)
			}
			if w.breaches = nil; w.raised(d.pass(t)) {
				t.Error("the alarm stays after the fault ended")
			}
		})
	}
}

// idleAlerts has nothing to deliver.
type idleAlerts struct{}

func (idleAlerts) Evaluate(context.Context, []storage.Change) alert.Report { return alert.Report{} }

func (idleAlerts) Deliver(context.Context, []storage.Notification) (int, error) { return 0, nil }

func (idleAlerts) DeliverPending(context.Context) (alert.DeliveryResult, error) {
	return alert.DeliveryResult{}, nil
}

func (idleAlerts) EndAlertsOfRemovedRules(context.Context) (int, error) { return 0, nil }

func (idleAlerts) TestNewRules(context.Context) error { return nil }
func (idleAlerts) FindSilent(context.Context) error   { return nil }

// CloudWatch bills a metric for each hour in which it is published: an idle stage publishes
// only what shows that it works.
func TestIdle_PublishesOnlyTheMetricsAtRest(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		d := newDeployment(t)
		d.alerts = idleAlerts{}
		if !deferred {
			d.sweeper = nil
		}
		want := map[string]bool{}
		for _, m := range telemetry.AtRest(deferred) {
			want[string(m)] = true
		}
		for range 3 {
			published := d.pass(t)
			for name := range published {
				if !want[name] {
					t.Errorf("an idle stage publishes %s", name)
				}
			}
			if len(published) != len(want) {
				t.Errorf("published %v, want %v", published, want)
			}
		}
	}
}
