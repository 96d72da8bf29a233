package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// zonedTable has a device whose hours have expired before 11 April, and whose days before 2025 too, and
// another device.
func zonedTable(t *testing.T) Source {
	kinds, kind := newReadings(t, func(k *catalog.Kind) {
		k.Retention = tier.Policy{Raw: 4 * tier.Day24, Tiers: []tier.Tier{
			{Unit: tier.Hour, Retention: 10 * tier.Day24}, {Unit: tier.Day, Retention: 400 * tier.Day24},
			{Unit: tier.Month, Retention: tier.Forever},
		}}
	})
	table := memory.New(func() model.Time { return testNow })
	hall := device("hall", "", 0)
	for _, row := range []rollup.Row{
		newRow(kind, hall, tier.Month, "2025-01-01T00:00:00Z", "value", "9"),
		newRow(kind, hall, tier.Month, "2026-03-01T00:00:00Z", "value", "4"),
		newRow(kind, hall, tier.Day, "2026-03-02T00:00:00Z", "value", "4"),
		newRow(kind, hall, tier.Month, "2026-04-01T00:00:00Z", "value", "1", "2"),
		newRow(kind, hall, tier.Day, "2026-04-12T00:00:00Z", "value", "1", "2"),
		newRow(kind, hall, tier.Hour, "2026-04-12T21:00:00Z", "value", "1"), // 23:00 in Berlin
		newRow(kind, hall, tier.Hour, "2026-04-12T22:00:00Z", "value", "2"), // the 13th in Berlin
		newRow(kind, device("door", "", 0), tier.Day, "2026-04-12T00:00:00Z", "value", "7"),
	} {
		putRow(t, table, &row)
	}
	first, err := model.ParseTime("2025-01-30T00:00:00Z", model.RejectFinerTime)
	if err != nil {
		t.Fatal(err)
	}
	list(t, table, hall, first, testNow)
	list(t, table, device("door", "", 0), testNow, testNow)
	source := newSource(t, table, kinds)
	source.Subjects = []model.Subject{hall.Subject}
	return source
}

// localRows returns date, zone, bucket, sum, exact and events of each row, which are the same in each format.
func localRows(t *testing.T, source Source, format string) (rows []string) {
	t.Helper()
	zone, err := times.Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = source.LocalRollups(t.Context(), &out, zone, times.Day, format, nil)
	if err != nil {
		t.Fatal(err)
	}
	var header []string
	var records [][]string
	if format == "csv" {
		if records, err = csv.NewReader(&out).ReadAll(); err != nil {
			t.Fatal(err)
		}
		header, records = records[0], records[1:]
		if got := strings.Join(header, ","); got != columns.Header+",date,zone" {
			t.Errorf("the columns are %s", got)
		}
	} else {
		header, records = parquetRecords(t, out.Bytes())
	}
	for _, r := range records {
		row := ""
		for _, name := range []string{"date", "zone", "bucket", "sum", "exact", "events"} {
			row += r[slices.Index(header, name)] + " "
		}
		rows = append(rows, strings.TrimSpace(row))
	}
	return rows
}

func parquetRecords(t *testing.T, file []byte) (header []string, records [][]string) {
	t.Helper()
	r := parquet.NewReader(bytes.NewReader(file))
	for _, path := range r.Schema().Columns() {
		header = append(header, path[0])
	}
	rows := make([]parquet.Row, r.NumRows())
	n, _ := r.ReadRows(rows)
	for _, row := range rows[:n] {
		record := make([]string, len(header))
		for _, v := range row {
			if !v.IsNull() {
				record[v.Column()] = v.String()
			}
		}
		records = append(records, record)
	}
	return header, records
}

// Days are of Berlin where hours are stored, then of UTC, and say so. A day of which nothing is stored, in a
// month that had events, is a line without a number of events. A month without events has no days.
func TestLocalRollups_SayOfEachDayHowFarItIsKnown(t *testing.T) {
	source := zonedTable(t)
	csvRows, parquetRows := localRows(t, source, "csv"), localRows(t, source, "parquet")
	if !slices.Equal(csvRows, parquetRows) {
		t.Errorf("CSV has %q\nParquet has %q", csvRows, parquetRows)
	}
	want := []string{
		"2025-01-30 UTC 2025-01-30T00:00:00Z  false",
		"2025-01-31 UTC 2025-01-31T00:00:00Z  false",
		"2026-03-02 UTC 2026-03-02T00:00:00Z 4 true 1",
		"2026-04-12 Europe/Berlin 2026-04-11T22:00:00Z 1 true 1",
		"2026-04-13 Europe/Berlin 2026-04-12T22:00:00Z 2 true 1",
	}
	if !slices.Equal(csvRows, want) {
		t.Errorf("got %q\nwant %q", csvRows, want)
	}
	var lines strings.Builder
	zone, _ := times.Zone("Europe/Berlin")
	if err := source.LocalRollups(t.Context(), &lines, zone, times.Day, "ndjson", nil); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(lines.String()), "\n")
	if len(all) != len(want) || !strings.Contains(all[0], `"events":null,`) ||
		!strings.HasSuffix(all[4], `"date":"2026-04-13","zone":"Europe/Berlin"}`) {
		t.Errorf("NDJSON is %s", lines.String())
	}
}

// One subject has its rows of the export of all, and a subject without series is an error.
func TestRollups_OfOneSubjectAreItsRowsOfAll(t *testing.T) {
	source := zonedTable(t)
	read := func(subjects ...model.Subject) (lines []string, err error) {
		source.Subjects = subjects
		var out strings.Builder
		err = source.Rollups(t.Context(), &out, AllTiers, "csv", nil)
		return strings.SplitAfter(out.String(), "\n"), err
	}
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	of, err := read(model.Subject{Type: "DEVICE", ID: "hall"})
	want := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return strings.Contains(s, ",door,") })
	if err != nil || !slices.Equal(of, want) || len(of) != len(all)-1 {
		t.Errorf("%v: got %q\nwant %q", err, of, want)
	}
	ofType, err := read(model.Subject{Type: "DEVICE"})
	if err != nil || !slices.Equal(ofType, all) {
		t.Errorf("%v: got %q\nwant %q", err, ofType, all)
	}
	if _, err := read(model.Subject{Type: "DEVICE", ID: "hal"}); err == nil ||
		fmt.Sprint(err) != `devices/hal: no events of these kinds: "tidemark ls" lists what is stored` {
		t.Errorf("a subject without series: %v", err)
	}
}
