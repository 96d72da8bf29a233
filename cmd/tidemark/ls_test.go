package main

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestNumbers_AreTheMeasuresOfAnItem(t *testing.T) {
	number := model.NumberValue(model.MustDecimal("1"))
	attrs := model.Attrs{
		{Name: "Temperature", Value: number}, {Name: "humidity", Value: model.TextValue("wet")},
		{Name: "note", Value: model.TextValue("x")}, {Name: "temp", Value: number},
	}
	if got, want := numbers(&iot.Readings, attrs),
		[]string{"Temperature", "humidity", "temp"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A series shows the measures that were seen, not the measures of the entry before it: profiles have no
// series.
func TestSetMeasures_FollowsTheEntries(t *testing.T) {
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(id, kind, stream string) storage.ListedSeries {
		return storage.ListedSeries{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Kind: kind,
			Stream: stream}}
	}
	list := views.NewListedSubjects(query.SeriesPage{Series: []storage.ListedSeries{
		entry("a", "", ""), entry("a", "READING", ""), entry("b", "READING", ""), entry("b", "READING", "s"),
	}}, kinds, query.Progress{})
	list.SetMeasures([][]string{nil, {"temp"}, nil, {}})
	declared := list.Subjects[1].Series[0].Measures
	if got := list.Subjects[0].Series[0].Measures; !slices.Equal(got, []string{"temp"}) {
		t.Errorf("a: got %v, want temp", got)
	}
	if !slices.Contains(declared, "temperature") {
		t.Errorf("b, of which nothing is known: got %v, want the declared measures", declared)
	}
	if got := list.Subjects[1].Series[1].Measures; len(got) != 0 {
		t.Errorf("b/s, which has no number: got %v", got)
	}
}
