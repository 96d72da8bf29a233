package alert_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A subscriber that acts on "Alert raised" is not notified of a violation that is over.
func TestEvaluate_NotificationOfAPassedViolationSaysSo(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(1, 31)
	r.append(2, 20)
	r.append(3, 32)
	var got []string
	for _, n := range r.evaluate().Notifications {
		got = append(got, n.Change.DetailType()+", "+string(n.Alert.Status()))
	}
	want := []string{"Alert raised and recovered, resolved", "Alert raised, open"} // sorted
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("notifications are %q, want %q", got, want)
	}
}

func TestMostSevere_ListsTheAlertsOfAllSeverities(t *testing.T) {
	r := newFixture(t)
	for _, severity := range []storage.Severity{storage.Info, storage.Critical, storage.Warning} {
		rule := hotRule()
		rule.Name, rule.Severity = string(severity), severity
		r.mustAddRule(rule)
	}
	r.append(1, 31)
	r.evaluate()
	list := func(only storage.Severity) (got []storage.Severity) {
		for a, err := range r.MostSevere(t.Context(), only) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, a.Severity)
		}
		return got
	}
	if got := list(""); !slices.Equal(got, storage.Severities()) {
		t.Errorf("listed %v, want %v", got, storage.Severities())
	}
	if got := list(storage.Warning); !slices.Equal(got, []storage.Severity{storage.Warning}) {
		t.Errorf("listed %v, want warning alone", got)
	}
}

func TestMostSevere_ReturnsTheErrorOfTheStore(t *testing.T) {
	r := newFixture(t)
	failure := errors.New("no table")
	r.Store = failingList{r.Store, failure}
	n := 0
	for _, err := range r.MostSevere(t.Context(), "") {
		if n++; !errors.Is(err, failure) {
			t.Errorf("error %v, want %v", err, failure)
		}
	}
	if _, err := r.KnowsMeasure(t.Context(), storage.Rule{SubjectType: "DEVICE", Subject: sensor.ID,
		Kind: "READING", Measure: "pressure"}); n != 1 || !errors.Is(err, failure) {
		t.Errorf("%d errors listed, then %v", n, err)
	}
}

type failingList struct {
	alert.Store
	err error
}

func (f failingList) List(context.Context, itemop.ListRequest) (itemop.ListPage, error) {
	return itemop.ListPage{}, f.err
}

func TestKnowsMeasure(t *testing.T) {
	r := newFixture(t)
	kind, _ := r.Catalog.Kind("READING")
	service := &ingest.Service{Store: r.table, Limits: config.Default().Limits,
		Now: func() model.Time { return r.now }, Rand: rand.Reader}
	if _, err := service.AppendEvents(t.Context(), kind,
		[]ingest.TypedObservation{{Subject: sensor.ID, At: r.now, Attrs: model.Attrs{
			{Name: "pressure", Value: model.NumberValue(*decimal("1013"))}, {Name: "place", Value: model.TextValue("hall")},
		}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*storage.Rule)
		want   bool
	}{
		{func(*storage.Rule) {}, true},
		{func(rule *storage.Rule) { rule.Measure = "temprature" }, false},
		{func(rule *storage.Rule) { rule.Measure, rule.Subject = "temprature", sensor.ID }, false},
		{func(rule *storage.Rule) { rule.Measure, rule.Subject = "pressure", sensor.ID }, true},
		{func(rule *storage.Rule) { rule.Measure, rule.Subject = "pressure", "other" }, false},
		{func(rule *storage.Rule) { rule.Measure, rule.Subject = "place", sensor.ID }, false},
	} {
		rule := hotRule()
		c.change(&rule)
		if got, err := r.KnowsMeasure(t.Context(), rule); err != nil || got != c.want {
			t.Errorf("%s of %q is known: %t, %v, want %t", rule.Measure, rule.Subject, got, err, c.want)
		}
	}
}
