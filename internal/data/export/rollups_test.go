package export

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// testNow is the time of an export in these tests.
const testNow = model.Time(1_776_695_400_000) // 2026-04-20T14:30:00Z

// newRow returns the rollup of values of one measure, all at the start of a bucket.
func newRow(kind *catalog.Kind, series model.Series, unit tier.Unit, when, measure string,
	values ...string) rollup.Row {
	start, err := model.ParseTime(when, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	fold := rollup.NewFold(kind.Spec())
	for i, text := range values {
		value := model.TextValue(text)
		if d, err := model.ParseDecimal(text); err == nil {
			value = model.NumberValue(d)
		}
		fold.AddEvent(&model.Event{Series: series, Order: model.Order{At: start + model.Time(i)},
			Attrs: model.Attrs{{Name: measure, Value: value}}})
	}
	return rollup.Row{Key: rollup.Key{Series: series, Tier: unit.String(), Start: start}, Fold: *fold,
		Rev: rollup.Rev{1}, WrittenAt: start}
}

// exported returns what an export of rows writes.
func exported(t *testing.T, kinds *catalog.Catalog, tierName, format string, rows ...rollup.Row) string {
	t.Helper()
	table := memory.New(func() model.Time { return testNow })
	for i := range rows {
		putRow(t, table, &rows[i])
		list(t, table, rows[i].Key.Series, rows[i].Key.Start, rows[i].Key.Start)
	}
	return exportedFrom(t, table, kinds, tierName, format)
}

func putRow(t *testing.T, table *memory.Table, row *rollup.Row) {
	t.Helper()
	stored, err := item.FromRow(row)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.PutItem(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
}

// exportedFrom returns what an export of a table writes.
func exportedFrom(t *testing.T, table *memory.Table, kinds *catalog.Catalog, tierName, format string) string {
	t.Helper()
	var out strings.Builder
	if err := newSource(t, table, kinds).Rollups(t.Context(), &out, tierName, format, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// newSource returns a reader of a table, by the low watermarks that it has now.
func newSource(t *testing.T, table *memory.Table, kinds *catalog.Catalog) Source {
	t.Helper()
	swept, err := table.Sweeps(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := func() model.Time { return testNow }
	live := &query.Live{Store: table, Watermarks: query.Swept(swept), Kind: query.CatalogKinds(kinds), Now: now}
	return Source{Query: &query.Service{Store: live, Now: now}, Catalog: kinds, Parallel: 3}
}

// list lists a series in its table, as aggregation does.
func list(t *testing.T, table *memory.Table, s model.Series, first, last model.Time) {
	t.Helper()
	s.Shard = 0
	it := item.FromListedSeries(storage.ListedSeries{Series: s, First: tier.Hour.BucketAt(first).Start,
		Last: tier.Hour.BucketAt(last).Start})
	if err := table.PutItem(t.Context(), it); err != nil {
		t.Fatal(err)
	}
}

func newReadings(t *testing.T, change func(*catalog.Kind)) (*catalog.Catalog, *catalog.Kind) {
	t.Helper()
	row := iot.Readings
	if change != nil {
		change(&row)
	}
	kinds, err := catalog.New(row)
	if err != nil {
		t.Fatal(err)
	}
	return kinds, &kinds.Kinds[0]
}

func device(id, stream string, shard int) model.Series {
	return model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Kind: "READING", Stream: stream,
		Shard: shard}
}

func TestRollups_LinesAreSortedAndExact(t *testing.T) {
	kinds, kind := newReadings(t, nil)
	hidden := newRow(kind, device("a", "", 0), tier.Hour, "2022-10-19T01:00:00Z", "value", "1")
	hidden.ExpiresAt = testNow.Seconds()
	empty := newRow(kind, device("a", "", 0), tier.Hour, "2022-10-19T02:00:00Z", "value")
	empty.Empty = true
	inexact := newRow(kind, device("a", "s", 0), tier.Month, "2022-10-01T00:00:00Z", "odd", "2")
	inexact.Exact = false
	got := exported(t, kinds, "all", "csv",
		newRow(kind, device("b", "", 0), tier.Day, "2022-10-19T00:00:00Z", "value", "NaN"),
		inexact, hidden, empty,
		newRow(kind, device("a", "", 0), tier.Hour, "2022-10-19T03:00:00Z", "value", "0.1", "0.2", "x"),
		newRow(kind, device("a", "", 0), tier.Day, "2022-10-19T00:00:00Z", "value", "1234567.8"),
		newRow(kind, device("a,\"b\"", "", 0), tier.Day, "2022-10-19T00:00:00Z", "value", "1e-9"),
	)
	want := `kind,subject,stream,tier,bucket,measure,count,invalid,sum,min,max,avg,stddev,first,last,p50,p95,p99,exact,events,field,value,distinct,wholeFrom,truncated,increase,resets,rate,timeMean,coveredSeconds,rounded,event,highest,highestPlaces,lowest,lowestPlaces
READING,a,,day,2022-10-19T00:00:00Z,value,1,0,1234567.8,1234567.8,1234567.8,1234567.8,0,1234567.8,1234567.8,1234567.8,1234567.8,1234567.8,true,1,,,,,false,,,,,,,,,,,
READING,a,,hour,2022-10-19T03:00:00Z,value,2,1,0.3,0.1,0.2,0.15,0.05,0.1,0.2,0.1,0.2,0.2,true,3,,,,,false,,,,,,,,,,,
READING,a,s,month,2022-10-01T00:00:00Z,odd,1,0,2,2,2,2,0,2,2,,,,false,1,,,,,false,,,,,,,,,,,
READING,"a,""b""",,day,2022-10-19T00:00:00Z,value,1,0,0.000000001,0.000000001,0.000000001,1e-09,0,0.000000001,0.000000001,1e-09,1e-09,1e-09,true,1,,,,,false,,,,,,,,,,,
READING,b,,day,2022-10-19T00:00:00Z,value,0,1,,,,,,,,,,,true,1,,,,,false,,,,,,,,,,,
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRollups_NDJSONUsesTheColumnsAsNames(t *testing.T) {
	kinds, kind := newReadings(t, nil)
	got := exported(t, kinds, "all", "ndjson",
		newRow(kind, device("a", "", 0), tier.Day, "2022-10-19T00:00:00Z", "value", "NaN"))
	var line map[string]any
	if err := json.Unmarshal([]byte(got), &line); err != nil || strings.Count(got, "\n") != 1 {
		t.Fatalf("%v in %q", err, got)
	}
	names := strings.Split(columns.Header, ",")
	names = names[:slices.Index(names, figure.Steps[0].Name)] // a line of no counter, property or group
	for _, name := range names {
		if _, there := line[name]; !there {
			t.Errorf("no %s in %s", name, got)
		}
	}
	if len(line) != len(names) || line["sum"] != nil || line["invalid"] != 1.0 {
		t.Errorf("got %s, want exactly those columns, the sum null", got)
	}
}

// Buckets of page views have no measures, and were left out.
func TestRollups_BucketsWithoutMeasuresAreLines(t *testing.T) {
	kinds, err := catalog.New(catalog.Kind{
		Name: "VIEW", Subject: catalog.SubjectType{Name: "SITE"}, Distinct: []string{"visitor"},
		Dimensions: []rollup.DimensionSpec{{Name: "path"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	series := model.Series{Subject: model.Subject{Type: "SITE", ID: "docs"}, Kind: "VIEW"}
	row := newRow(&kinds.Kinds[0], series, tier.Day, "2026-04-20T00:00:00Z", "visitor")
	for i, view := range [][2]string{{"/", "ann"}, {"/", "bob"}, {"=1+1", "ann"}} {
		row.Fold.AddEvent(&model.Event{Series: series, Order: model.Order{At: row.Key.Start + model.Time(i)},
			Attrs: model.Attrs{
				{Name: "path", Value: model.TextValue(view[0])}, {Name: "visitor", Value: model.TextValue(view[1])},
			}})
	}
	start := "VIEW,docs,,day,2026-04-20T00:00:00Z,,,,,,,,,,,,,,true,"
	want := columns.Header + "\n" + start + "3,,,,,false,,,,,,,,,,,\n" + start +
		"3,visitor,,2,,false,,,,,,,,,,,\n" +
		start +
		"2,path,/,,,false,,,,,,,,,,,\n" + start + "1,path,'=1+1,,,false,,,,,,,,,,,\n"
	if got := exported(t, kinds, "all", "csv", row); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := exported(t, kinds, "all", "ndjson", row); strings.Count(got, "\n") != 4 ||
		!strings.Contains(got,
			`"events":2,"field":"path","value":"/","distinct":null,"wholeFrom":"","truncated":false}`) {
		t.Errorf("got\n%s", got)
	}
}

// The rows of open buckets are out of date, or absent: an export folds these buckets.
func TestRollups_OpenBucketsAreFolded(t *testing.T) {
	kinds, kind := newReadings(t, func(k *catalog.Kind) {
		k.Retention = tier.Standard()
		for i := range k.Retention.Tiers {
			k.Retention.Tiers[i].Deferred = true
		}
	})
	table := memory.New(func() model.Time { return testNow })
	series := device("sensor_01", "", 0)
	put := func(at model.Time, value string) {
		attrs := model.Attrs{{Name: "temperature", Value: model.NumberValue(model.MustDecimal(value))}}
		e := model.Event{Series: series, Order: model.Order{At: at}, Attrs: attrs, Hash: model.HashAttrs(attrs),
			ArrivedAt: at, ExpiresAt: kind.Retention.EventExpiresAt(at)}
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	list(t, table, series, testNow, testNow)
	noon := testNow - testNow%model.Time(12*3600*1000)
	put(noon-1, "1")
	put(noon+1, "2")
	put(noon+2, "3")
	stale := newRow(kind, series, tier.Hour, "2026-04-20T12:00:00Z", "temperature", "2")
	closed := newRow(kind, series, tier.Hour, "2026-04-20T11:00:00Z", "temperature", "1")
	for _, row := range []rollup.Row{stale, closed} {
		putRow(t, table, &row)
	}
	if _, err := table.AdvanceSweep(t.Context(), storage.FirstGeneration.Shard(series), noon); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(exportedFrom(t, table, kinds, AllTiers, "csv")),
		"\n")[1:] {
		cells := strings.Split(line, ",")
		got = append(got, strings.Join([]string{cells[3], cells[4], cells[6], cells[8]}, " "))
	}
	want := []string{"hour 2026-04-20T11:00:00Z 1 1", "hour 2026-04-20T12:00:00Z 2 5",
		"day 2026-04-20T00:00:00Z 3 6", "month 2026-04-01T00:00:00Z 3 6"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A bucket whose row cannot be read is a line without a number of events, and ends no export.
func TestRollups_ADamagedRowIsALineThatIsNotExact(t *testing.T) {
	kinds, kind := newReadings(t, nil)
	table := memory.New(func() model.Time { return testNow })
	hall := device("hall", "", 0)
	for _, start := range []string{"2026-04-20T11:00:00Z", "2026-04-20T12:00:00Z", "2026-04-20T13:00:00Z"} {
		row := newRow(kind, hall, tier.Hour, start, "value", "7")
		putRow(t, table, &row)
		if start == "2026-04-20T12:00:00Z" {
			stored, _ := item.FromRow(&row)
			stored[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte("nonsense")}
			if err := table.PutItem(t.Context(), stored); err != nil {
				t.Fatal(err)
			}
		}
	}
	list(t, table, hall, testNow, testNow)
	lines := strings.Split(strings.TrimSpace(exportedFrom(t, table, kinds, "hour", "ndjson")), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], `"events":null,`) ||
		!strings.Contains(lines[1], `"exact":false`) {
		t.Errorf("got %d lines: %s\nwant three, and no number of events in the second", len(lines), lines)
	}
}
