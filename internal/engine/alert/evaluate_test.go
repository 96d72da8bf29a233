package alert_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fixture is a table in memory, an alert service that uses it, and a clock that the test
// moves.
type fixture struct {
	*testing.T
	*alert.Service
	table    *memory.Table
	now      model.Time
	seen     uint64
	requests map[string]int // number of requests by method
	hook     func(method string)
}

var sensor = model.Subject{Type: "DEVICE", ID: "sensor_01"}

var readings = model.Series{Subject: sensor, Kind: "READING"}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	r := &fixture{T: t, now: model.Time(1_776_693_600_000), requests: map[string]int{}}
	clock := func() model.Time { return r.now }
	r.table = memory.New(clock)
	r.Service = &alert.Service{Store: counting{r.table, r}, Catalog: kinds, Now: clock, Rand: rand.Reader,
		Parallel: 1,
		Sleep:    func(context.Context, time.Duration) error { return nil }}
	return r
}

// counting counts requests, and calls the hook after each.
type counting struct {
	*memory.Table
	r *fixture
}

func (c counting) did(method string) {
	c.r.requests[method]++
	if c.r.hook != nil {
		c.r.hook(method)
	}
}

func (c counting) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	defer c.did("GetItem")
	return c.Table.GetItem(ctx, k)
}

func (c counting) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	defer c.did("List")
	return c.Table.List(ctx, l)
}

func (c counting) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	defer c.did("PutAll")
	return c.Table.PutAll(ctx, puts)
}

func (c counting) Latest(ctx context.Context, s model.Series, consistent bool) (*model.Latest, error) {
	defer c.did("Latest")
	return c.Table.Latest(ctx, s, consistent)
}

func (c counting) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	defer c.did("Events")
	return c.Table.Events(ctx, r)
}

func decimal(text string) *model.Decimal {
	d := model.MustDecimal(text)
	return &d
}

func hotRule() storage.Rule {
	return storage.Rule{Name: "too-hot", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Measure: "temperature", Bounds: storage.Above, High: decimal("30"), Severity: storage.Critical, By: "ann"}
}

func (r *fixture) mustAddRule(draft storage.Rule) storage.Rule {
	r.Helper()
	made, wrong, err := r.AddRule(r.Context(), draft)
	if err != nil || wrong != nil {
		r.Fatalf("add rule: %v, %v", wrong, err)
	}
	return made
}

// append appends a reading, seconds after the clock's time.
func (r *fixture) append(seconds int, temperature int64) model.EventKey {
	r.Helper()
	service := &ingest.Service{Store: r.table, Limits: config.Default().Limits, Now: func() model.Time {
		return r.now.Add(time.Hour)
	}, Rand: rand.Reader}
	kind, _ := r.Catalog.Kind("READING")
	at := r.now.Add(time.Duration(seconds) * time.Second)
	out, err := service.AppendEvents(r.Context(), kind, []ingest.TypedObservation{{Subject: sensor.ID, At: at,
		Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(temperature))}}}})
	if err != nil {
		r.Fatal(err)
	}
	return out[0].Key
}

// changes returns the changes of events since the last call, as the table stream reports
// them.
func (r *fixture) changes() (all []storage.Change) {
	for _, rec := range r.table.Records(r.seen) {
		r.seen = rec.Seq
		k, err := keys.ParseEvent(rec.Keys)
		if err != nil {
			continue
		}
		c := storage.Change{Type: storage.Corrected, Key: k, Seq: fmt.Sprint(rec.Seq)}
		if rec.Old != nil {
			e, _ := item.Event(rec.Old)
			c.Before = &e
		}
		if rec.New != nil {
			e, _ := item.Event(rec.New)
			c.After = &e
		}
		if rec.Old == nil {
			c.Type = storage.Inserted
		}
		if rec.New == nil {
			c.Type = storage.Deleted
		}
		all = append(all, c)
	}
	return all
}

func (r *fixture) evaluate() alert.Report {
	r.Helper()
	report := r.Evaluate(r.Context(), r.changes())
	if len(report.Failures) > 0 {
		r.Fatalf("evaluate: %v", report.Failures)
	}
	return report
}

func (r *fixture) delete(k model.EventKey) {
	r.Helper()
	if result, err := r.table.DeleteEvent(r.Context(), k, r.now); err != nil || result != storage.Written {
		r.Fatalf("delete: %v, %v", result, err)
	}
}

// wantAlerts fails the test unless the sensor has these alerts, oldest first, as status and
// value. It returns the alerts.
func (r *fixture) wantAlerts(want ...string) []storage.Alert {
	r.Helper()
	page, err := r.ListBySubject(r.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
	if err != nil {
		r.Fatal(err)
	}
	slices.Reverse(page.Alerts)
	var got []string
	for _, a := range page.Alerts {
		got = append(got, fmt.Sprintf("%s %s", a.Status(), a.Value))
	}
	if !slices.Equal(got, want) {
		r.Fatalf("alerts are %q, want %q", got, want)
	}
	return page.Alerts
}

func TestEvaluate_EventsRaiseAndResolveAlerts(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	for i, v := range []int64{20, 31, 35, 30, 31} {
		r.append(i, v)
	}
	report := r.evaluate()
	alerts := r.wantAlerts("resolved 31", "open 31")
	if report.Raised != 2 || alerts[0].Recovered.Value.String() != "30" || alerts[0].ExpiresAt == 0 ||
		alerts[1].ExpiresAt != 0 {
		t.Errorf("report %+v, alerts %+v", report.Counts, alerts)
	}
	if got := alerts[1].Message(); got != "temperature 31 above 30" {
		t.Errorf("message %q", got)
	}
	r.append(9, 12)
	r.evaluate()
	r.wantAlerts("resolved 31", "resolved 31")
}

func TestEvaluate_LateEventsRaiseNoAlert(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(10, 20)
	r.append(5, 99) // late
	r.evaluate()
	r.wantAlerts()
}

func TestEvaluate_IgnoresEventsMoreThanAnHourBeforeTheRule(t *testing.T) {
	r := newFixture(t)
	r.append(-61*60, 40)
	r.append(-59*60, 20)
	r.mustAddRule(hotRule())
	r.append(1, 20)
	r.evaluate()
	r.wantAlerts()
}

// A new rule says at once that the sensor is too hot now.
func TestAddRule_OfOneSubjectTestsItsNewestEventAtOnce(t *testing.T) {
	r := newFixture(t)
	r.append(-3*24*3600, 40) // three days ago
	own := hotRule()
	own.Subject = sensor.ID
	r.mustAddRule(own)
	r.wantAlerts("open 40")
}

// A process that has read the rules before another adds one tests it when its copy is too old.
func TestEvaluate_ReadsRulesAgainByTheirAge(t *testing.T) {
	for age, want := range map[time.Duration][]string{0: {}, time.Second: {"open 40"}} {
		r := newFixture(t)
		r.RulesAge = age
		r.append(-30, 20)
		r.evaluate() // reads that there is no rule
		other := &alert.Service{Store: r.table, Catalog: r.Catalog, Now: r.Now, Rand: r.Rand, Sleep: r.Sleep}
		if _, wrong, err := other.AddRule(t.Context(), hotRule()); err != nil || wrong != nil {
			t.Fatal(wrong, err)
		}
		r.now = r.now.Add(time.Second)
		r.append(0, 40)
		r.evaluate()
		r.wantAlerts(want...)
	}
}

// Rules of a type find the series in the list of series.
func TestTestNewRules_RaisesAlertsOfListedSeries(t *testing.T) {
	r := newFixture(t)
	r.append(-10, 40)
	listed := storage.ListedSeries{Series: model.Series{Subject: sensor, Kind: "READING"},
		First: r.now.Add(-time.Hour), Last: r.now.Add(-time.Hour)}
	if err := r.table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
		t.Fatal(err)
	}
	r.mustAddRule(hotRule())
	r.wantAlerts("open 40")
	r.now = r.now.Add(alert.RuleCacheAge)
	r.append(0, 20) // by a process that has not read the rule
	if err := r.TestNewRules(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wantAlerts("resolved 40")
}

func TestEvaluate_DeletionWithdrawsTheAlertWithAReason(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(0, 20)
	raised := r.append(1, 31)
	r.append(2, 32)
	r.append(3, 20)
	r.evaluate()
	r.delete(raised)
	report := r.evaluate()
	alerts := r.wantAlerts("withdrawn 31", "resolved 32")
	if alerts[0].Withdrawn != "its event was deleted" || report.Withdrawn != 1 || report.Raised != 1 {
		t.Errorf("alert %+v, report %+v", alerts[0], report.Counts)
	}
}

func TestEvaluate_DeletingTheRecoveryReopensTheAlert(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(1, 31)
	recovery := r.append(2, 20)
	r.append(3, 33)
	r.evaluate()
	r.wantAlerts("resolved 31", "open 33")
	r.delete(recovery)
	r.evaluate()
	alerts := r.wantAlerts("open 31", "withdrawn 33")
	if alerts[0].ExpiresAt != 0 {
		t.Errorf("an open alert expires at %d", alerts[0].ExpiresAt)
	}
}

func TestEvaluate_CorrectionsWithdrawAndReinstate(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	key := r.append(1, 31)
	r.evaluate()
	for _, step := range []struct {
		value int64
		want  string
	}{{20, "withdrawn 31"}, {36, "open 36"}} {
		page, err := r.table.Events(t.Context(), storage.Range{Series: readings, From: key.At, To: key.At + 1})
		if err != nil {
			t.Fatal(err)
		}
		e := page.Events[0]
		e.Attrs = model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(step.value))}}
		e.Hash = model.HashAttrs(e.Attrs)
		if result, err := r.table.CorrectEvent(t.Context(), e, r.now); err != nil || result != storage.Written {
			t.Fatalf("correct: %v, %v", result, err)
		}
		r.evaluate()
		r.wantAlerts(step.want)
	}
}

// The write of an evaluation that read an event before its deletion must fail after the
// evaluation of the deletion, although that evaluation changes no alert.
func TestEvaluate_DeletionWritesTheStateEvenIfNoAlertChanges(t *testing.T) {
	r := newFixture(t)
	r.deleteDuringEvaluation()
	r.wantAlerts()
}

// Without the write of the state, the alert of the deleted event stays open.
func TestEvaluate_DeletionWithoutAWriteWouldLeaveAnAlert(t *testing.T) {
	r := newFixture(t)
	r.Store = mutantStore{Store: r.Store, mutant: mutant{skipState: true}}
	r.deleteDuringEvaluation()
	r.wantAlerts("open 31")
}

// deleteDuringEvaluation evaluates the insert of an event. After the read of the event and
// before the write, it deletes the event and evaluates the deletion.
func (r *fixture) deleteDuringEvaluation() {
	r.mustAddRule(hotRule())
	key := r.append(1, 31)
	inserted := r.changes()
	r.hook = func(method string) {
		if method != "Events" {
			return
		}
		r.hook = nil
		r.delete(key)
		r.evaluate()
	}
	if report := r.Evaluate(r.Context(), inserted); len(report.Failures) > 0 {
		r.Fatal(report.Failures)
	}
}

func TestEvaluate_SplitsManyChangesIntoSeveralWrites(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	var want []string
	var recoveries []model.EventKey
	for i := range 150 {
		r.append(2*i, 31)
		if i == 149 {
			want = append(want, "open 31")
			break
		}
		recoveries = append(recoveries, r.append(2*i+1, 20))
		want = append(want, "resolved 31")
	}
	report := r.evaluate()
	r.wantAlerts(want...)
	if report.Raised != 150 || r.requests["PutAll"] < 5 {
		t.Errorf("%d alerts were raised by %d writes, want 150 and at least 5", report.Raised, r.requests["PutAll"])
	}
	for _, k := range recoveries { // now there is one violation, which starts at the first event
		r.delete(k)
	}
	r.evaluate()
	want = []string{"open 31"}
	for range 149 {
		want = append(want, "withdrawn 31")
	}
	r.wantAlerts(want...)
}

func TestEvaluate_IgnoresADeletionShortlyBeforeExpiry(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	key := r.append(1, 31)
	r.evaluate()
	r.now = r.now.Add(30*24*time.Hour + 10*time.Minute) // about half an hour before it expires
	r.delete(key)
	if report := r.evaluate(); report.Sealed != 1 {
		t.Errorf("report %+v", report.Counts)
	}
	r.wantAlerts("open 31")
}

func TestEvaluate_WithoutRulesSendsOneReadAMinute(t *testing.T) {
	r := newFixture(t)
	for i := range 100 {
		r.append(i, 40)
		r.evaluate()
	}
	if r.requests["List"] != 1 ||
		r.requests["Latest"]+r.requests["Events"]+r.requests["GetItem"]+r.requests["PutAll"] != 0 {
		t.Errorf("100 evaluations without rules sent %v, want one read of the rules of the type", r.requests)
	}
	r.now = r.now.Add(alert.RuleCacheAge)
	r.append(100, 40)
	r.evaluate()
	if r.requests["List"] != 2 {
		t.Errorf("after a minute the rules were read %d times, want 2", r.requests["List"])
	}
}

func TestEvaluate_WritesTheStateOnlyEverySixteenthEvent(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	writes := r.requests["PutAll"]
	for i := range 160 {
		r.append(i, 20)
		r.evaluate()
	}
	if n := r.requests["PutAll"] - writes; n < 9 || n > 11 {
		t.Errorf("160 evaluations of one event each without a change wrote %d times, want about 10", n)
	}
}

func TestEvaluate_ReportsADamagedStateAndContinues(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	damaged := item.FromAlertState(&storage.AlertState{Series: readings})
	damaged[tablekeys.AttrTested] = item.Value{Type: item.S, S: "?"}
	if err := r.table.PutItem(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	r.append(1, 40)
	if report := r.evaluate(); report.Damaged != 1 || len(report.Notes) != 1 {
		t.Errorf("report %+v", report)
	}
}

// putOpen stores an alert as it is given, in the index of open alerts.
func (r *fixture) putOpen(a *storage.Alert) error {
	return r.table.PutItem(r.Context(), alert.AlertItem(a))
}
