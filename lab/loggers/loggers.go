// Package loggers reads the field logger data and the independent oracle with the expected buckets.
// See test/data/NOTICE.
package loggers

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Map assigns the columns of the data to observations, as an argument of `tidemark replay --map`.
const Map = "subject=device,stream=metric,time=ts,id=rec,value=value"

// Measure is the measure of the value column.
const Measure = "value"

// Expect is the expected content of one bucket. Numbers are exact decimals; nil if the bucket has
// no valid value.
type Expect struct {
	Count, Invalid             int64
	Sum, Min, Max, First, Last *model.Decimal
	Avg, Stddev                *model.Decimal // to 12 decimals
	P50, P95, P99              *model.Decimal // the nearest rank
}

// ReadOracle reads a gzipped oracle file: the expected content of each series, tier and bucket.
func ReadOracle(path string) (map[rollup.Key]Expect, error) {
	expects := map[rollup.Key]Expect{}
	err := readCSV(path, func(get func(string) string) error {
		start, err := time.Parse(time.RFC3339, get("bucket"))
		if err != nil {
			return err
		}
		key := rollup.Key{Series: series(get("device"), get("metric")), Tier: get("tier"),
			Start: model.NewTime(start)}
		var e Expect
		if _, err := fmt.Sscan(get("count")+" "+get("invalid"), &e.Count, &e.Invalid); err != nil {
			return err
		}
		for column, into := range map[string]**model.Decimal{
			"sum": &e.Sum, "min": &e.Min, "max": &e.Max, "first": &e.First, "last": &e.Last,
			"avg": &e.Avg, "stddev_pop": &e.Stddev,
			"p50_disc": &e.P50, "p95_disc": &e.P95, "p99_disc": &e.P99,
		} {
			if *into, err = optional(get(column)); err != nil {
				return fmt.Errorf("column %s: %w", column, err)
			}
		}
		expects[key] = e
		return nil
	})
	return expects, err
}

func series(device, metric string) model.Series {
	return model.Series{Subject: model.Subject{Type: "DEVICE", ID: device}, Kind: "READING", Stream: metric}
}

func optional(text string) (*model.Decimal, error) {
	if text == "" {
		return nil, nil
	}
	d, err := model.ParseDecimal(text)
	return &d, err
}

// readCSV calls each for every row of a gzipped CSV file with a header.
func readCSV(path string, each func(get func(column string) string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read logger data: %w", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	rows := csv.NewReader(unzipped)
	header, err := rows.Read()
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	at := map[string]int{}
	for i, column := range header {
		at[column] = i
	}
	for line := 2; ; line++ {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = each(func(column string) string { return row[at[column]] })
		}
		if err != nil {
			return fmt.Errorf("read %s line %d: %w", path, line, err)
		}
	}
}
