package formats

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
)

func parquetFile(name string) string { return filepath.Join("testdata", "parquet", name) }

// member returns a member of an observation's JSON as it is written.
func member(t *testing.T, body []byte, name string) string {
	t.Helper()
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return string(members[name])
}

// The files are written by pyarrow: testdata/parquet/make.py has their values.
func TestParquet_ValuesHaveTheTypeOfTheirColumn(t *testing.T) {
	got := readAll(t, Input{Kind: readings(t)}, parquetFile("types.parquet"))
	if len(got) != 2 {
		t.Fatalf("%d rows, want 2", len(got))
	}
	for name, want := range map[string][2]string{
		"flba": {"21.5", "-0.05"}, "wide": {"12345678901234567890.12345", "-1.00001"}, "half": {"1.5", "-0.25"},
		"u8": {"255", "0"}, "u16": {"65535", "0"}, "u32": {"4294967295", "0"}, "u64": {"18446744073709551615", "0"},
		"i8": {"-128", "127"}, "day": {`"2026-11-01"`, `"1969-12-31"`}, "clock": {`"10:00:00.5"`, `"00:00:01"`},
		"clock32": {`"10:00:00"`, `"00:00:01"`}, "code": {`"007"`, `"1.10"`}, "sci": {`"1e5"`, `"5"`}, "ok": {"true", "false"},
		"f64": {"21.5", "0.0000001"}, "f32": {"0.1", ""}, "bin": {`"/wA="`, `"abc"`},
		"other": {`"2026-11-01T10:00:00.500"`, `"2026-11-01T10:00:01.000"`},
		"list":  {"", ""}, "group.a": {"1", "2"},
	} {
		for i := range got {
			if value := member(t, got[i].Body, name); value != want[i] {
				t.Errorf("%s of row %d is %s, want %s", name, i+1, value, want[i])
			}
		}
	}
}

func TestParquet_ADecimalHasItsScaleInEachPhysicalType(t *testing.T) {
	for _, file := range []string{"decimal_int.parquet", "old.parquet"} {
		got := readAll(t, Input{Kind: readings(t)}, parquetFile(file))
		if a, b := member(t, got[0].Body, "flba"), member(t, got[1].Body, "flba"); a != "21.5" || b != "-0.05" {
			t.Errorf("%s: %s, %s; want 21.5, -0.05", file, a, b)
		}
	}
}

func TestParquet_TimesOfEachWriterAreRead(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	for _, tc := range []struct {
		file string
		zone *time.Location
		want string
	}{
		{file: "int96.parquet", want: "2026-11-01T10:00:00.500Z"},
		{file: "int96.parquet", zone: zone, want: "2026-11-01T10:00:00.500Z"},
		{file: "local.parquet", want: "2026-11-01T10:00:00.500Z"},
		{file: "local.parquet", zone: zone, want: "2026-11-01T08:00:00.500Z"},
		{file: "date.parquet", want: "2026-11-01T00:00:00.000Z"},
		{file: "epoch.parquet", want: "2026-11-01T09:00:00.500Z"},
	} {
		got := readAll(t, Input{Kind: readings(t), Clock: timetext.Clock{Zone: tc.zone}}, parquetFile(tc.file))
		if got[0].At != timeAt(t, tc.want) {
			t.Errorf("%s in %v: %s, want %s", tc.file, tc.zone, got[0].At, tc.want)
		}
	}
}

// The types of a file do not count the columns that are made: a constant, and a time that is in two columns.
func TestParquet_HasColumnsThatAreMade(t *testing.T) {
	in := Input{Kind: readings(t), Shape: Shape{Constants: map[string]string{"room": "r1"}}}
	got := readAll(t, in, parquetFile("day_and_clock.parquet"))
	want := `{"deviceId":"pq1","timestamp":"2026-11-01T10:00:00.500Z",` +
		`"value":"123456789012345678901234567890123456789012.5","level":1.5,"room":"r1"}`
	if string(got[0].Body) != want || got[0].Location != parquetFile("day_and_clock.parquet")+":1" {
		t.Errorf("%s %s, want %s", got[0].Location, got[0].Body, want)
	}
	if !slices.Equal(got[0].Stray, []string{"value"}) || !slices.Equal(got[1].Stray, []string{"level"}) {
		t.Errorf("%q and %q are stray, want the number with 43 digits and the infinite one",
			got[0].Stray, got[1].Stray)
	}
}

func TestParquet_AFileWithoutRowsHasNothingToDo(t *testing.T) {
	if got := readAll(t, Input{Kind: readings(t)}, parquetFile("empty.parquet")); len(got) > 0 {
		t.Errorf("%d rows, want none", len(got))
	}
}

func TestParquet_AColumnThatIsNotReadIsNamed(t *testing.T) {
	var notice strings.Builder
	readAll(t, Input{Kind: readings(t), Notice: func(text string) {
		notice.WriteString(text)
	}}, parquetFile("types.parquet"))
	if want := `the column "list" is a list or a map`; !strings.Contains(notice.String(), want) {
		t.Errorf("want %q in:\n%s", want, notice.String())
	}
}

func TestParquet_SaysWhichTimesAreTakenForUTC(t *testing.T) {
	for file, want := range map[string]bool{
		"types.parquet": false, "int96.parquet": false, "local.parquet": true, "date.parquet": true,
		"empty.parquet": false, "late.parquet": false,
	} {
		var notice strings.Builder
		in := Input{Kind: readings(t), Notice: func(text string) { notice.WriteString(text) }}
		readAll(t, in, parquetFile(file))
		if got := strings.Contains(notice.String(), "in UTC, as it has no zone"); got != want {
			t.Errorf("%s: %t, want %t:\n%s", file, got, want, notice.String())
		}
	}
}
