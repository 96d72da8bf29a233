package figure

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Each field of Figures is a column of its name, with its value.
func TestColumns_HaveTheFieldsOfFigures(t *testing.T) {
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
	columns := slices.Concat(Columns, Steps)
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

// notStatistics are the figures that no query in PromQL needs.
var notStatistics = []string{"coveredSeconds", "rounded"}

var (
	upper      = regexp.MustCompile("[A-Z]")
	percentile = regexp.MustCompile(`^p[0-9]+$`)
)

// Each figure is a statistic of PromQL, written as names of Prometheus are. A percentile is known as one, and
// rules of groups may test it.
func TestColumns_SayWhereEachFigureIsShown(t *testing.T) {
	t.Parallel()
	percentiles := 0
	for _, c := range slices.Concat(Columns, Steps) {
		want := upper.ReplaceAllStringFunc(c.Name, func(s string) string { return "_" + strings.ToLower(s) })
		if slices.Contains(notStatistics, c.Name) {
			want = ""
		}
		if c.Statistic != want {
			t.Errorf("%s is the statistic %q, want %q", c.Name, c.Statistic, want)
		}
		is := percentile.MatchString(c.Name)
		if c.Percentile != is || is && !c.Tested {
			t.Errorf("%s: percentile %v, tested by rules %v", c.Name, c.Percentile, c.Tested)
		}
		if is {
			percentiles++
		}
	}
	if percentiles == 0 {
		t.Error("no percentile was found")
	}
}

func TestFloat_IsTheValueOfEachType(t *testing.T) {
	t.Parallel()
	all := map[any]float64{int64(3): 3, new(int64(4)): 4, new(model.NewDecimal(5)): 5, new(6.5): 6.5}
	for value, want := range all {
		if got := Float(value); got == nil || *got != want {
			t.Errorf("%v: got %v, want %v", value, got, want)
		}
	}
	for _, none := range []any{(*int64)(nil), (*model.Decimal)(nil), (*float64)(nil)} {
		if got := Float(none); got != nil {
			t.Errorf("%T: got %v, want nil", none, *got)
		}
	}
}
