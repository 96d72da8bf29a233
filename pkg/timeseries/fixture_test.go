package timeseries_test

import (
	"context"
	"errors"
	"log"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Reading is a measurement of a device at one time.
type Reading struct {
	Device      string         `tide:"subject"`
	Stream      string         `tide:"stream"`
	At          time.Time      `tide:"time"`
	ID          string         `tide:"id"`
	Temperature *model.Decimal `tide:"measure,scale=9,percentiles"`
	Location    string         `tide:"field"`
	AccountID   string         `tide:"enrichment"`
}

// today is the clock of all tests and examples.
var today = time.Date(2026, 4, 20, 18, 0, 0, 0, time.UTC)

func clock() time.Time { return today }

// newTable returns a table in memory. A program would use dynamo.New(client, "tidemark").
func newTable() *memory.Table {
	return memory.New(func() model.Time { return model.NewTime(clock()) })
}

// fold processes the table's stream as the aggregate function does.
func fold(table *memory.Table, kind catalog.Kind) {
	kinds, err := catalog.New(kind)
	if err != nil {
		log.Fatal(err)
	}
	aggregator := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds,
		Now: func() model.Time { return model.NewTime(clock()) }}
	var changes []storage.Change
	for _, record := range table.Records(0) {
		if key, err := keys.ParseEvent(record.Keys); err == nil && record.Name == memory.Insert {
			changes = append(changes,
				storage.Change{Type: storage.Inserted, Key: key, Seq: strconv.FormatUint(record.Seq, 10), At: record.At})
		}
	}
	if report := aggregator.Process(context.Background(), changes); len(report.Failures) > 0 {
		log.Fatalf("fold: %+v", report)
	}
}

func number(text string) *model.Decimal {
	d := model.MustDecimal(text)
	return &d
}

// The tables that Events accepts.
var (
	_ timeseries.Store = (*memory.Table)(nil)
	_ timeseries.Store = (*dynamo.Table)(nil)
)

var errBroken = errors.New("broken")

// broken is a store whose writes of one device have a permanent error.
type broken struct {
	timeseries.Store
	device string
}

func (b *broken) Put(ctx context.Context, event model.Event) (storage.StoreResult, error) {
	if event.Series.Subject.ID == b.device {
		return storage.StoreResult{}, errBroken
	}
	return b.Store.Put(ctx, event)
}
