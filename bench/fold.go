package bench

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// spec says how the shipped kind READING is summarised.
var spec = iot.Readings.Spec()

func hourOfEvents(device string, n int) (events []model.Event) {
	for i := range n {
		events = append(events, reading(device, i))
	}
	return events
}

// foldOurs reads a bucket as a recomputation does: from the bytes of the page to the sum.
func foldOurs(table *dynamo.Table, r storage.Range) *rollup.Fold {
	f := rollup.NewFold(spec)
	must(table.EachEvent(context.Background(), r, f.AddEvent))
	return f
}

// openHour returns a read of the hour that has begun, as a reader of charts sends it, through a store.
func openHour(store query.Store, r storage.Range) func() rollup.Row {
	live := &query.Live{
		Store: store, Watermarks: sweptUntil(began), Kind: query.CatalogKinds(deferringKinds()),
		Now: func() model.Time { return r.To - 1 },
	}
	return func() rollup.Row {
		page := must(live.Rows(context.Background(), tier.Hour, r))
		if len(page.Rows) != 1 {
			panic(fmt.Sprint(len(page.Rows), " rows of an hour"))
		}
		return page.Rows[0]
	}
}

// sweptUntil returns low watermarks of a time.
func sweptUntil(t model.Time) query.Swept {
	marks := query.Swept{Generations: storage.Generations{storage.FirstGeneration},
		Through: map[storage.QueueShard]model.Time{}}
	for _, shard := range storage.FirstGeneration.QueueShards() {
		marks.Through[shard] = t
	}
	return marks
}

// copying is a table whose readers copy each event of a page into a slice first.
type copying struct{ query.Store }

// standardEvents reads the same page with the SDK's Query and attributevalue.
func standardEvents(ctx context.Context, client *dynamodb.Client, r storage.Range) ([]model.Event, error) {
	lo, hi := keys.EventRange(r.Series, r.From, r.To)
	out, err := client.Query(ctx, &dynamodb.QueryInput{
		TableName: aws.String("tidemark"), ConsistentRead: aws.Bool(true),
		KeyConditionExpression:   aws.String("#pk = :pk AND #sk BETWEEN :lo AND :hi"),
		ExpressionAttributeNames: map[string]string{"#pk": "pk", "#sk": "sk"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: keys.Partition(r.Series)},
			":lo": &types.AttributeValueMemberS{Value: lo}, ":hi": &types.AttributeValueMemberS{Value: hi},
		},
	})
	if err != nil {
		return nil, err
	}
	events := make([]model.Event, 0, len(out.Items))
	for _, attributes := range out.Items {
		var row standardReading
		if err := attributevalue.UnmarshalMap(attributes, &row); err != nil {
			return nil, err
		}
		e, err := row.event()
		if err != nil {
			return nil, err
		}
		events = append(events, *e)
	}
	return events, nil
}

func foldStandard(client *dynamodb.Client, r storage.Range) *rollup.Fold {
	f := rollup.NewFold(spec)
	events := must(standardEvents(context.Background(), client, r))
	for i := range events {
		f.AddEvent(&events[i])
	}
	return f
}

func folding(o options) *section {
	const n = 3600
	events := hourOfEvents("sensor_0001", n)
	page := &service{events: eventsPage(events)}
	empty := &service{events: eventsPage(nil)}
	table, client := dynamo.New(page.client(), "tidemark"), page.client()
	none := dynamo.New(empty.client(), "tidemark")
	r := storage.Range{Series: events[0].Series, From: began, To: began + 3600_000, Consistent: true}
	if a, b := foldOurs(table, r), foldStandard(client, r); a.Digest != b.Digest ||
		!bytes.Equal(a.Summary.Encode(nil), b.Summary.Encode(nil)) {
		panic("the two ways fold to different rows")
	}
	decoded := must(standardEvents(context.Background(), client, r))
	open, copied := openHour(table, r), openHour(copying{table}, r)
	if row, other := open(), copied(); !row.Covers(foldOurs(table, r)) || !other.Covers(&row.Fold) {
		panic("a reader folds another row")
	}
	samples := race(o.rounds, o.each,
		contender{name: "ours", per: n, run: func() { keep(foldOurs(table, r).Children) }},
		contender{
			name: "SDK's Query and attributevalue", per: n,
			run: func() { keep(foldStandard(client, r).Children) },
		},
		contender{name: "both ways: the fold only", per: n, run: func() {
			f := rollup.NewFold(spec)
			for i := range decoded {
				f.AddEvent(&decoded[i])
			}
			keep(f.Children)
		}},
		contender{name: "ours: an empty page", per: n, run: func() { keep(foldOurs(none, r).Children) }},
		contender{name: "ours: a reader of the open hour", per: n, run: func() { keep(open().Children) }},
		contender{name: "ours: such a reader, from a slice of events", per: n, run: func() {
			keep(copied().Children)
		}},
	)
	o.cpu.event = time.Duration(samples["ours"].median())
	s := &section{
		title: "A bucket, from the bytes of its page to its summary",
		intro: fmt.Sprintf("An hour of 3,600 readings with 3 measures and percentiles, %d B in one page, returned by the same process without "+
			"latency. Each way sends the SDK's request, decodes the response, and adds the events up to the same row, byte for byte.", len(page.events)),
		head: []string{"way", "ns an event (range)", "allocations an event", "times ours (range)"},
	}
	for _, way := range []string{
		"ours", "SDK's Query and attributevalue", "both ways: the fold only", "ours: an empty page",
		"ours: a reader of the open hour", "ours: such a reader, from a slice of events",
	} {
		ratio, spread := samples["ours"].ratio(samples[way])
		s.row(way, fmt.Sprintf("%s (%s)", short(samples[way].median()), samples[way].spread()),
			short(samples[way].allocs), fmt.Sprintf("%s (%s)", short(ratio), spread))
	}
	ratio, spread := samples["ours"].ratio(samples["SDK's Query and attributevalue"])
	s.goal(ratio >= 10, "≥ 10 × the SDK's Query, attributevalue and the same fold", "%s × (%s)", short(ratio),
		spread)
	allocs := samples["ours"].allocs - samples["ours: an empty page"].allocs
	s.goal(allocs <= 0.05, "≤ 0.05 allocations an event, without the request's own", "%s", short(max(0, allocs)))
	ratio, spread = samples["ours"].ratio(samples["ours: a reader of the open hour"])
	s.goal(ratio <= 1.25, "a reader of the open hour ≤ 1.25 × a recomputation", "%s × (%s)", short(ratio),
		spread)
	s.note("Nearly half of our time is the fold, which both ways do: exact sums of numbers and of their squares, a sketch for each " +
		"measure, and a SHA-256 of each event for the digest. Tried and kept: 64-bit integers from the decimal to the sums, " +
		"bounds compared as integers, the position of a value in a sketch found from the previous one (with the 64-bit integers, " +
		"more than a quarter of the fold), caching the hashed bytes of a series. Not tried: a faster hash, because audits depend " +
		"on digests.")
	return s
}
