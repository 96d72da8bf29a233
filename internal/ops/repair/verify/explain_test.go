package verify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// arrivals returns events of one hour that arrived one minute apart.
func arrivals(n int) []model.Event {
	all := make([]model.Event, n)
	for i := range all {
		all[i] = eventAt(fmt.Sprintf("2026-04-20T14:%02d:00Z", i), int64(i))
		all[i].ID, all[i].ArrivedAt = fmt.Sprint(i), eventAt(soon, 0).At.Add(time.Duration(i)*time.Minute)
	}
	return all
}

// rowOfEvents returns the row of events, written at a time.
func rowOfEvents(t *testing.T, written model.Time, events ...model.Event) *rollup.Row {
	fold := rollup.NewFold(testKind(t).Spec())
	for i := range events {
		fold.AddEvent(&events[i])
	}
	return &rollup.Row{Fold: *fold, WrittenAt: written}
}

func TestExplainDifference_NamesConsecutiveArrivalsAndAnyTwoEvents(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		events := arrivals(rapid.IntRange(3, 12).Draw(r, "events"))
		missing := map[int]bool{}
		first := rapid.IntRange(0, len(events)-1).Draw(r, "first")
		if rapid.Bool().Draw(r, "consecutive") {
			for i := first; i < len(events) && i < first+rapid.IntRange(1, 4).Draw(r, "count"); i++ {
				missing[i] = true
			}
		} else {
			missing[first] = true
			missing[rapid.IntRange(0, len(events)-1).Draw(r, "other")] = true
		}
		var has, lacks []model.Event
		for i, e := range events {
			if missing[i] {
				lacks = append(lacks, e)
			} else {
				has = append(has, e)
			}
		}
		row := rowOfEvents(t, eventAt(soon, 0).At.Add(time.Hour), has...)
		if got, want := explainDifference(row, events), "not in the row: "+eventNames(lacks); got != want {
			t.Errorf("without %v: got %s\nwant %s", missing, got, want)
		}
	})
}

func TestExplainDifference_SaysWhatItCanOfOtherDifferences(t *testing.T) {
	events := arrivals(8)
	early, late := eventAt(soon, 0).At.Add(-time.Hour), eventAt(soon, 0).At.Add(time.Hour)
	changed := append([]model.Event{eventAt("2026-04-20T14:00:00Z", 77)}, events[1:]...)
	for name, c := range map[string]struct {
		row  *rollup.Row
		want string
	}{
		"no row":                      {nil, "its events: 2026-04-20T14:00:00.000Z id 0"},
		"other numbers":               {rowOfEvents(t, late, events...), "it was edited, or written by another version, or by fields that are not declared any more"},
		"an event corrected since":    {rowOfEvents(t, late, changed...), "corrected or deleted since"},
		"written before they arrived": {rowOfEvents(t, early, eventAt("2026-04-20T14:59:00Z", 1)), "arrived after the row was written"},
		"a damaged row":               {&rollup.Row{}, ""},
	} {
		if got := explainDifference(c.row, append([]model.Event(nil), events...)); !strings.Contains(got, c.want) ||
			(c.want == "") != (got == "") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
