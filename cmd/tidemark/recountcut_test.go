package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// wordyKind counts so many fields by value, and keeps top values of each.
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

// wordyEvent says one word in each dimension, some time after two o'clock.
func wordyEvent(kind *catalog.Kind, after time.Duration, word string) model.Event {
	e := eventAt("2026-04-20T14:00:00Z", 1)
	e.At = e.At.Add(after)
	for _, d := range kind.Dimensions {
		e.Attrs = append(e.Attrs, model.Attr{Name: d.Name, Value: model.TextValue(word)})
	}
	e.Attrs.Sort()
	e.Hash = model.HashOf(e.Attrs)
	return e
}

// settledTable has the events, and the rows that aggregate makes of them.
func settledTable(t *testing.T, kind *catalog.Kind, events ...model.Event) *memory.Table {
	t.Helper()
	clock := func() model.Time { return eventAt(soon, 0).At }
	table := memory.New(clock)
	kinds, err := catalog.New(*kind)
	if err != nil {
		t.Fatal(err)
	}
	var changes []model.Change
	for _, e := range events {
		if reply, err := table.Put(t.Context(), e); err != nil || reply.Answer != model.Written {
			t.Fatal(reply.Answer, err)
		}
		changes = append(changes, model.Change{What: model.Inserted, Key: e.Key()})
	}
	agg := &aggregate.Aggregator{Store: table, Quarantine: table, Catalog: kinds, Now: clock, Rand: rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	if report := agg.Settle(t.Context(), changes); len(report.Failures) > 0 {
		t.Fatal(report.Failures[0].Err)
	}
	return table
}

// A coarser row is folded from finer ones as they are stored: the values that are cut
// there are not in it either.
func TestRecount_RowsOverDimensionsThatWereCutAreEqual(t *testing.T) {
	kind := wordyKind(t, 1, 2)
	var events []model.Event
	for i, word := range []string{"a", "a", "b", "b", "c", "b", "c", "c", "d", "d"} { // c is cut in one hour, b in the other
		events = append(events, wordyEvent(kind, time.Duration(i/5)*time.Hour+time.Duration(i)*time.Second, word))
	}
	counts, _ := judgeAll(t, kind, settledTable(t, kind, events...), soon)
	if fmt.Sprint(counts) != fmt.Sprint(map[string]int{"hour equal": 2, "day equal": 1, "month equal": 1}) {
		t.Errorf("judged %v, want all equal", counts)
	}
}

func TestRecount_ARowTooLargeToBeWholeIsEqual(t *testing.T) {
	kind := wordyKind(t, 10, 200)
	var events []model.Event
	for i := range 1 + rollup.MaxRowBytes/10/rollup.MaxDimensionValue {
		events = append(events, wordyEvent(kind, time.Duration(i)*time.Second, fmt.Sprintf("%*d", rollup.MaxDimensionValue, i)))
	}
	events = append(events, wordyEvent(kind, time.Hour, "short"))
	counts, findings := judgeAll(t, kind, settledTable(t, kind, events...), soon)
	if fmt.Sprint(counts) != fmt.Sprint(map[string]int{"hour equal": 2, "day equal": 1, "month equal": 1}) {
		t.Errorf("judged %v, want all equal", counts)
	}
	if findings[0].exact || !findings[1].exact {
		t.Errorf("the hours say exact: %t, %t; want the first cut, the second whole", findings[0].exact, findings[1].exact)
	}
}

func TestRecount_ARowThatWouldFitAndIsCutDiffers(t *testing.T) {
	kind := testKind(t)
	s := rightShelf(kind, testEvents...)
	s.rows[tier.Hour][0].Fold = *s.rows[tier.Hour][0].WithoutSummary(kind.Spec())
	if counts, _ := judgeAll(t, kind, s, soon); counts["hour differs"] != 1 {
		t.Errorf("judged %v, want the hour without its summary to differ", counts)
	}
}
