package query

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Each field of Figures is a column of its name, with its value.
func TestFigureColumns_HaveTheFieldsOfFigures(t *testing.T) {
	t.Parallel()
	d := func(n int64) *model.Decimal { return new(model.NewDecimal(n)) }
	f := Figures{Count: 1, Invalid: 2, Sum: d(3), Min: d(4), Max: d(5), Avg: new(6.5), Stddev: new(7.5),
		First: d(8), Last: d(9), P50: new(10.5), P95: new(11.5), P99: new(12.5),
		Increase: d(13), Resets: new(int64(14)), Rate: new(15.5), TimeMean: new(17.5), Covered: new(16.5),
		Rounded: new(int64(18))}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	columns := slices.Concat(FigureColumns, StepColumns)
	if len(columns) != len(fields) || reflect.TypeFor[Figures]().NumField() != len(fields) {
		t.Errorf("%d columns for %d fields", len(columns), len(fields))
	}
	for _, c := range columns {
		got, err := json.Marshal(c.Value(f))
		want, _ := json.Marshal(fields[c.Name])
		if err != nil || string(got) != string(want) {
			t.Errorf("column %s has %s, want %s", c.Name, got, want)
		}
	}
}
