package main

import (
	"math"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestSubjectArgument_NamesOneKind(t *testing.T) {
	visits := iot.Readings
	visits.Name, visits.Path = "ALARM", "alarms"
	kinds, err := catalog.New(iot.Readings, visits)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ subject, kind, want, id string }{
		{"devices/sensor_01", "READING", "READING", "sensor_01"},
		{"devices/a/b", "alarms", "ALARM", "a/b"},
		{"devices/sensor_01", "", "", ""}, // which of the two?
		{"devices/sensor_01", "PAGEVIEW", "", ""},
		{"ships/sensor_01", "READING", "", ""},
		{"devices/", "READING", "", ""},
		{"sensor_01", "READING", "", ""},
	} {
		flags := seriesFlags{kind: c.kind}
		kind, id, err := flags.find(kinds, c.subject)
		switch {
		case c.want == "" && exitStatus(err) != exitUsage:
			t.Errorf("%s --kind %s: %v, want a mistake of usage", c.subject, c.kind, err)
		case c.want != "" && (err != nil || kind.Name != c.want || id != c.id):
			t.Errorf("%s --kind %s: %v %q, %v; want %s %q", c.subject, c.kind, kind, id, err, c.want, c.id)
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
	g := grid{right: map[int]bool{1: true}}
	g.add("NAME", "N")
	g.add("größe", "7")
	g.add("x\x1b[31m\n", "100")
	var out strings.Builder
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
		got := averages(hoursOf(t, c.values...), "value", c.columns)
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
	if !strings.Contains(plot.String(), "value: average by hour, 2026-04-20-14 to 2026-04-20-17") {
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
