package verify

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// wordyKind returns a kind with a number of dimensions, of which the top values are kept.
func wordyKind(t *testing.T, words, top int) *catalog.Kind {
	t.Helper()
	kind := catalog.Kind{Name: tested.Kind, Subject: catalog.SubjectType{Name: tested.Subject.Type}}
	for i := range words {
		kind.Dimensions = append(kind.Dimensions, rollup.DimensionSpec{Name: fmt.Sprintf("word%d", i), Top: top})
	}
	made, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	return &made.Kinds[0]
}

// wordyEvent returns an event with one word in each dimension, some time after 14:00.
func wordyEvent(kind *catalog.Kind, after time.Duration, word string) model.Event {
	e := eventAt("2026-04-20T14:00:00Z", 1)
	e.At = e.At.Add(after)
	for _, d := range kind.Dimensions {
		e.Attrs = append(e.Attrs, model.Attr{Name: d.Name, Value: model.TextValue(word)})
	}
	e.Attrs.Sort()
	e.Hash = model.HashAttrs(e.Attrs)
	return e
}

// processedTable returns a table with the events and the rows that aggregate computes.
func processedTable(t *testing.T, kind *catalog.Kind, events ...model.Event) *memory.Table {
	t.Helper()
	f := newFixture(t, kind)
	f.process(events...)
	return f.Table
}

// A coarser row is folded from finer rows as they are stored: values that were dropped
// from those are not in it either.
func TestRecount_RowsOverTruncatedDimensionsAreEqual(t *testing.T) {
	kind := wordyKind(t, 1, 2)
	var events []model.Event
	// c is dropped in one hour, b in the other
	for i, word := range []string{"a", "a", "b", "b", "c", "b", "c", "c", "d", "d"} {
		events = append(events, wordyEvent(kind, time.Duration(i/5)*time.Hour+time.Duration(i)*time.Second, word))
	}
	counts, _ := recountAll(t, kind, processedTable(t, kind, events...), soon)
	if fmt.Sprint(counts) != fmt.Sprint(map[string]int{"hour equal": 2, "day equal": 1, "month equal": 1}) {
		t.Errorf("got %v, want all equal", counts)
	}
}

func TestRecount_RowOverTheSizeLimitIsEqual(t *testing.T) {
	kind := wordyKind(t, 10, 200)
	var events []model.Event
	for i := range 1 + rollup.MaxRowBytes/10/rollup.MaxDimensionValue {
		events = append(events,
			wordyEvent(kind, time.Duration(i)*time.Second, fmt.Sprintf("%*d", rollup.MaxDimensionValue, i)))
	}
	events = append(events, wordyEvent(kind, time.Hour, "short"))
	counts, findings := recountAll(t, kind, processedTable(t, kind, events...), soon)
	if fmt.Sprint(counts) != fmt.Sprint(map[string]int{"hour equal": 2, "day equal": 1, "month equal": 1}) {
		t.Errorf("got %v, want all equal", counts)
	}
	if findings[0].Exact || !findings[1].Exact {
		t.Errorf("the hours say exact: %t, %t; want the first inexact, the second exact", findings[0].Exact,
			findings[1].Exact)
	}
}

func TestRecount_RowWithoutSummaryThatWouldFitDiffers(t *testing.T) {
	kind := testKind(t)
	s := rightStub(kind, testEvents...)
	s.rows[tier.Hour][0].Fold = *s.rows[tier.Hour][0].WithoutSummary(kind.Spec())
	if counts, _ := recountAll(t, kind, s, soon); counts["hour differs"] != 1 {
		t.Errorf("got %v, want the hour without its summary to differ", counts)
	}
}
