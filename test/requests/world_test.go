package requests

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// world is a table with the services of all functions. Each service is one process.
type world struct {
	ctx     context.Context
	counter *counter
	table   *dynamo.Table
	kinds   *catalog.Catalog
	kind    *catalog.Kind
	now     model.Time

	ingest    *ingest.Service
	aggregate *aggregate.Aggregator
	query     *query.Service
	prom      *promapi.API
}

// morning is the hour in which the invocations begin.
var morning = model.NewTime(time.Date(2026, time.March, 10, 10, 0, 0, 0, time.UTC))

func newWorld(t *testing.T) *world {
	w := &world{ctx: t.Context(), now: morning.Add(5 * time.Minute)}
	w.counter = &counter{table: protocol.New("us-east-1", w.clock), sent: map[string]int{}}
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", HTTPClient: w.counter,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
	w.table = dynamo.New(client, "tidemark")
	settings := config.Default(iot.Kinds()...)
	kinds, err := settings.Catalog()
	if err == nil {
		err = w.table.Create(w.ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.kinds = kinds
	w.kind, _ = kinds.Kind(iot.Readings.Name)
	w.ingest = &ingest.Service{
		Store: w.table, PurgeLocks: w.table, Limits: settings.Limits, Now: w.clock, Rand: rand.Reader,
		Queue: queue.NewWriter(w.table, kinds),
	}
	w.aggregate = &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: kinds, Now: w.clock}
	w.startReaders()
	return w
}

// startReaders starts the processes of readers.
func (w *world) startReaders() {
	live := &query.Live{
		Store: w.table, Watermarks: w.table, Stream: w.table, Kind: query.CatalogKinds(w.kinds), Now: w.clock,
	}
	w.query = &query.Service{Store: live, Now: w.clock, CursorKey: []byte("of a page that is continued")}
	w.prom = &promapi.API{
		Catalog: w.kinds, Query: w.query, Engine: promapi.NewEngine(slog.New(slog.DiscardHandler), time.Hour),
		Limits: config.Default().Limits, Log: slog.New(slog.DiscardHandler),
	}
}

func (w *world) clock() model.Time { return w.now }

// device returns the name of a device.
func device(n int) string { return fmt.Sprintf("sensor_%04d", n) }

// append appends readings of devices, so many of each, a second apart.
func (w *world) append(devices, each int) error {
	var all []ingest.TypedObservation
	for n := range devices {
		for i := range each {
			all = append(all, ingest.TypedObservation{
				Subject: device(n), At: w.now.Add(time.Duration(i) * time.Second),
				Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.MustDecimal("21.5"))}},
			})
		}
	}
	w.now = w.now.Add(time.Duration(each) * time.Second)
	results, err := w.ingest.AppendEvents(w.ctx, w.kind, all)
	for _, r := range results {
		if err == nil && r.Outcome != model.Applied {
			err = fmt.Errorf("%v: %v", r.Outcome, r.Errors)
		}
	}
	return err
}

// process processes a batch of the table stream with one new event of each device.
func (w *world) process(devices int) error {
	changes := make([]storage.Change, devices)
	for n := range changes {
		order := model.Order{At: w.now}
		changes[n] = storage.Change{
			Type: storage.Inserted, At: w.now, Seq: fmt.Sprint(n),
			Key: model.EventKey{Series: w.kind.Series(device(n), "", order), Order: order},
		}
	}
	if report := w.aggregate.Process(w.ctx, changes); len(report.Failures) > 0 {
		return report.Failures[0].Err
	}
	return nil
}

// sweep sweeps all queue shards, one after the other.
func (w *world) sweep() error {
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if report, err := w.aggregate.Sweep(w.ctx, shard); err != nil || report.Left > 0 {
			return fmt.Errorf("%d left: %w", report.Left, err)
		}
	}
	return nil
}

// promql evaluates an expression.
func (w *world) promql(expression string) error {
	response := w.prom.Serve(w.ctx, &httpapi.Request{
		Method: "POST", Path: httpapi.PrometheusPath + "/api/v1/query", Body: "query=" + expression,
	})
	if response.Status != 200 {
		return fmt.Errorf("%d: %s", response.Status, response.Body)
	}
	return nil
}
