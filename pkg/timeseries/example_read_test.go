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

// opened is a kind with the readings of two hours: ten of 1, then one of 90.
func opened() (*timeseries.Events[Reading], *memory.Table) {
	table := newTable()
	readings, err := timeseries.Open[Reading](table, iot.Readings, timeseries.WithClock(clock), timeseries.WithCursorKey([]byte("thirty-two bytes of your own, ...")))
	if err != nil {
		log.Fatal(err)
	}
	var all []Reading
	for i := range 10 {
		all = append(all, Reading{Device: "sensor_01", At: today.Add(-2*time.Hour + time.Duration(i)*time.Minute), Temperature: number("1"), Location: "hall"})
	}
	all = append(all, Reading{Device: "sensor_01", At: today.Add(-time.Hour), Temperature: number("90"), Location: "roof"})
	if _, err := readings.AppendAll(context.Background(), all); err != nil {
		log.Fatal(err)
	}
	fold(table, readings.Kind()) // the aggregate function does this
	return readings, table
}

// The newest readings that meet a condition, with the fields that are wanted.
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

// A page at a time, for callers that stop and go on.
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

// How many there are, and what it cost to count them.
func ExampleEvents_Count() {
	ctx, meter := model.Metered(context.Background())
	readings, _ := opened()
	n, err := readings.Count(ctx, timeseries.Key{Subject: "sensor_01"}, timeseries.Where("location", model.Equal, "hall"))
	fmt.Println(n.Events, err, meter.Cost().Requests, "request")
	// Output:
	// 10 <nil> 1 request
}

// The rollups of one tier. Means are weighted by what they are of.
func ExampleEvents_Rollups() {
	readings, _ := opened()
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		found, err := readings.Rollups(context.Background(), timeseries.Key{Subject: "sensor_01"}, unit)
		for _, r := range found {
			m := r.Measure("temperature")
			avg, _ := m.Avg()
			fmt.Printf("%s: %d values, sum %s, mean %.4f %v\n", r.Bucket, m.Count, m.Sum, avg, err)
		}
	}
	// Output:
	// hour 2026-04-20-16: 10 values, sum 10, mean 1.0000 <nil>
	// hour 2026-04-20-17: 1 values, sum 90, mean 90.0000 <nil>
	// day 2026-04-20: 11 values, sum 100, mean 9.0909 <nil>
}

// A chart is of the finest tier that still exists for the whole range, and says why.
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
	// hourly: the finest tier there is
	// 2 points, 11 values, 2 items read, <nil>
	// daily: 2430 points, the newest of them hourly, are more than 1500
	// 1 points, 11 values, 1 items read, <nil>
}

// An append on a condition of one's own: where it fails, the verdict says so, and not
// that the reading came late.
func ExampleIf() {
	ctx := context.Background()
	readings, _ := opened()
	newer := Reading{Device: "sensor_01", At: today, Temperature: number("20"), Location: "roof"}
	for _, place := range []string{"hall", "roof"} {
		out, err := readings.Append(ctx, newer, timeseries.If("location", model.Equal, place))
		fmt.Println(place, out.Verdict, err)
	}
	// Output:
	// hall conflict <nil>
	// roof applied <nil>
}

// An append as a part of a transaction of one's own. On DynamoDB the items are made by
// Table.TransactItems and stand beside others; the table in memory takes them alone.
func ExampleEvents_TransactItems() {
	ctx := context.Background()
	readings, table := opened()
	part, err := readings.TransactItems(Reading{Device: "sensor_01", At: today, Temperature: number("20")})
	if err != nil {
		log.Fatal(err)
	}
	reply, err := table.Append(ctx, part.Transaction)
	if err != nil {
		log.Fatal(err)
	}
	out, err := part.Outcome(reply)
	fmt.Println(out.Verdict, out.Current.Temperature, err)
	// Output:
	// applied 20 <nil>
}

// The currents of all devices whose last reading said that they stand in the hall: the
// kind declares an index of its currents by location.
func ExampleEvents_Currents() {
	ctx := context.Background()
	kind := iot.Readings
	kind.CurrentBy = []catalog.CurrentIndex{{By: []string{"location"}, Half: catalog.HalfPreserve}}
	readings, err := timeseries.Open[Reading](newTable(), kind, timeseries.WithClock(clock))
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
	page, err := readings.Currents(ctx, []string{"hall"})
	for _, e := range page.Entries {
		fmt.Println(e.Value.Device, e.Err, err)
	}
	// Output:
	// sensor_01 <nil> <nil>
	// sensor_03 <nil> <nil>
}
