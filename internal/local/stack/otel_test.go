package stack

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
)

// The hour that each sender sends: hourSeries points a minute, with the minute as their value.
const (
	hourStart   = 1776693600 // 2026-04-20T14:00:00Z
	hourMinutes = 60
	hourSeries  = 10
)

// playOTel exports the hour with OpenTelemetry's exporter, from a minute on, and prints each minute
// that is exported.
func playOTel(from string) error {
	ctx := context.Background()
	exporter, err := otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithEndpointURL(os.Getenv("TIDEMARK_URL")+"/otlp/v1/metrics"),
		otlpmetrichttp.WithHeaders(map[string]string{"Authorization": "Bearer any"}))
	if err != nil {
		return err
	}
	first, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	for minute := first; minute < hourMinutes; minute++ {
		var points []metricdata.DataPoint[int64]
		for cpu := range hourSeries {
			points = append(points, metricdata.DataPoint[int64]{
				Attributes: attribute.NewSet(attribute.String("cpu", fmt.Sprintf("cpu%d", cpu))),
				Time:       time.Unix(int64(hourStart+60*minute), 0), Value: int64(minute),
			})
		}
		batch := &metricdata.ResourceMetrics{
			Resource: resource.NewSchemaless(attribute.String("host.name", "otel-go")),
			ScopeMetrics: []metricdata.ScopeMetrics{{Metrics: []metricdata.Metrics{
				{Name: "usage", Data: metricdata.Gauge[int64]{DataPoints: points}},
			}}},
		}
		for exporter.Export(ctx, batch) != nil {
			// An exporter drops what a process that died has not acknowledged.
		}
		fmt.Println(minute)
	}
	return nil
}
