package formats

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

// Each file has a declared measure of which no value is a number.
var unreadable = map[string]string{
	"a.ndjson": `{"deviceId":"a","timestamp":"2026-11-01T10:00:00Z","value":"21,5"}` + "\n" +
		`{"deviceId":"a","timestamp":"2026-11-01T10:01:00Z","value":"NULL"}` + "\n",
	"a.json": `[{"deviceId":"a","timestamp":"2026-11-01T10:00:00Z","value":{"c":21.5}}]`,
	"a.csv":  "deviceId,timestamp,value\na,2026-11-01T10:00:00Z,21.5°C\na,2026-11-01T11:00:00Z,70°F\n",
}

func readOne(t *testing.T, in Input, name, text string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return in.Each([]string{path}, func(Observation) error { return nil })
}

func TestInput_StopsAtAMeasureOfWhichNothingCanBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range unreadable {
		err := readOne(t, Input{Kind: readings(t), Lenient: true}, name, text)
		if !usererr.Is(err) || !strings.Contains(err.Error(), "number") ||
			!strings.Contains(err.Error(), "--types") {
			t.Errorf("%s: %v, want an error that names the values and --types", name, err)
		}
		told := Input{Kind: readings(t), Lenient: true, Types: map[string]columns.Type{"value": columns.Text}}
		if err := readOne(t, told, name, text); err != nil {
			t.Errorf("%s with a type: %v", name, err)
		}
	}
	one := unreadable["a.ndjson"] + `{"deviceId":"a","timestamp":"2026-11-01T10:02:00Z","value":21.5}` + "\n"
	if err := readOne(t, Input{Kind: readings(t), Lenient: true}, "a.ndjson", one); err != nil {
		t.Errorf("a file with one number: %v", err)
	}
}

func TestParquet_StopsAtAMeasureOfWhichNothingCanBeRead(t *testing.T) {
	t.Parallel()
	for _, measure := range []string{"bin", "day", "ok", "clock"} {
		kind := readings(t)
		kind.Measures[0].Name = measure
		in := Input{Kind: kind, Lenient: true}
		err := in.Each([]string{parquetFile("types.parquet")}, func(Observation) error { return nil })
		if !usererr.Is(err) || !strings.Contains(err.Error(), measure) {
			t.Errorf("%s: %v, want an error that names the column", measure, err)
		}
	}
}

func TestInput_RefusesAnotherUnitThanTheMeasureHas(t *testing.T) {
	t.Parallel()
	declared := iot.Readings
	declared.Measures = slices.Clone(declared.Measures)
	declared.Measures[0].Unit = "°C"
	kinds, err := catalog.New(declared)
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Kind(declared.Name)
	for cell, want := range map[string]bool{"21 °C": true, "21": true, "70 °F": false} {
		text := "deviceId,timestamp," + kind.Measures[0].Name + "\na,2026-11-01T10:00:00Z," + cell + "\n"
		err := readOne(t, Input{Kind: kind, Lenient: true}, "a.csv", text)
		if got := err == nil; got != want || err != nil && !strings.Contains(err.Error(), "is in °F") {
			t.Errorf("%s: %v", cell, err)
		}
	}
}
