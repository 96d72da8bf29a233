package rollup_test

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Two hours folded from events, and the day folded from the hours.
func ExampleFold_AddRow() {
	spec := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "temperature", Scale: 9, Percentiles: true}}}
	day := rollup.NewFold(spec)
	for hour, degrees := range [][]string{{"21.5", "22.4"}, {"19.9", "20.2"}} {
		fold := rollup.NewFold(spec)
		for minute, d := range degrees {
			at := model.Time(hour*3600_000 + minute*60_000)
			fold.AddEvent(&model.Event{
				Order: model.Order{At: at},
				Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.MustDecimal(d))}},
			})
		}
		day.AddRow(&rollup.Row{Fold: *fold})
	}
	t, _ := day.Summary.Measure("temperature")
	avg, _ := t.Avg()
	fmt.Println(t.Count, t.Sum, t.Min, t.Max, t.First, t.Last, avg)
	// Output: 4 84 19.9 22.4 21.5 20.2 21
}
