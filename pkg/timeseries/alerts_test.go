package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// The tables that have alerts.
var (
	_ alert.Store = (*memory.Table)(nil)
	_ alert.Store = (*dynamo.Table)(nil)
)

// alarmed is a table with three devices: one is at 21, two are at 35.
func alarmed(t *testing.T) *timeseries.Events[Reading] {
	t.Helper()
	table := newTable()
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	for device, temperature := range map[string]string{"cellar": "21", "hall": "35", "roof": "35"} {
		_, err := readings.Append(t.Context(),
			Reading{Device: device, At: today.Add(-time.Minute), Temperature: number(temperature)})
		if err != nil {
			t.Fatal(err)
		}
	}
	fold(table, iot.Readings)
	return readings
}

func alertTexts(t *testing.T, all iter.Seq2[timeseries.Alert, error]) string {
	t.Helper()
	var texts []string
	for a, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, fmt.Sprint(a.Key.Subject, ": ", a.Message, ", ", a.Severity, ", ", a.Status))
	}
	return strings.Join(texts, "; ")
}

// A rule raises alerts of the events of the last hour, a change is another revision, and alerts end with
// their rule and stay as history.
func TestPutRule_RaisesAlertsThatEndWithTheRule(t *testing.T) {
	t.Parallel()
	ctx, readings := t.Context(), alarmed(t)
	hot := timeseries.Rule{Name: "hot", Measure: "temperature", Above: number("30"), ClearAbove: number("28"),
		Severity: timeseries.Critical, By: "ann"}
	stored, err := readings.PutRule(ctx, hot)
	if err != nil || stored.ID != "hot.1" || stored.From.IsZero() {
		t.Fatalf("%+v, %v", stored, err)
	}
	again, err := readings.PutRule(ctx, hot)
	if err != nil || again.ID != "hot.1" {
		t.Errorf("the same rule again is %s, %v", again.ID, err)
	}
	const raised = "temperature 35 above 30 until 28, critical, open"
	open := alertTexts(t, readings.OpenAlerts(ctx, ""))
	if open != "hall: "+raised+"; roof: "+raised && open != "roof: "+raised+"; hall: "+raised {
		t.Errorf("open alerts: %s", open)
	}
	if got := alertTexts(t, readings.OpenAlerts(ctx, timeseries.Info)); got != "" {
		t.Errorf("alerts for information: %s", got)
	}
	own, err := readings.PutRule(ctx, timeseries.Rule{Name: "cold", Subject: "cellar", Measure: "temperature",
		Below: number("22"), Stream: new("")})
	if err != nil || own.ID != "own.cold.1" || own.Severity != timeseries.Warning {
		t.Fatalf("%+v, %v", own, err)
	}
	if got, want := alertTexts(t, readings.Alerts(ctx, "cellar", timeseries.AlertFilter{})),
		"cellar: temperature 21 below 22, warning, open"; got != want {
		t.Errorf("alerts of the cellar: %s", got)
	}
	if rules, err := readings.Rules(ctx, "cellar"); err != nil || len(rules) != 1 || rules[0].ID != own.ID ||
		*rules[0].Stream != "" || rules[0].Below.Cmp(*number("22")) != 0 || rules[0].Above != nil {
		t.Errorf("rules of the cellar: %+v, %v", rules, err)
	}
	hot.Above = number("40")
	if changed, err := readings.PutRule(ctx, hot); err != nil || changed.ID != "hot.2" {
		t.Errorf("changed: %+v, %v", changed, err)
	}
	if got := alertTexts(t, readings.Alerts(ctx, "hall", timeseries.AlertFilter{Open: true})); got != "" {
		t.Errorf("open alerts of a hall that is not hot any more: %s", got)
	}
	if got, want := alertTexts(t, readings.Alerts(ctx, "hall", timeseries.AlertFilter{})),
		"hall: temperature 35 above 30 until 28, critical, resolved"; got != want {
		t.Errorf("history of the hall: %s, want %s", got, want)
	}
	if err := readings.DeleteRule(ctx, "cellar", "cold", "ann"); err != nil {
		t.Error(err)
	}
	if got := alertTexts(t, readings.OpenAlerts(ctx, "")); got != "" {
		t.Errorf("open alerts without a rule that they violate: %s", got)
	}
	if err := readings.DeleteRule(ctx, "cellar", "cold", "ann"); !errors.Is(err, timeseries.ErrNoRule) {
		t.Errorf("deleted again: %v", err)
	}
}

func TestPutRule_RejectsWhatCannotBeARule(t *testing.T) {
	t.Parallel()
	readings := alarmed(t)
	valid := timeseries.Rule{Name: "hot", Measure: "temperature", Above: number("30")}
	for field, change := range map[string]func(*timeseries.Rule){
		"name":     func(r *timeseries.Rule) { r.Name = "Too hot" },
		"measure":  func(r *timeseries.Rule) { r.Measure = "temprature" },
		"bounds":   func(r *timeseries.Rule) { r.Above = nil },
		"severity": func(r *timeseries.Rule) { r.Severity = "urgent" },
		"test":     func(r *timeseries.Rule) { r.Test = "mean" },
	} {
		rule := valid
		change(&rule)
		_, err := readings.PutRule(t.Context(), rule)
		var fields model.FieldErrors
		if !errors.Is(err, timeseries.ErrRejected) || !errors.As(err, &fields) || fields[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if rules, err := readings.Rules(t.Context(), ""); err != nil || len(rules) > 0 {
		t.Errorf("%d rules were stored, %v", len(rules), err)
	}
}

// Kinds of one subject type share the names of rules.
func TestRules_AKindLeavesTheRulesOfAnotherAlone(t *testing.T) {
	t.Parallel()
	ctx, table := t.Context(), newTable()
	other := iot.Readings
	other.Name, other.Path = "METER", "meters"
	var kinds []*timeseries.Events[Reading]
	for _, k := range []catalog.Kind{iot.Readings, other} {
		events, err := timeseries.Open[Reading](table, k, &timeseries.Options{Now: clock})
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, events)
	}
	hot := timeseries.Rule{Name: "hot", Measure: "temperature", Above: number("30")}
	if _, err := kinds[0].PutRule(ctx, hot); err != nil {
		t.Fatal(err)
	}
	if _, err := kinds[1].PutRule(ctx, hot); !errors.Is(err, timeseries.ErrRejected) {
		t.Errorf("the same name of another kind: %v, want ErrRejected", err)
	}
	if err := kinds[1].DeleteRule(ctx, "", "hot", "ann"); !errors.Is(err, timeseries.ErrNoRule) {
		t.Errorf("removed as a rule of another kind: %v, want ErrNoRule", err)
	}
	if rules, err := kinds[0].Rules(ctx, ""); err != nil || len(rules) != 1 || rules[0].ID != "hot.1" {
		t.Errorf("rules %+v, %v; want hot.1", rules, err)
	}
}

// Rules and alerts pass the guard of reads and changes.
func TestAlerts_RefuseAKindThatDoesNotFitTheTable(t *testing.T) {
	t.Parallel()
	table := applied(t, func(k *catalog.Kind) { k.Name, k.Path = "OTHER", "others" })
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	_, put := readings.PutRule(ctx, timeseries.Rule{Name: "hot", Measure: "temperature", Above: number("30")})
	_, list := readings.Rules(ctx, "")
	all := map[string]error{"PutRule": put, "Rules": list,
		"DeleteRule": readings.DeleteRule(ctx, "", "hot", "ann")}
	for _, err := range readings.Alerts(ctx, "hall", timeseries.AlertFilter{}) {
		all["Alerts"] = err
	}
	for _, err := range readings.OpenAlerts(ctx, "") {
		all["OpenAlerts"] = err
	}
	for _, name := range []string{"PutRule", "Rules", "DeleteRule", "Alerts", "OpenAlerts"} {
		if !errors.Is(all[name], timeseries.ErrTableConfig) {
			t.Errorf("%s: %v, want ErrTableConfig", name, all[name])
		}
	}
}

// Rules test events by their times, so that one of a kind without them would never raise an alert.
func TestPutRule_OfAKindWithoutEventTimes(t *testing.T) {
	t.Parallel()
	type score struct {
		Player string `tide:"subject"`
		Points int    `tide:"order"`
		Level  int    `tide:"measure"`
	}
	scores := open[score](t, newTable(), catalog.Kind{Name: "SCORE",
		Subject: catalog.SubjectType{Name: "PLAYER"}})
	_, err := scores.PutRule(context.Background(),
		timeseries.Rule{Name: "high", Measure: "level", Above: number("3")})
	if !errors.Is(err, timeseries.ErrRejected) || !strings.Contains(err.Error(), "ordered by points") {
		t.Errorf("%v; want ErrRejected that says why", err)
	}
}
