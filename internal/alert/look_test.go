package alert_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// rig is a table with alerts on it. Its clock is moved by hand.
type rig struct {
	*testing.T
	*alert.Service
	table *memory.Table
	now   model.Time
	seen  uint64
	reads map[string]int // requests, by method
	hook  func(method string)
}

var sensor = model.Subject{Type: "DEVICE", ID: "sensor_01"}

var readings = model.Series{Subject: sensor, Kind: "READING"}

func newRig(t *testing.T) *rig {
	t.Helper()
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, now: model.Time(1_776_693_600_000), reads: map[string]int{}}
	clock := func() model.Time { return r.now }
	r.table = memory.New(clock)
	r.Service = &alert.Service{Store: counting{r.table, r}, Catalog: kinds, Now: clock, Rand: rand.Reader, Parallel: 1,
		Sleep: func(context.Context, time.Duration) error { return nil }}
	return r
}

// counting counts requests, and lets something happen after each.
type counting struct {
	*memory.Table
	r *rig
}

func (c counting) did(method string) {
	c.r.reads[method]++
	if c.r.hook != nil {
		c.r.hook(method)
	}
}

func (c counting) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	defer c.did("GetItem")
	return c.Table.GetItem(ctx, k)
}

func (c counting) List(ctx context.Context, l table.Listing) (table.ListPage, error) {
	defer c.did("List")
	return c.Table.List(ctx, l)
}

func (c counting) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	defer c.did("PutAll")
	return c.Table.PutAll(ctx, puts)
}

func (c counting) Current(ctx context.Context, s model.Series, consistent bool) (*model.Current, error) {
	defer c.did("Current")
	return c.Table.Current(ctx, s, consistent)
}

func (c counting) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	defer c.did("Events")
	return c.Table.Events(ctx, r)
}

func decimal(text string) *model.Decimal {
	d := model.MustDecimal(text)
	return &d
}

func hot() model.Rule {
	return model.Rule{Name: "too-hot", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Measure: "temperature", Bounds: model.Above, High: decimal("30"), Severity: model.Critical, By: "ann"}
}

func (r *rig) adds(draft model.Rule) model.Rule {
	r.Helper()
	made, wrong, err := r.AddRule(r.Context(), draft)
	if err != nil || wrong != nil {
		r.Fatalf("add rule: %v, %v", wrong, err)
	}
	return made
}

// appends puts a reading, seconds after the clock's time.
func (r *rig) appends(seconds int, temperature int64) model.EventKey {
	r.Helper()
	service := &ingest.Service{Store: r.table, Limits: config.Default().Limits, Now: func() model.Time { return r.now.Add(time.Hour) }, Rand: rand.Reader}
	kind, _ := r.Catalog.Kind("READING")
	at := r.now.Add(time.Duration(seconds) * time.Second)
	out, err := service.AppendEvents(r.Context(), kind, []ingest.Draft{{Subject: sensor.ID, At: at,
		Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(temperature))}}}})
	if err != nil {
		r.Fatal(err)
	}
	return out[0].Key
}

// changes are what the table stream tells since the last time.
func (r *rig) changes() (all []model.Change) {
	for _, rec := range r.table.Records(r.seen) {
		r.seen = rec.Seq
		k, err := keys.ParseEvent(rec.Keys)
		if err != nil {
			continue
		}
		c := model.Change{What: model.Corrected, Key: k, Seq: fmt.Sprint(rec.Seq)}
		if rec.Old != nil {
			e, _ := item.Event(rec.Old)
			c.Before = &e
		}
		if rec.New != nil {
			e, _ := item.Event(rec.New)
			c.After = &e
		}
		if rec.Old == nil {
			c.What = model.Inserted
		}
		if rec.New == nil {
			c.What = model.Deleted
		}
		all = append(all, c)
	}
	return all
}

func (r *rig) looks() alert.Report {
	r.Helper()
	report := r.Look(r.Context(), r.changes())
	if len(report.Failures) > 0 {
		r.Fatalf("look: %v", report.Failures)
	}
	return report
}

func (r *rig) deletes(k model.EventKey) {
	r.Helper()
	if answer, err := r.table.DeleteEvent(r.Context(), k, r.now); err != nil || answer != model.Written {
		r.Fatalf("delete: %v, %v", answer, err)
	}
}

// stand are the alerts of the sensor, oldest first, as status and value.
func (r *rig) stand(want ...string) []model.Alert {
	r.Helper()
	page, err := r.OfSubject(r.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
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

func TestLook_OneAlertIsRaisedAndResolvedByItsEvents(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	for i, v := range []int64{20, 31, 35, 30, 31} {
		r.appends(i, v)
	}
	report := r.looks()
	stood := r.stand("resolved 31", "open 31")
	if report.Raised != 2 || stood[0].Recovered.Value.String() != "30" || stood[0].ExpiresAt == 0 || stood[1].ExpiresAt != 0 {
		t.Errorf("report %+v, alerts %+v", report.Counts, stood)
	}
	if got := stood[1].Message(); got != "temperature 31 above 30" {
		t.Errorf("message %q", got)
	}
	r.appends(9, 12)
	r.looks()
	r.stand("resolved 31", "resolved 31")
}

func TestLook_LateEventsNeverRaise(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	r.appends(10, 20)
	r.appends(5, 99) // late
	r.looks()
	r.stand()
}

func TestLook_EventsBeforeTheRuleAreNotTested(t *testing.T) {
	r := newRig(t)
	r.appends(-10, 40)
	r.adds(hot())
	r.appends(1, 20)
	r.looks()
	r.stand()
}

func TestLook_DeletionTakesItsAlertBackAndSaysWhy(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	r.appends(0, 20)
	raised := r.appends(1, 31)
	r.appends(2, 32)
	r.appends(3, 20)
	r.looks()
	r.deletes(raised)
	report := r.looks()
	stood := r.stand("withdrawn 31", "resolved 32")
	if stood[0].Withdrawn != "its event was deleted" || report.Withdrawn != 1 || report.Raised != 1 {
		t.Errorf("alert %+v, report %+v", stood[0], report.Counts)
	}
}

func TestLook_DeletingTheRecoveryOpensTheAlertAgain(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	r.appends(1, 31)
	recovery := r.appends(2, 20)
	r.appends(3, 33)
	r.looks()
	r.stand("resolved 31", "open 33")
	r.deletes(recovery)
	r.looks()
	stood := r.stand("open 31", "withdrawn 33")
	if stood[0].ExpiresAt != 0 {
		t.Errorf("an open alert expires at %d", stood[0].ExpiresAt)
	}
}

func TestLook_CorrectionTakesBackAndReinstates(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	key := r.appends(1, 31)
	r.looks()
	for _, step := range []struct {
		value int64
		want  string
	}{{20, "withdrawn 31"}, {36, "open 36"}} {
		page, err := r.table.Events(t.Context(), model.Range{Series: readings, From: key.At, To: key.At + 1})
		if err != nil {
			t.Fatal(err)
		}
		e := page.Events[0]
		e.Attrs = model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(step.value))}}
		e.Hash = model.HashOf(e.Attrs)
		if answer, err := r.table.CorrectEvent(t.Context(), e, r.now); err != nil || answer != model.Written {
			t.Fatalf("correct: %v, %v", answer, err)
		}
		r.looks()
		r.stand(step.want)
	}
}

// A look that read an event before it was deleted must lose to the look of the deletion,
// though that finds nothing to change.
func TestLook_DeletionWritesThoughNothingChanges(t *testing.T) {
	r := newRig(t)
	r.deletesWhileLooking()
	r.stand()
}

// The same with a look that writes nothing where nothing changes: the alert of an event
// that is gone.
func TestLook_DeletionThatWroteNothingWouldLeaveAnAlert(t *testing.T) {
	r := newRig(t)
	r.Store = planted{Store: r.Store, mutant: mutant{lazy: true}}
	r.deletesWhileLooking()
	r.stand("open 31")
}

// deletesWhileLooking has an event deleted, and that looked at from beginning to end, when
// the look of its insert has read it and not written yet.
func (r *rig) deletesWhileLooking() {
	r.adds(hot())
	key := r.appends(1, 31)
	inserted := r.changes()
	r.hook = func(method string) {
		if method != "Events" {
			return
		}
		r.hook = nil
		r.deletes(key)
		r.looks()
	}
	if report := r.Look(r.Context(), inserted); len(report.Failures) > 0 {
		r.Fatal(report.Failures)
	}
}

func TestLook_ManyChangesGoByManyWrites(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	var want []string
	var recoveries []model.EventKey
	for i := range 150 {
		r.appends(2*i, 31)
		if i == 149 {
			want = append(want, "open 31")
			break
		}
		recoveries = append(recoveries, r.appends(2*i+1, 20))
		want = append(want, "resolved 31")
	}
	report := r.looks()
	r.stand(want...)
	if report.Raised != 150 || r.reads["PutAll"] < 5 {
		t.Errorf("%d raised by %d writes", report.Raised, r.reads["PutAll"])
	}
	for _, k := range recoveries { // now they are one violation, which began with the first
		r.deletes(k)
	}
	r.looks()
	want = []string{"open 31"}
	for range 149 {
		want = append(want, "withdrawn 31")
	}
	r.stand(want...)
}

func TestLook_TooLateADeletionIsSealed(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	key := r.appends(1, 31)
	r.looks()
	r.now = r.now.Add(30*24*time.Hour + 10*time.Minute) // half an hour and more before it expires
	r.deletes(key)
	if report := r.looks(); report.Sealed != 1 {
		t.Errorf("report %+v", report.Counts)
	}
	r.stand("open 31")
}

// What it costs, in requests: the prices are in the page of the decision.
func TestLook_CostsNextToNothingWithoutRules(t *testing.T) {
	r := newRig(t)
	for i := range 100 {
		r.appends(i, 40)
		r.looks()
	}
	if r.reads["List"] != 1 || r.reads["Current"]+r.reads["Events"]+r.reads["GetItem"]+r.reads["PutAll"] != 0 {
		t.Errorf("100 looks where there is no rule sent %v: want one read of the rules of the type", r.reads)
	}
	r.now = r.now.Add(alert.Stale)
	r.appends(100, 40)
	r.looks()
	if r.reads["List"] != 2 {
		t.Errorf("after a minute the rules were read %d times in all, want 2", r.reads["List"])
	}
}

func TestLook_StateMovesOnceInAWhileWhereNothingHappens(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	writes := r.reads["PutAll"]
	for i := range 160 {
		r.appends(i, 20)
		r.looks()
	}
	if n := r.reads["PutAll"] - writes; n < 9 || n > 11 {
		t.Errorf("160 quiet looks of one event each wrote %d times, want about one in 16", n)
	}
}

func TestLook_WhatIsDamagedIsToldAndHoldsNothingUp(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	broken := item.FromAlertState(&model.AlertState{Series: readings})
	broken[keys.AttrTested] = item.Value{Type: item.S, S: "?"}
	if err := r.table.PutItem(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	r.appends(1, 40)
	if report := r.looks(); report.Damaged != 1 || len(report.Notes) != 1 {
		t.Errorf("report %+v", report)
	}
}

// putOpen stores an alert as it is given, in the list of open ones.
func (r *rig) putOpen(a *model.Alert) error { return r.table.PutItem(r.Context(), alert.Stored(a)) }
