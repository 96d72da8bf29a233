package timeseries_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type task struct {
	Owner string    `tide:"subject"`
	At    time.Time `tide:"time"`
	Due   time.Time `tide:"field"`
	Place string    `tide:"field"`
	Done  bool      `tide:"field"`
	Cost  float64   `tide:"measure"`
	Team  string    `tide:"enrichment"`
}

func tasks(t *testing.T) *timeseries.Events[task] {
	t.Helper()
	kind := catalog.Kind{Name: "TASK", Subject: catalog.SubjectType{Name: "OWNER"}}
	events, err := timeseries.Open[task](newTable(), kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestWhere_TimesOfFieldsCompareAsTimes(t *testing.T) {
	t.Parallel()
	events, key := tasks(t), timeseries.Key{Subject: "ann"}
	half := today.Add(500 * time.Millisecond)
	if _, err := events.Append(t.Context(), task{Owner: "ann", At: today, Due: half}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		op    model.Op
		value time.Time
		want  int64
	}{
		{model.Greater, today, 1}, {model.Less, today, 0},
		{model.Less, today.Add(time.Second), 1}, {model.Equal, half, 1},
		{model.Equal, half.In(time.FixedZone("east", 3600)), 1}, {model.AtMost, half.Add(-time.Nanosecond), 0},
	} {
		if n, err := events.Count(t.Context(), key, timeseries.Where("due", c.op, c.value)); err != nil ||
			n.Events != c.want {
			t.Errorf("due %s %s: %d, %v; want %d", c.op, c.value, n.Events, err, c.want)
		}
	}
	_, err := events.Append(t.Context(), task{Owner: "ann", At: today.Add(time.Second)},
		timeseries.If("due", model.Less, today))
	if !errors.Is(err, timeseries.ErrConflict) {
		t.Errorf("append if it is due before: %v, want %v", err, timeseries.ErrConflict)
	}
	latest, err := events.Latest(t.Context(), key)
	if err != nil || !latest.Due.Equal(half) {
		t.Errorf("latest %+v, %v; want due at %s", latest, err, half)
	}
}

// A value that the field cannot hold is an error, and never a comparison that silently fails.
func TestConditions_RefuseValuesOfAnotherTypeThanTheField(t *testing.T) {
	t.Parallel()
	events, key := tasks(t), timeseries.Key{Subject: "ann"}
	for _, c := range []struct {
		field string
		op    model.Op
		value any
	}{
		{"place", model.Equal, 3}, {"place", model.Equal, nil},
		{"place", model.NotEqual, nil}, {"place", model.Equal, true},
		{"done", model.Equal, "true"}, {"done", model.Equal, 1},
		{"cost", model.Equal, "3"}, {"cost", model.Begins, "1"},
		{"cost", model.Equal, today}, {"due", model.Equal, "today"},
		{"due", model.Greater, 3}, {"done", model.Begins, "t"},
		{"cost", model.Equal, model.TextValue("3")},
	} {
		if _, err := events.Count(t.Context(), key, timeseries.Where(c.field, c.op, c.value)); !errors.Is(err,
			model.ErrCondition) {
			t.Errorf("where %s %s %v: %v, want %v", c.field, c.op, c.value, err, model.ErrCondition)
		}
		if _, err := events.Append(t.Context(), task{Owner: "ann", At: today},
			timeseries.If(c.field, c.op, c.value)); !errors.Is(err, model.ErrCondition) {
			t.Errorf("if %s %s %v: %v, want %v", c.field, c.op, c.value, err, model.ErrCondition)
		}
	}
	if _, err := events.Enrich(t.Context(), key, map[string]any{"team": 7}); !errors.Is(err,
		timeseries.ErrRejected) {
		t.Errorf("a number as the text of an enrichment: %v, want %v", err, timeseries.ErrRejected)
	}
	if n, err := events.Count(t.Context(), key); err != nil || n.Events != 0 {
		t.Errorf("%d events, %v; want none", n.Events, err)
	}
}

// Values that earlier releases stored are read.
func TestTimesOfFields_OldFormIsRead(t *testing.T) {
	t.Parallel()
	store := newTable()
	type text struct {
		Owner string    `tide:"subject"`
		At    time.Time `tide:"time"`
		Due   string    `tide:"field"`
	}
	kind := catalog.Kind{Name: "TASK", Subject: catalog.SubjectType{Name: "OWNER"}}
	old, err := timeseries.Open[text](store, kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Append(t.Context(), text{Owner: "ann", At: today,
		Due: today.Add(500 * time.Millisecond).Format(time.RFC3339Nano)}); err != nil {
		t.Fatal(err)
	}
	events, err := timeseries.Open[task](store, kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	latest, err := events.Latest(t.Context(), timeseries.Key{Subject: "ann"})
	if err != nil || !latest.Due.Equal(today.Add(500*time.Millisecond)) {
		t.Errorf("latest %+v, %v", latest, err)
	}
}
