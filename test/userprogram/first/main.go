package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type Reading struct {
	Device      string    `tide:"subject"`
	At          time.Time `tide:"time"`
	Temperature float64   `tide:"measure"`
}

func main() {
	ctx, now := context.Background(), time.Now()
	client := must(dynamo.NewClient(ctx, "eu-west-1", os.Getenv("TIDEMARK_ENDPOINT")))
	readings := must(timeseries.Open[Reading](dynamo.New(client, os.Getenv("TIDEMARK_TABLE")), iot.Readings,
		nil))
	must(readings.Append(ctx, Reading{Device: "sensor_01", At: now, Temperature: 22.4}))
	hour := must(readings.WaitRollup(ctx, timeseries.Key{Subject: "sensor_01"}, tier.Hour, now, 1))
	fmt.Println(hour.Bucket, hour.Measure("temperature").Sum)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
