package storetest

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

var meterFacts = []fact{
	{"one item costs half a read unit, one strongly consistent", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21)))
		for consistent, units := range map[bool]float64{false: .5, true: 1} {
			c.costs(model.Cost{Requests: 1, Items: 1, Units: units}, func(ctx context.Context) error {
				_, err := c.table.Current(ctx, series, consistent)
				return err
			})
		}
	}},
	{"what is not there costs as much as one item", func(c *contract) {
		c.costs(model.Cost{Requests: 1, Units: .5}, func(ctx context.Context) error {
			_, err := c.table.Current(ctx, series, false)
			return err
		})
		c.costs(model.Cost{Requests: 1, Units: .5}, func(ctx context.Context) error {
			_, err := c.table.Profile(ctx, sensor, false)
			return err
		})
	}},
	{"a page costs by its size, not by its items", func(c *contract) {
		var events []model.Event
		for i := range 9 { // about a kilobyte each
			events = append(events, reading(i, "", "text", strings.Repeat("x", 900)))
		}
		c.stored(events...)
		r := wholeDay()
		r.Consistent = true
		c.costs(model.Cost{Requests: 1, Items: 9, Units: 3}, func(ctx context.Context) error {
			_, err := c.table.Events(ctx, r)
			return err
		})
	}},
	{"a page of the second index is metered too", func(c *contract) {
		indexed := reading(0, "", "text", "x")
		indexed.IndexBy = "text"
		c.stored(indexed)
		c.costs(model.Cost{Requests: 1, Items: 1, Units: .5}, func(ctx context.Context) error {
			_, err := c.table.ByValue(ctx, model.ByValue{Kind: "READING", Field: "text", Value: "x", From: minute(0), To: minute(1)})
			return err
		})
	}},
}

// costs does a read and compares what it cost.
func (c *contract) costs(want model.Cost, read func(context.Context) error) {
	c.Helper()
	ctx, meter := model.Metered(c.Context())
	if err := read(ctx); err != nil {
		c.Fatalf("read: %v", err)
	}
	c.equal("cost", meter.Cost(), want)
}
