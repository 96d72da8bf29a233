package timeseries_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// opened returns events of two hours: ten readings of 1, then one of 90.
func opened() (*timeseries.Events[Reading], *memory.Table) {
	table := newTable()
	readings, err := timeseries.Open[Reading](table, iot.Readings,
		&timeseries.Options{Now: clock, CursorKey: []byte("thirty-two bytes of your own, ...")})
	if err != nil {
		log.Fatal(err)
	}
	var all []Reading
	for i := range 10 {
		all = append(all, Reading{Device: "sensor_01", At: today.Add(-2*time.Hour + time.Duration(i)*time.Minute),
			Temperature: number("1"), Location: "hall"})
	}
	all = append(all, Reading{Device: "sensor_01", At: today.Add(-time.Hour), Temperature: number("90"),
		Location: "roof"})
	if _, err := readings.AppendAll(context.Background(), all); err != nil {
		log.Fatal(err)
	}
	fold(table, readings.Kind()) // the aggregate function does this
	return readings, table
}

// Read the newest readings that meet a condition, with some of their fields.
func ExampleEvents_History() {
	readings, _ := opened()
	for r, err := range readings.History(context.Background(), timeseries.Key{Subject: "sensor_01"},
		timeseries.Where("temperature", model.Less, 50), timeseries.Only("temperature"),
		timeseries.Newest(), timeseries.Limit(2)) {
		fmt.Println(r.At.Format(time.TimeOnly), r.Temperature, r.Location == "", err)
	}
	// Output:
	// 16:09:00 1 true <nil>
	// 16:08:00 1 true <nil>
}

// Read several streams of a subject as one history.
func ExampleEvents_MergedHistory() {
	ctx := context.Background()
	readings, _ := opened()
	door := Reading{Device: "sensor_01", Stream: "door", At: today.Add(-time.Hour - time.Minute),
		Location: "roof"}
	if _, err := readings.Append(ctx, door); err != nil {
		log.Fatal(err)
	}
	streams := []timeseries.Key{{Subject: "sensor_01"}, {Subject: "sensor_01", Stream: "door"}}
	for r, err := range readings.MergedHistory(ctx, streams, timeseries.Newest(), timeseries.Limit(3)) {
		fmt.Printf("%s %q %s %v\n", r.At.Format(time.TimeOnly), r.Stream, r.Location, err)
	}
	// Output:
	// 17:00:00 "" roof <nil>
	// 16:59:00 "door" roof <nil>
	// 16:09:00 "" hall <nil>
}

// Read one page at a time, for callers that stop and continue later.
func ExampleEvents_Page() {
	ctx := context.Background()
	readings, _ := opened()
	key, next := timeseries.Key{Subject: "sensor_01"}, ""
	for {
		page, err := readings.Page(ctx, key, timeseries.Limit(6), timeseries.After(next))
		fmt.Println(len(page.Entries), err)
		if next = page.Next; next == "" {
			break
		}
	}
	// Output:
	// 6 <nil>
	// 5 <nil>
}

// Count readings, and measure what the count costs.
func ExampleEvents_Count() {
	ctx, meter := model.WithReadMeter(context.Background())
	readings, _ := opened()
	n, err := readings.Count(ctx, timeseries.Key{Subject: "sensor_01"},
		timeseries.Where("location", model.Equal, "hall"))
	fmt.Println(n.Events, err, meter.Cost().Requests, "requests")
	// Output:
	// 10 <nil> 2 requests
}

// Read the rollups of one tier. Averages are weighted by the number of values.
func ExampleEvents_Rollups() {
	readings, _ := opened()
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		found, err := readings.Rollups(context.Background(), timeseries.Key{Subject: "sensor_01"}, unit)
		for _, r := range found.Rollups {
			m := r.Measure("temperature")
			avg, _ := m.Avg()
			fmt.Printf("%s: %d values, sum %s, average %.4f %v\n", r.Bucket, m.Count, m.Sum, avg, err)
		}
	}
	// Output:
	// hour 2026-04-20-16: 10 values, sum 10, average 1.0000 <nil>
	// hour 2026-04-20-17: 1 values, sum 90, average 90.0000 <nil>
	// day 2026-04-20: 11 values, sum 100, average 9.0909 <nil>
}

// Chart chooses the finest tier that still exists for the whole range, and explains the choice.
func ExampleEvents_Chart() {
	ctx := context.Background()
	readings, _ := opened()
	key := timeseries.Key{Subject: "sensor_01"}
	for _, span := range []time.Duration{2 * time.Hour, 365 * 24 * time.Hour} {
		curve, err := readings.Chart(ctx, key, timeseries.In(today.Add(-span), today), timeseries.Stitched())
		total := curve.Total()
		m, _ := total.Summary.Measure("temperature")
		fmt.Println(curve.Reason)
		fmt.Println(len(curve.Rollups), "points,", m.Count, "values,", curve.Cost.Items, "items read,", err)
	}
	// Output:
	// hourly: the finest tier
	// 2 points, 11 values, 2 items read, <nil>
	// daily: 2430 points, the newest of them hourly, are more than 1500
	// 1 points, 11 values, 1 items read, <nil>
}

// Append on a condition. If it fails, the outcome is conflict.
func ExampleIf() {
	ctx := context.Background()
	readings, _ := opened()
	newer := Reading{Device: "sensor_01", At: today, Temperature: number("20"), Location: "roof"}
	for _, location := range []string{"hall", "roof"} {
		out, err := readings.Append(ctx, newer, timeseries.If("location", model.Equal, location))
		fmt.Println(location, out.Outcome, err != nil)
	}
	// Output:
	// hall conflict true
	// roof applied false
}

// Append in a transaction with other items. With DynamoDB, Table.TransactItems returns the
// items to send; the table in memory stores them directly.
func ExampleEvents_TransactItems() {
	ctx := context.Background()
	readings, table := opened()
	part, err := readings.TransactItems(Reading{Device: "sensor_01", At: today, Temperature: number("20")})
	if err != nil {
		log.Fatal(err)
	}
	stored, err := table.Append(ctx, part.Transaction)
	if err != nil {
		log.Fatal(err)
	}
	result, err := part.Result(stored)
	fmt.Println(result.Outcome, err)
	// Output:
	// applied <nil>
}

// Find all devices whose latest location is the hall. The kind declares an index of its
// latest items by location.
func ExampleEvents_LatestBy() {
	ctx := context.Background()
	kind := iot.Readings
	kind.LatestBy = []catalog.LatestIndex{{By: []string{"location"}, Half: catalog.HalfPreserve}}
	readings, err := timeseries.Open[Reading](newTable(), kind, &timeseries.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range []Reading{
		{Device: "sensor_01", At: today, Location: "hall"},
		{Device: "sensor_02", At: today, Location: "roof"},
		{Device: "sensor_03", At: today, Location: "hall"},
	} {
		if _, err := readings.Append(ctx, r); err != nil {
			log.Fatal(err)
		}
	}
	page, err := readings.LatestBy(ctx, []string{"hall"})
	for _, e := range page.Entries {
		fmt.Println(e.Value.Device, e.Err, err)
	}
	// Output:
	// sensor_01 <nil> <nil>
	// sensor_03 <nil> <nil>
}
