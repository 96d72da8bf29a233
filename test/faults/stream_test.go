package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

const arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/tidemark/stream/2026-03-01T00:00:00.000"

// streamRecord returns a record of the table stream as Lambda sends it, encoded by Lambda's own types.
func streamRecord(r memory.Record) eventsource.Record {
	record := events.DynamoDBEventRecord{
		EventID: r.EventID, EventName: r.Name, EventSource: "aws:dynamodb", EventVersion: "1.1", EventSourceArn: arn,
		Change: events.DynamoDBStreamRecord{
			ApproximateCreationDateTime: events.SecondsEpochTime{Time: r.At.Time()},
			Keys:                        streamImage(item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}}),
			NewImage:                    streamImage(r.New), OldImage: streamImage(r.Old),
			SequenceNumber: sequenceNumber(r), StreamViewType: "NEW_AND_OLD_IMAGES",
		},
	}
	if r.Service {
		record.UserIdentity = &events.DynamoDBUserIdentity{Type: "Service", PrincipalID: "dynamodb.amazonaws.com"}
	}
	body, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	return eventsource.Record{Seq: sequenceNumber(r), Item: r.Keys.PK + " " + r.Keys.SK, At: r.At, Body: body}
}

func sequenceNumber(r memory.Record) string { return fmt.Sprintf("4000000000%011d", r.Seq) }

func streamImage(it item.Item) map[string]events.DynamoDBAttributeValue {
	if it == nil {
		return nil
	}
	image := map[string]events.DynamoDBAttributeValue{}
	for name, v := range it {
		switch v.Type {
		case item.S:
			image[name] = events.NewStringAttribute(v.S)
		case item.N:
			image[name] = events.NewNumberAttribute(v.S)
		case item.B:
			image[name] = events.NewBinaryAttribute(v.B)
		case item.Bool:
			image[name] = events.NewBooleanAttribute(v.Bool)
		default:
			image[name] = events.NewNullAttribute()
		}
	}
	return image
}

// streamPayload returns the event that Lambda sends for records.
func streamPayload(records ...memory.Record) []byte {
	var batch struct{ Records []json.RawMessage }
	for _, r := range records {
		batch.Records = append(batch.Records, streamRecord(r).Body)
	}
	payload, err := json.Marshal(batch)
	if err != nil {
		panic(err)
	}
	return payload
}

// changes returns the changes in records, decoded as in the function.
func (w *world) changes(records ...memory.Record) []storage.Change {
	w.Helper()
	if len(records) == 0 {
		return nil
	}
	batch, err := new(tablestream.Decoder).Decode(streamPayload(records...))
	if err != nil || len(batch.Poison) > 0 {
		w.Fatalf("decode records: %v, poison %v", err, batch.Poison)
	}
	return batch.Changes
}

// aggregateFunction returns an aggregator as the aggregate function uses it: the response names the first
// record that failed.
func aggregateFunction(a *aggregate.Aggregator) eventsource.Invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		batch, err := new(tablestream.Decoder).Decode(payload)
		if err != nil {
			return nil, err
		}
		for _, p := range batch.Poison {
			if err := a.Quarantine(ctx, p.Quarantined()); err != nil {
				return nil, err
			}
		}
		result := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
		if failures := a.Process(ctx, batch.Changes).Failures; len(failures) > 0 {
			first := batch.Changes[failures[0].Change].Seq
			result.BatchItemFailures = append(result.BatchItemFailures,
				events.DynamoDBBatchItemFailure{ItemIdentifier: first})
		}
		return json.Marshal(result)
	}
}

// tableStream is the table stream from a sequence number. shards assigns records to shards.
type tableStream struct {
	table  *memory.Table
	after  uint64
	shards []eventsource.Shard
	of     func(memory.Record) string // nil: all in one shard
	closed map[string]bool
}

func (w *world) stream() *tableStream {
	return &tableStream{table: w.Table, shards: []eventsource.Shard{{ID: "shard-0"}}}
}

func (s *tableStream) Shards(context.Context) ([]eventsource.Shard, error) { return s.shards, nil }

func (s *tableStream) Read(_ context.Context, shard, after string) (eventsource.Page, error) {
	page := eventsource.Page{Closed: s.closed[shard]}
	for _, r := range s.table.Records(s.after) {
		if s.of == nil || s.of(r) == shard {
			page.Records = append(page.Records, streamRecord(r))
		}
	}
	done := slices.IndexFunc(page.Records, func(r eventsource.Record) bool { return r.Seq == after }) + 1
	page.Records = page.Records[done:]
	return page, nil
}

// mapping returns the deployed mapping of a table stream, with one batch at a time. Sleep uses the
// simulated time of the test.
func (w *world) mapping(source eventsource.Source, invoke eventsource.Invoke) *eventsource.Mapping {
	w.Helper()
	filter, err := eventsource.ParseFilter(tablekeys.AggregateFilter)
	if err != nil {
		w.Fatal(err)
	}
	set := config.Default().Mapping
	return &eventsource.Mapping{
		Source: source, Invoke: invoke, Stream: arn, Now: w.now,
		Settings: eventsource.Settings{
			BatchSize: set.BatchSize, Window: set.Window, MaxRetries: set.MaxRetries, MaxRecordAge: set.MaxAge,
			Bisect: set.Bisect, Filter: filter, ReportFailures: true,
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	}
}

// deliver runs a mapping until every record is acknowledged or given up.
func (w *world) deliver(m *eventsource.Mapping) {
	w.Helper()
	synctest.Test(w.T, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		if err := m.CaughtUp(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the mapping ended with %v", err)
		}
	})
}

// seqs returns the sequence numbers of the records of a payload.
func (w *world) seqs(payload []byte) []string {
	w.Helper()
	batch, err := new(tablestream.Decoder).Decode(payload)
	if err != nil {
		w.Fatal(err)
	}
	return batch.Seqs
}
