package timeseries_test

import (
	"context"
	"log"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Reading is what a device measured at one moment.
type Reading struct {
	Device      string         `tide:"subject"`
	Stream      string         `tide:"stream"`
	At          time.Time      `tide:"time"`
	ID          string         `tide:"id"`
	Temperature *model.Decimal `tide:"measure,scale=9,percentiles"`
	Location    string         `tide:"field"`
	AccountID   string         `tide:"enrichment"`
}

// today is the clock of every test and example of this package.
var today = time.Date(2026, 4, 20, 18, 0, 0, 0, time.UTC)

func clock() time.Time { return today }

// newTable is a table in memory; a program would say dynamo.New(client, "tidemark").
func newTable() *memory.Table {
	return memory.New(func() model.Time { return model.TimeOf(clock()) })
}

// fold does what the aggregate function does with the table's stream.
func fold(table *memory.Table, kind catalog.Kind) {
	kinds, err := catalog.New(kind)
	if err != nil {
		log.Fatal(err)
	}
	aggregator := &aggregate.Aggregator{Store: table, Quarantine: table, Catalog: kinds, Now: func() model.Time { return model.TimeOf(clock()) }}
	var changes []model.Change
	for _, record := range table.Records(0) {
		if key, err := keys.ParseEvent(record.Keys); err == nil && record.Name == memory.Insert {
			changes = append(changes, model.Change{What: model.Inserted, Key: key, Seq: strconv.FormatUint(record.Seq, 10), At: record.At})
		}
	}
	if report := aggregator.Settle(context.Background(), changes); len(report.Failures) > 0 {
		log.Fatalf("fold: %+v", report)
	}
}

func number(text string) *model.Decimal {
	d := model.MustDecimal(text)
	return &d
}
