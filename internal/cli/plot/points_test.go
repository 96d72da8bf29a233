package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// testNow is the time of the first value: 2026-04-20T14:30:00Z.
const testNow = model.Time(1_776_695_400_000)

// newRollup returns the rollup of one bucket with a single value; a text that is no number
// is an invalid value.
func newRollup(bucket tier.Bucket, text string) query.Rollup {
	value := model.TextValue(text)
	if d, err := model.ParseDecimal(text); err == nil {
		value = model.NumberValue(d)
	}
	fold := rollup.NewFold(nil)
	fold.AddEvent(&model.Event{Order: model.Order{At: bucket.Start},
		Attrs: model.Attrs{{Name: "value", Value: value}}})
	return query.Rollup{Bucket: bucket, Fold: *fold}
}

// hourlyRollups returns a rollup for each value, one an hour; "" leaves a gap.
func hourlyRollups(values ...string) (found []query.Rollup) {
	for i, v := range values {
		if v != "" {
			found = append(found, newRollup(tier.Hour.BucketAt(testNow+model.Time(i)*3_600_000), v))
		}
	}
	return found
}

func TestWrite_DrawsAPlotWithItsCaption(t *testing.T) {
	var out strings.Builder
	units := map[string]string{"value": "°C"}
	if err := Write(&out, hourlyRollups("1", "", "3.5", "NaN"), "", units, 80); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(),
		"value in °C: average by hour, 2026-04-20-14 to 2026-04-20-17 (dots: minimum and maximum)") {
		t.Errorf("got\n%s\nwant a plot with its caption", out.String())
	}
	out.Reset()
	if err := Write(&out, hourlyRollups("1", "2"), "humidity", nil, 80); err != nil || out.Len() > 0 {
		t.Errorf("of a measure without values: %v\n%s", err, out.String())
	}
}

func TestPoints_AreProportionalToTimeAndWeightedByCount(t *testing.T) {
	for name, c := range map[string]struct {
		values  []string
		columns int
		want    []float64
	}{
		"one point per bucket":       {[]string{"1", "2", "3"}, 80, []float64{1, 2, 3}},
		"a gap stays a gap":          {[]string{"1", "", "3"}, 80, []float64{1, math.NaN(), 3}},
		"no value is a gap":          {[]string{"1", "NaN", "3"}, 80, []float64{1, math.NaN(), 3}},
		"several buckets in a point": {[]string{"1", "3", "5", "7"}, 2, []float64{2, 6}},
		"a gap within a point":       {[]string{"1", "", "5", "7"}, 2, []float64{1, 6}},
		"one bucket, one point":      {[]string{"4"}, 80, []float64{4}},
		"no rollups":                 {nil, 80, nil},
	} {
		got := newPoints(hourlyRollups(c.values...), "value", c.columns).avg
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

func TestPoints_HaveTheMinimumAndMaximumOfTheirBuckets(t *testing.T) {
	found := hourlyRollups("1", "5", "3", "9")
	b := newPoints(found, "value", 2)
	if got := fmt.Sprint(b.min, b.avg, b.max); got != "[1 3] [3 6] [5 9]" {
		t.Errorf("got %s, want minimum, mean and maximum of two hours each", got)
	}
}

func TestPoints_ACoarseBucketCoversAllOfItsTime(t *testing.T) {
	day := tier.Day.BucketAt(testNow - model.Time(tier.Day24.Milliseconds()))
	hour := tier.Hour.BucketAt(day.End)
	b := newPoints([]query.Rollup{newRollup(day, "2"), newRollup(hour, "4")}, "value", 80)
	if len(b.avg) != 25 || b.avg[0] != 2 && b.avg[12] != 2 || b.avg[24] != 4 {
		t.Errorf("%d points: %v", len(b.avg), b.avg)
	}
}
