package export

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Each column of CSV and of Parquet has the value that its name says.
func TestRecord_EachColumnHasItsValue(t *testing.T) {
	t.Parallel()
	d := func(n int64) *model.Decimal { return new(model.NewDecimal(n)) }
	r := record{
		Kind: "READING", Subject: "a", Stream: "s", Tier: "day", Bucket: "2026-04-01T00:00:00Z", Measure: "temperature",
		Figures: figure.Figures{Count: 1, Invalid: 2, Sum: d(3), Min: d(4), Max: d(5), Avg: new(6.5), Stddev: new(7.5),
			First: d(8), Last: d(9), P50: new(10.5), P95: new(11.5), P99: new(12.5),
			Increase: d(15), Resets: new(int64(16)), Rate: new(17.5), TimeMean: new(19.5), Covered: new(18.5),
			Rounded: new(int64(20))},
		Exact: true, Events: new(int64(13)), Field: "room", Value: "x", Distinct: new(int64(14)),
		WholeFrom: "2026-04-02", Truncated: true, Event: "Buy",
		TopMembers: query.TopMembers{
			Highest:       []query.Member{{Member: "a;\"b\"", Value: *d(21)}, {Member: "=c", Value: *d(22)}},
			HighestPlaces: new(int64(10)), Lowest: []query.Member{}, LowestPlaces: new(int64(9)),
		},
	}
	want := map[string]string{
		"kind": "READING", "subject": "a", "stream": "s", "tier": "day", "bucket": "2026-04-01T00:00:00Z",
		"measure": "temperature", "count": "1", "invalid": "2", "sum": "3", "min": "4", "max": "5", "avg": "6.5",
		"stddev": "7.5", "first": "8", "last": "9", "p50": "10.5", "p95": "11.5", "p99": "12.5", "exact": "true",
		"events": "13", "field": "room", "value": "x", "distinct": "14", "wholeFrom": "2026-04-02",
		"truncated": "true", "increase": "15", "resets": "16", "rate": "17.5", "timeMean": "19.5", "coveredSeconds": "18.5",
		"rounded": "20", "event": "Buy",
		"highest":       `[{"member":"a;\"b\"","value":21},{"member":"=c","value":22}]`,
		"highestPlaces": "10", "lowest": "[]", "lowestPlaces": "9",
	}
	cells, err := r.cells()
	if err != nil {
		t.Fatal(err)
	}
	values, err := r.values()
	if err != nil {
		t.Fatal(err)
	}
	csv, parquet := map[string]string{}, map[string]string{}
	for i, name := range strings.Split(columns.Header, ",") {
		csv[name] = cells[i]
	}
	for i, c := range columns.Rollups.Columns(nil) {
		parquet[c.Name] = fmt.Sprint(values[i])
	}
	if diff := cmp.Diff(want, csv); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, parquet); diff != "" {
		t.Errorf("Parquet (-want +got):\n%s", diff)
	}
}
