package alert_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// known is a table stream that is processed through a time.
type known struct{ through *model.Time }

func (k known) StreamState(context.Context) (storage.StreamState, error) {
	return storage.StreamState{Progress: *k.through}, nil
}

func (k known) Sweeps(context.Context) (storage.LowWatermarks, error) {
	return storage.LowWatermarks{}, nil
}

// newQuiet returns a table with a rule of silence of 30 minutes. through is the progress of its table stream.
func newQuiet(t *testing.T) (r *fixture, through *model.Time) {
	r, through = newFixture(t), new(model.Time)
	r.Stream = known{through}
	r.mustAddRule(storage.Rule{
		Name: "offline", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Test: storage.TestSilence, For: times.Span(30 * time.Minute), Severity: storage.Warning,
	})
	return r, through
}

// sendAt stores an event some minutes after the clock's time at the start, and lists its series.
func (r *fixture) sendAt(minutes int) model.EventKey {
	r.Helper()
	key := r.append(60*minutes, 20)
	hour := tier.Hour.BucketAt(key.Order.At).Start
	listed := storage.ListedSeries{Series: key.Series, First: hour, Last: hour}
	if err := r.table.PutItem(r.Context(), item.FromListedSeries(listed)); err != nil {
		r.Fatal(err)
	}
	return key
}

func (r *fixture) findSilentAt(at model.Time, through *model.Time) {
	r.Helper()
	*through = at
	if err := r.FindSilent(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func TestFindSilent_RaisesOneAlertForASilenceAndAnEventEndsIt(t *testing.T) {
	r, through := newQuiet(t)
	start := r.now
	r.sendAt(0)
	r.evaluate()
	r.findSilentAt(start.Add(29*time.Minute), through)
	r.wantAlerts()
	r.now = start.Add(2 * time.Hour)
	r.findSilentAt(start.Add(29*time.Minute), through) // the clock is ahead, the table stream is behind
	r.wantAlerts()
	for range 3 {
		r.findSilentAt(start.Add(30*time.Minute), through)
		r.wantAlerts("open 1800")
	}
	r.now = start
	r.sendAt(47)
	r.evaluate()
	if a := r.wantAlerts("resolved 1800"); a[0].Recovered.Value.String() != "2820" ||
		a[0].Message() != "silent for 30m" {
		t.Errorf("alert %+v", a[0])
	}
	r.now = start.Add(3 * time.Hour)
	r.findSilentAt(start.Add(76*time.Minute), through)
	r.wantAlerts("resolved 1800")
	r.findSilentAt(start.Add(90*time.Minute), through)
	r.wantAlerts("resolved 1800", "open 1800")
}

func TestEvaluate_ALateEventThatFillsASilenceWithdrawsIt(t *testing.T) {
	r, _ := newQuiet(t)
	r.sendAt(0)
	r.sendAt(40)
	r.evaluate()
	r.wantAlerts("resolved 1800")
	r.sendAt(20)
	r.evaluate()
	a := r.wantAlerts("withdrawn 1800")
	if want := "an event was stored that ends the silence before its duration"; a[0].Withdrawn != want {
		t.Errorf("withdrawn because %q, want %q", a[0].Withdrawn, want)
	}
}

func TestEvaluate_ADeletionJoinsTwoSpans(t *testing.T) {
	r, _ := newQuiet(t)
	r.sendAt(0)
	middle := r.sendAt(20)
	r.sendAt(40)
	r.evaluate()
	r.wantAlerts()
	r.delete(middle)
	r.evaluate()
	r.wantAlerts("resolved 1800")
}

// A series that cannot be silent yet is not read again before.
func TestFindSilent_RemembersWhenASeriesIsDue(t *testing.T) {
	r, through := newQuiet(t)
	start := r.now
	r.now = start.Add(2 * time.Hour)
	r.now = start
	r.sendAt(59)
	r.now = start.Add(3 * time.Hour)
	r.findSilentAt(start.Add(88*time.Minute), through)
	before := r.requests["Latest"]
	for i := range 60 {
		r.findSilentAt(start.Add(88*time.Minute).Add(time.Duration(i)*time.Second), through)
	}
	if n := r.requests["Latest"] - before; n > 1 {
		t.Errorf("%d reads of a series that is not due, want at most 1", n)
	}
	r.findSilentAt(start.Add(89*time.Minute), through)
	r.wantAlerts("open 1800")
}

// The list of series keeps the hour of an event that was deleted. The silence began with the event before,
// and its alert waits neither for the end of that hour nor for the time at which the deleted event was due.
func TestFindSilent_ADeletedNewestEventPutsOffNoAlert(t *testing.T) {
	for name, minute := range map[string]struct{ left, deleted, checked, raised int }{
		"in a later hour":                {left: 45, deleted: 65, checked: 70, raised: 75},
		"in the same hour, after a look": {left: 2, deleted: 31, checked: 31, raised: 36},
	} {
		r, through := newQuiet(t)
		start := r.now
		left := r.sendAt(minute.left)
		r.now = start.Add(20 * time.Minute)
		deleted := r.sendAt(minute.deleted - 20)
		r.evaluate()
		r.now = start.Add(2 * time.Hour)
		after := func(minutes int) model.Time { return start.Add(time.Duration(minutes) * time.Minute) }
		r.findSilentAt(after(minute.checked), through)
		r.delete(deleted)
		r.evaluate()
		first, last := tier.Hour.BucketAt(left.Order.At).Start, tier.Hour.BucketAt(deleted.Order.At).Start
		listed := storage.ListedSeries{Series: left.Series, First: first, Last: last, Removed: last}
		latest := model.Latest{Series: left.Series, Ordered: true, Order: left.Order} // follows the deletion
		for _, it := range []item.Item{item.FromListedSeries(listed), item.FromLatest(&latest)} {
			if err := r.table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
		t.Log(name)
		r.findSilentAt(after(minute.raised-1), through)
		r.wantAlerts()
		r.findSilentAt(after(minute.raised), through)
		r.wantAlerts("open 1800")
	}
}

func TestAddRule_ASilenceHasADurationAndNoMeasure(t *testing.T) {
	r := newFixture(t)
	for name, edit := range map[string]func(*storage.Rule){
		"no duration": func(r *storage.Rule) { r.For = 0 },
		"a measure":   func(r *storage.Rule) { r.Measure = "temperature" },
		"a subject":   func(r *storage.Rule) { r.Subject = "sensor_01" },
	} {
		rule := storage.Rule{
			Name: "offline", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
			Test: storage.TestSilence, For: times.Span(30 * time.Minute), Severity: storage.Warning,
		}
		edit(&rule)
		if _, wrong, err := r.AddRule(t.Context(), rule); err != nil || len(wrong) == 0 {
			t.Errorf("%s: %v, %v; want an error", name, wrong, err)
		}
	}
}

// What is too much for one call is left to the next ones, which begin where it ended.
func TestFindSilent_ComesToEverySeries(t *testing.T) {
	r, through := newQuiet(t)
	r.SetMaxSilent(3)
	start, subjects := r.now, []model.Subject{}
	kind, _ := r.Catalog.Kind("READING")
	service := &ingest.Service{
		Store: r.table, Limits: config.Default().Limits, Rand: rand.Reader,
		Now: func() model.Time { return start },
	}
	for i := range 20 {
		subjects = append(subjects, model.Subject{Type: "DEVICE", ID: fmt.Sprint("d", i)})
		sent := []ingest.TypedObservation{{Subject: subjects[i].ID, At: start}}
		if _, err := service.AppendEvents(t.Context(), kind, sent); err != nil {
			t.Fatal(err)
		}
		series := kind.Series(subjects[i].ID, "", model.Order{})
		listed := storage.ListedSeries{Series: series, First: start, Last: start}
		if err := r.table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
	}
	r.now = start.Add(tier.Day24)
	for i := range model.Time(10) { // each time, what was found may be silent again
		r.findSilentAt(start.Add(time.Hour)+i*model.Time((2*time.Hour).Milliseconds()), through)
	}
	for _, s := range subjects {
		page, err := r.ListBySubject(t.Context(), s, alert.Filter{}, alert.Cursor{}, 0)
		if err != nil || len(page.Alerts) != 1 {
			t.Errorf("%s: %d alerts, %v; want 1", s, len(page.Alerts), err)
		}
	}
}
