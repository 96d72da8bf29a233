package storetest

import (
	"context"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var meterFacts = []fact{
	{"a read of one item costs half a read unit; one if strongly consistent", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21)))
		for consistent, units := range map[bool]float64{false: .5, true: 1} {
			c.cost(model.ReadCost{Requests: 1, Items: 1, Units: units}, func(ctx context.Context) error {
				_, err := c.table.Latest(ctx, series, consistent)
				return err
			})
		}
	}},
	{"a read of an absent item costs as much as of one item", func(c *contract) {
		c.cost(model.ReadCost{Requests: 1, Units: .5}, func(ctx context.Context) error {
			_, err := c.table.Latest(ctx, series, false)
			return err
		})
		c.cost(model.ReadCost{Requests: 1, Units: .5}, func(ctx context.Context) error {
			_, err := c.table.Profile(ctx, sensor, false)
			return err
		})
	}},
	{"a page costs by its size, not by the number of its items", func(c *contract) {
		var events []model.Event
		for i := range 9 { // about a kilobyte each
			events = append(events, reading(i, "", "text", strings.Repeat("x", 900)))
		}
		c.putEvents(events...)
		r := wholeDay()
		r.Consistent = true
		c.cost(model.ReadCost{Requests: 1, Items: 9, Units: 3}, func(ctx context.Context) error {
			_, err := c.table.Events(ctx, r)
			return err
		})
	}},
	{"a page of the second index is metered", func(c *contract) {
		indexed := reading(0, "", "text", "x")
		indexed.IndexBy = "text"
		c.putEvents(indexed)
		c.cost(model.ReadCost{Requests: 1, Items: 1, Units: .5}, func(ctx context.Context) error {
			_, err := c.table.QueryIndex(ctx,
				storage.EventIndexQuery{Kind: "READING", Field: "text", Value: "x", From: minute(0), To: minute(1)})
			return err
		})
	}},
}

// cost compares the cost of a read with want.
func (c *contract) cost(want model.ReadCost, read func(context.Context) error) {
	c.Helper()
	ctx, meter := model.WithReadMeter(c.Context())
	if err := read(ctx); err != nil {
		c.Fatalf("read: %v", err)
	}
	c.equal("cost", meter.Cost(), want)
}
