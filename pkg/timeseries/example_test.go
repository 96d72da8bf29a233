package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Open a kind, append events, read them and their rollups.
func Example() {
	ctx, table := context.Background(), newTable()
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	noon := time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC)
	out, err := readings.Append(ctx,
		Reading{Device: "sensor_01", At: noon, Temperature: number("22.4"), Location: "warehouse-a"})
	fmt.Println(out.Outcome, err)

	outs, err := readings.AppendAll(ctx, []Reading{
		{Device: "sensor_01", At: noon.Add(time.Hour), Temperature: number("23")},
		{Device: "sensor_01", At: noon, Temperature: number("22.4"), Location: "warehouse-a"},
	})
	fmt.Println(outs[0].Outcome, outs[1].Outcome, err)
	fold(table, readings.Kind()) // the aggregate function does this

	key := timeseries.Key{Subject: "sensor_01"}
	for r, err := range readings.History(ctx, key, timeseries.In(noon, noon.Add(2*time.Hour)),
		timeseries.Newest()) {
		fmt.Println(r.At.Format(time.TimeOnly), r.Temperature, err)
	}
	days, err := readings.Rollups(ctx, key, tier.Day)
	temperature := days.Rollups[0].Measure("temperature")
	avg, _ := temperature.Avg()
	fmt.Println(temperature.Count, temperature.Sum, avg, days.Rollups[0].Exact, err)
	// Output:
	// applied <nil>
	// applied duplicate <nil>
	// 13:00:00 23 <nil>
	// 12:00:00 22.4 <nil>
	// 2 45.4 22.7 true <nil>
}

// Open reports a mistake in the tags with its code.
func ExampleOpen_mistake() {
	type Sample struct {
		Device string  `tide:"subject"`
		Value  float64 `tide:"measure"`
	}
	_, err := timeseries.Open[Sample](newTable(), iot.Readings, nil)
	var mistake *timeseries.Error
	fmt.Println(errors.As(err, &mistake), mistake.Code == timeseries.OrderMissing)
	fmt.Println(err)
	// Output:
	// true true
	// timeseries: TM-001: timeseries_test.Sample: no field orders the events: tag the time of the event with tide:"time", or a number or text with tide:"order" (docs/use/CONFIG-ERRORS.md)
}

// A kind that declares no measures takes them from the tags.
func ExampleEvents_Kind() {
	type Visit struct {
		Site     string        `tide:"subject"`
		At       time.Time     `tide:"time"`
		ID       string        `tide:"id"`
		Duration float64       `tide:"measure,scale=3,percentiles"`
		Page     string        `tide:"dimension,top=50"`
		Visitor  string        `tide:"distinct"`
		_        struct{}      // ignored: no tag
		Taken    time.Duration // likewise
	}
	visits, err := timeseries.Open[Visit](newTable(),
		catalog.Kind{Name: "VISIT", Subject: catalog.SubjectType{Name: "SITE"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	kind := visits.Kind()
	fmt.Println(kind.Path, kind.Subject.Path, kind.Measures, kind.Dimensions, kind.Distinct)
	// Output:
	// visits sites [{duration 3 true false 0 false }] [{page 50 0 [ ]}] [visitor]
}

// A late event is stored, and the latest item does not change.
func ExampleEvents_Append_late() {
	ctx := context.Background()
	readings, err := timeseries.Open[Reading](newTable(), iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	newer := Reading{Device: "sensor_01", At: today, Temperature: number("20")}
	older := Reading{Device: "sensor_01", At: today.Add(-time.Hour), Temperature: number("19")}
	for _, r := range []Reading{newer, older} {
		out, err := readings.Append(ctx, r)
		fmt.Println(out.Outcome, err)
		if out.Latest != nil { // the item that decided against the value
			fmt.Println("newer:", out.Latest.Temperature)
		}
	}
	// Output:
	// applied <nil>
	// late <nil>
	// newer: 20
}

// Latest returns the latest item of a series, or nil.
func ExampleEvents_Latest() {
	ctx := context.Background()
	readings, err := timeseries.Open[Reading](newTable(), iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	key := timeseries.Key{Subject: "sensor_01", Stream: "status"}
	nothing, err := readings.Latest(ctx, key)
	fmt.Println(nothing == nil, err)

	_, err = readings.Append(ctx,
		Reading{Device: "sensor_01", Stream: "status", At: today, Location: "warehouse-a"})
	if err != nil {
		log.Fatal(err)
	}
	latest, err := readings.Latest(ctx, key, timeseries.Consistent())
	fmt.Println(latest.Location, latest.Temperature == nil, err)
	// Output:
	// true <nil>
	// warehouse-a true <nil>
}
