package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestSubjectArgument_IsReadOneWay(t *testing.T) {
	shipped, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kinds      *catalog.Catalog
		text, want string
	}{
		{shipped, "devices/sensor_01", "DEVICE/sensor_01"},
		{shipped, "DEVICE/sensor_01", "DEVICE/sensor_01"},
		{shipped, "sites/a/b", "SITE/a/b"},
		{alone, "sensor_01", "DEVICE/sensor_01"},
		{shipped, "sensor_01", ""}, // of which of the two types?
		{shipped, "ships/sensor_01", ""},
		{alone, "ships/sensor_01", ""},
		{alone, "devices/", ""},
		{alone, "", ""},
	} {
		got, err := findSubject(c.text, c.kinds)
		switch {
		case c.want == "" && exitStatus(err) != exitUsage:
			t.Errorf("%q: %v, %v; want a mistake of usage", c.text, got, err)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("%q: %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func TestRange_TakesTimesAsPeopleTypeThem(t *testing.T) {
	for text, want := range map[string]string{
		"2026-04-20":                "2026-04-20T00:00:00.000Z",
		"2026-04-20T14:00:00+02:00": "2026-04-20T12:00:00.000Z",
		"1776643200":                "2026-04-20T00:00:00.000Z",
	} {
		if got, err := parseWhen("from", text, 0); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	if _, err := parseWhen("from", "yesterday", 0); exitStatus(err) != exitUsage || !strings.Contains(err.Error(), "--from") {
		t.Errorf("yesterday: %v, want a mistake of usage that names the flag", err)
	}
}

func TestGrid_AlignsAndKeepsTheTerminalSafe(t *testing.T) {
	var out strings.Builder
	g := newGrid(&out, 1)
	g.add("NAME", "N")
	g.add("größe", "7")
	g.add("x\x1b[31m\n", "100")
	if err := g.print(&out); err != nil {
		t.Fatal(err)
	}
	if want := "NAME       N\ngröße      7\nx·[31m·  100\n"; out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
}

func TestHistory_AColumnForEachField(t *testing.T) {
	number := func(text string) model.Value { return model.NumberValue(model.MustDecimal(text)) }
	events := []model.Event{
		{Order: model.Order{At: exportNow}, Attrs: model.Attrs{{Name: "temperature", Value: number("22.4")}}},
		{Order: model.Order{At: exportNow - 1000, ID: "b"}, Attrs: model.Attrs{{Name: "location", Value: model.TextValue("here")}, {Name: "temperature", Value: model.Value{}}}},
		{Order: model.Order{At: exportNow - 2000}, Unreadable: true},
	}
	var out strings.Builder
	if err := printHistory(&out, events); err != nil {
		t.Fatal(err)
	}
	want := `TIME                      ID  location             temperature
2026-04-20T14:30:00.000Z                                  22.4
2026-04-20T14:29:59.000Z  b   here                        null
2026-04-20T14:29:58.000Z      (cannot be decoded)
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// hoursOf is a rollup for each value, an hour apart by its place; "" leaves a gap.
func hoursOf(t *testing.T, values ...string) (found []query.Rollup) {
	t.Helper()
	_, kind := readingsOf(t, nil)
	for i, v := range values {
		if v == "" {
			continue
		}
		bucket := tier.Hour.BucketOf(exportNow + model.Time(i)*3_600_000)
		row := aRow(kind, device("a", "", 0), tier.Hour, bucket.Start.String(), "value", v)
		found = append(found, query.Rollup{Bucket: bucket, Fold: row.Fold})
	}
	return found
}

func TestPlot_IsTrueToTimeAndWeight(t *testing.T) {
	for name, c := range map[string]struct {
		values  []string
		columns int
		want    []float64
	}{
		"a point a bucket":      {[]string{"1", "2", "3"}, 80, []float64{1, 2, 3}},
		"a gap stays a gap":     {[]string{"1", "", "3"}, 80, []float64{1, math.NaN(), 3}},
		"no value is a gap":     {[]string{"1", "NaN", "3"}, 80, []float64{1, math.NaN(), 3}},
		"several to a point":    {[]string{"1", "3", "5", "7"}, 2, []float64{2, 6}},
		"a gap within a point":  {[]string{"1", "", "5", "7"}, 2, []float64{1, 6}},
		"one bucket, one point": {[]string{"4"}, 80, []float64{4}},
		"nothing":               {nil, 80, nil},
	} {
		got := bandOf(hoursOf(t, c.values...), "value", c.columns).avg
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] && !(math.IsNaN(got[i]) && math.IsNaN(c.want[i])) {
				t.Errorf("%s: got %v, want %v", name, got, c.want)
			}
		}
	}
}

func TestRollups_PlotAndTable(t *testing.T) {
	found := hoursOf(t, "1", "", "3.5", "NaN")
	found[1].Exact, found[2].Open = false, true
	found[2].Unreadable = 2
	var plot, table strings.Builder
	printPlots(&plot, found, "", plainWidth)
	if !strings.Contains(plot.String(), "value: average by hour, 2026-04-20-14 to 2026-04-20-17 (dots: least and greatest)") {
		t.Errorf("got\n%s\nwant a plot with its caption", plot.String())
	}
	if err := printRollups(&table, found, "value"); err != nil {
		t.Fatal(err)
	}
	want := `BUCKET         MEASURE  COUNT  INVALID  MIN  AVG  MAX  STDDEV  P95  NOTE
2026-04-20-14  value        1        0    1    1    1       0    1
2026-04-20-16  value        1        0  3.5  3.5  3.5       0  3.5  inexact
2026-04-20-17  value        0        1                              open, 2 unreadable
`
	if table.String() != want {
		t.Errorf("got\n%s\nwant\n%s", table.String(), want)
	}
	table.Reset()
	if err := printRollups(&table, found, "humidity"); err != nil || strings.Count(table.String(), "\n") != 1 {
		t.Errorf("a measure nobody sent: %v\n%s", err, table.String())
	}
}

func TestGrid_FitsTheTerminal(t *testing.T) {
	for width, want := range map[int]string{
		0:  "TIME   LOCATION                  N  NOTE\n14:00  the hall behind the gate  7  open\n",
		30: "TIME   LOCATION        N  NOTE\n14:00  the hall behi…  7  open\n",
		18: "TIME   LOCATION  N\n14:00  the hal…  7\n(1 more columns: widen the terminal, or ask for --output csv)\n",
	} {
		var out strings.Builder
		g := newGrid(&out, 2)
		g.width = width
		g.add("TIME", "LOCATION", "N", "NOTE")
		g.add("14:00", "the hall behind the gate", "7", "open")
		if err := g.print(&out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("width %d: got\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

func TestPlot_TheBandIsOfLeastAndGreatest(t *testing.T) {
	found := hoursOf(t, "1", "5", "3", "9")
	b := bandOf(found, "value", 2)
	if got := fmt.Sprint(b.least, b.avg, b.greatest); got != "[1 3] [3 6] [5 9]" {
		t.Errorf("got %s, want the least, the mean and the greatest of two hours each", got)
	}
}

// In a stitched range a coarse bucket is as wide as it is long.
func TestPlot_ACoarseBucketIsDrawnOverAllOfItsTime(t *testing.T) {
	_, kind := readingsOf(t, nil)
	day := tier.Day.BucketOf(exportNow - model.Time(tier.Day24.Milliseconds()))
	row := aRow(kind, device("a", "", 0), tier.Day, day.Start.String(), "value", "2")
	hour := tier.Hour.BucketOf(day.End)
	fine := aRow(kind, device("a", "", 0), tier.Hour, hour.Start.String(), "value", "4")
	b := bandOf([]query.Rollup{{Bucket: day, Fold: row.Fold}, {Bucket: hour, Fold: fine.Fold}}, "value", 80)
	if len(b.avg) != 25 || b.avg[0] != 2 && b.avg[12] != 2 || b.avg[24] != 4 {
		t.Errorf("%d points: %v", len(b.avg), b.avg)
	}
}
