package printing_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// testNow is the time in these tests: 2026-04-20T14:30:00Z.
const testNow = model.Time(1_776_695_400_000)

func TestHistory_HasAColumnForEachField(t *testing.T) {
	number := func(text string) model.Value { return model.NumberValue(model.MustDecimal(text)) }
	events := []model.Event{
		{Order: model.Order{At: testNow}, Attrs: model.Attrs{{Name: "temperature", Value: number("22.4")}}},
		{Order: model.Order{At: testNow - 1000, ID: "b"}, Attrs: model.Attrs{{Name: "location", Value: model.TextValue("here")}, {Name: "temperature", Value: model.Value{}}}},
		{Order: model.Order{At: testNow - 2000}, Unreadable: true},
	}
	var out strings.Builder
	units := printing.Units{"temperature": "°C", "location": ""}
	if err := (printing.Times{}).History(&out, events, units); err != nil {
		t.Fatal(err)
	}
	want := `TIME                      ID  location             temperature (°C)
2026-04-20T14:30:00.000Z                                       22.4
2026-04-20T14:29:59.000Z  b   here                             null
2026-04-20T14:29:58.000Z      (cannot be decoded)
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestRollups_AreShownInATable(t *testing.T) {
	spec := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true}}}
	rollupOf := func(hour int, value model.Value) query.Rollup {
		bucket, fold := tier.Hour.BucketAt(testNow+model.Time(hour)*3_600_000), rollup.NewFold(spec)
		fold.AddEvent(&model.Event{Order: model.Order{At: bucket.Start},
			Attrs: model.Attrs{{Name: "value", Value: value}}})
		return query.Rollup{Bucket: bucket, Fold: *fold}
	}
	found := []query.Rollup{
		rollupOf(0, model.NumberValue(model.MustDecimal("1"))),
		rollupOf(2, model.NumberValue(model.MustDecimal("3.5"))),
		rollupOf(3, model.TextValue("NaN")),
	}
	found[1].Exact, found[2].Open = false, true
	found[2].Unreadable = 2
	var table strings.Builder
	if err := (printing.Times{}).Rollups(&table, found, "value", printing.Units{"value": "kWh"}); err != nil {
		t.Fatal(err)
	}
	want := `BUCKET         MEASURE      COUNT  INVALID  MIN  AVG  MAX  STDDEV  P95  NOTE
2026-04-20-14  value (kWh)      1        0    1    1    1       0    1
2026-04-20-16  value (kWh)      1        0  3.5  3.5  3.5       0  3.5  inexact
2026-04-20-17  value (kWh)      0        1                              open, 2 unreadable
`
	if table.String() != want {
		t.Errorf("got\n%s\nwant\n%s", table.String(), want)
	}
	table.Reset()
	if err := (printing.Times{}).Rollups(&table, found, "wind", nil); err != nil {
		t.Fatal(err)
	}
	want = `BUCKET         MEASURE  COUNT  INVALID  MIN  AVG  MAX  STDDEV  P95  NOTE
2026-04-20-14                                                       1 event without wind
2026-04-20-16                                                       1 event without wind, inexact
2026-04-20-17                                                       1 event without wind, open, 2 unreadable
`
	if table.String() != want {
		t.Errorf("of a measure without values: got\n%s\nwant\n%s", table.String(), want)
	}
}

// A bucket whose events have no number, or cannot be decoded, is not left out: it looked like one without
// events.
func TestRollups_ShowBucketsWithoutAMeasure(t *testing.T) {
	texts, lost := rollup.NewFold(&rollup.Spec{}), rollup.NewFold(&rollup.Spec{})
	for range 2 {
		texts.AddEvent(&model.Event{Attrs: model.Attrs{{Name: "note", Value: model.TextValue("x")}}})
	}
	lost.AddEvent(&model.Event{Unreadable: true})
	lost.Exact = false
	found := []query.Rollup{{Bucket: tier.Hour.BucketAt(testNow), Fold: *texts},
		{Bucket: tier.Hour.BucketAt(testNow + 3_600_000), Fold: *lost}}
	var table strings.Builder
	if err := (printing.Times{}).Rollups(&table, found, "", nil); err != nil {
		t.Fatal(err)
	}
	want := `BUCKET         MEASURE  COUNT  INVALID  MIN  AVG  MAX  STDDEV  P95  NOTE
2026-04-20-14                                                       2 events without a number
2026-04-20-15                                                       inexact, 1 unreadable
`
	if table.String() != want {
		t.Errorf("got\n%s\nwant\n%s", table.String(), want)
	}
}
