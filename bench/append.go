package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The load of the append contenders: series that are appended to side by side, each in
// order.
const (
	appendSeries = 8
	appendEach   = 490
	appendWarm   = 98              // of as many series more, before the clock starts, which the contender appends
	serverWarm   = 8 * time.Second // of appends of either form before that: the server compiles what it does often
	appendBatch  = 98              // events of a call, which one transaction takes
	appendersAt  = 8
)

// tables are what is appended to. DynamoDB Local does the work of indexes and stream
// within each write, though no reading is in an index; DynamoDB does not.
var tables = []struct {
	name   string
	create func(context.Context, *dynamodb.Client) error
}{
	{"the key alone", createBare},
	{"our table", func(ctx context.Context, c *dynamodb.Client) error { return dynamo.New(c, appendTable).Create(ctx) }},
}

const appendTable = "bench"

// createBare makes a table with the key of ours, without indexes, stream and TTL.
func createBare(ctx context.Context, client *dynamodb.Client) error {
	in := &dynamodb.CreateTableInput{TableName: aws.String(appendTable), BillingMode: types.BillingModePayPerRequest}
	for _, k := range []types.KeySchemaElement{{AttributeName: aws.String(keys.AttrPK), KeyType: types.KeyTypeHash}, {AttributeName: aws.String(keys.AttrSK), KeyType: types.KeyTypeRange}} {
		in.KeySchema = append(in.KeySchema, k)
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: k.AttributeName, AttributeType: types.ScalarAttributeTypeS})
	}
	_, err := client.CreateTable(ctx, in)
	return err
}

// onServer runs work against a DynamoDB Local of its own, one that has been at work for a
// while.
func onServer(create func(context.Context, *dynamodb.Client) error, work func(client *dynamodb.Client, endpoint string) error) error {
	ctx := context.Background()
	server, err := ddblocal.Start(ctx, ddblocal.FromEnv())
	if err != nil {
		return err
	}
	defer server.Stop()
	client, err := dynamo.NewClient(ctx, "", server.Endpoint)
	if err != nil {
		return err
	}
	if err := create(ctx, client); err != nil {
		return err
	}
	if err := warm(client); err != nil {
		return err
	}
	return work(client, server.Endpoint)
}

// warm has a server do what it will be measured at, in batches and one by one, the same
// for all contenders. It does so in the table that is measured: a second one slows
// DynamoDB Local down for good.
func warm(client *dynamodb.Client) error {
	in, kind := ingestInto(client)
	until := time.Now().Add(serverWarm)
	var group errgroup.Group
	for i := range appendersAt {
		batch := 1
		if i%2 == 0 {
			batch = appendBatch
		}
		group.Go(func() error {
			for at := 0; time.Now().Before(until); at += batch {
				if err := appendTo(in, kind, fmt.Sprintf("early_%04d", i), at, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func ingestInto(client *dynamodb.Client) (*ingest.Service, *catalog.Kind) {
	cat := must(catalog.New(iot.Kinds()...))
	kind, _ := cat.Kind(iot.Readings.Name)
	clock := func() model.Time { return began + 86400_000 }
	return &ingest.Service{Store: dynamo.New(client, appendTable), Limits: config.Default().Limits, Now: clock, Rand: rand.Reader}, kind
}

// appender is a way to append the load: it answers how many events a second.
type appender func(create func(context.Context, *dynamodb.Client) error) (perSecond float64, err error)

// ours appends so many events to a call.
func ours(batch int) appender {
	return func(create func(context.Context, *dynamodb.Client) error) (perSecond float64, err error) {
		err = onServer(create, func(client *dynamodb.Client, _ string) error {
			in, kind := ingestInto(client)
			if err := appendSeriesOf(in, kind, "warm", appendWarm, batch); err != nil {
				return err
			}
			began := time.Now()
			err := appendSeriesOf(in, kind, "sensor", appendEach, batch)
			perSecond = appendSeries * appendEach / time.Since(began).Seconds()
			return err
		})
		return perSecond, err
	}
}

func appendSeriesOf(in *ingest.Service, kind *catalog.Kind, name string, each, batch int) error {
	var group errgroup.Group
	group.SetLimit(appendersAt)
	for i := range appendSeries {
		group.Go(func() error {
			for at := 0; at < each; at += batch {
				if err := appendTo(in, kind, fmt.Sprintf("%s_%04d", name, i), at, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func appendTo(in *ingest.Service, kind *catalog.Kind, device string, from, n int) error {
	drafts := make([]ingest.TypedObservation, n)
	for i := range drafts {
		e := reading(device, from+i)
		drafts[i] = ingest.TypedObservation{Subject: device, At: e.At, Attrs: e.Attrs}
	}
	outcomes, err := in.AppendEvents(context.Background(), kind, drafts)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Outcome != model.Applied {
			return fmt.Errorf("append to %s: %s", device, o.Outcome)
		}
	}
	return nil
}

// electro is the same by ElectroDB under Node.
func electro(o options) appender {
	return func(create func(context.Context, *dynamodb.Client) error) (perSecond float64, err error) {
		err = onServer(create, func(_ *dynamodb.Client, endpoint string) error {
			cmd := exec.Command("node", "append.mjs", endpoint, appendTable, strconv.Itoa(appendSeries), strconv.Itoa(appendEach), strconv.Itoa(appendersAt), strconv.Itoa(appendWarm))
			cmd.Dir = filepath.Join(o.root, "bench", "electro")
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			var said struct{ Events, Seconds float64 }
			if err := json.Unmarshal(out, &said); err != nil {
				return err
			}
			perSecond = said.Events / said.Seconds
			return nil
		})
		return perSecond, err
	}
}

// single times appends one after the other, ours and the SDK's own call of the same
// items, in turn, and answers milliseconds.
func single(n int) (ours, bare []float64, err error) {
	err = onServer(createBare, func(client *dynamodb.Client, _ string) error {
		in, kind := ingestInto(client)
		for i := range n {
			e := reading("bare", i)
			for _, way := range [2]struct {
				to  *[]float64
				run func() error
			}{
				{&ours, func() error { return appendTo(in, kind, "ours", i, 1) }},
				{&bare, func() error { return transact(client, &e) }},
			} {
				began := time.Now()
				if err := way.run(); err != nil {
					return err
				}
				if i > n/10 { // the first ones warm the server
					*way.to = append(*way.to, float64(time.Since(began).Microseconds())/1e3)
				}
			}
		}
		return nil
	})
	return ours, bare, err
}

// transact is TransactWriteItems of current and event, as they are stored by us.
func transact(client *dynamodb.Client, e *model.Event) error {
	values := map[string]types.AttributeValue{}
	put := sdkItem(item.FromEvent(e))
	set := "SET "
	names := map[string]string{}
	for name, v := range sdkItem(item.FromLatest(&model.Latest{Series: e.Series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt})) {
		if name == keys.AttrPK || name == keys.AttrSK {
			continue
		}
		n := strconv.Itoa(len(names))
		names["#"+n], values[":"+n] = name, v
		if len(names) > 1 {
			set += ","
		}
		set += "#" + n + "=:" + n
	}
	names["#at"] = tablekeys.AttrAt
	values[":first"] = &types.AttributeValueMemberS{Value: e.At.String()}
	current := keys.Latest(e.Series)
	_, err := client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: aws.String(appendTable), UpdateExpression: &set, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ConditionExpression: aws.String("attribute_not_exists(#at) OR #at < :first"),
			Key:                 map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: current.PK}, "sk": &types.AttributeValueMemberS{Value: current.SK}}}},
		{Put: &types.Put{TableName: aws.String(appendTable), Item: put, ConditionExpression: aws.String("attribute_not_exists(pk)")}},
	}})
	return err
}

func sdkItem(it item.Item) map[string]types.AttributeValue {
	out := map[string]types.AttributeValue{}
	for name, v := range it {
		switch v.Type {
		case item.S:
			out[name] = &types.AttributeValueMemberS{Value: v.S}
		case item.N:
			out[name] = &types.AttributeValueMemberN{Value: v.S}
		case item.B:
			out[name] = &types.AttributeValueMemberB{Value: v.B}
		}
	}
	return out
}

func appending(o options) *section {
	s := &section{
		title: "Append, on DynamoDB Local",
		intro: fmt.Sprintf("%d events of %d series, %d at once, each round on a fresh server, contenders in alternating order. Before that each server takes appends "+
			"for %s, half in batches and half one by one, since one that has just started runs several times slower. ElectroDB 3.9.3 under Node appends as its users do: "+
			"a transaction of event and current, each on its condition. The goals are held on a table with the key alone; with ours, DynamoDB Local does the work of two indexes "+
			"and the stream within each write, which DynamoDB does not; half as many rounds go to that.", appendSeries*appendEach, appendSeries, appendersAt, serverWarm),
		head: []string{"table", "way", "events a second (range)"},
	}
	ways := []struct {
		name string
		run  appender
	}{
		{"ours, 98 events of a series in one call", ours(appendBatch)},
		{"ours, one by one", ours(1)},
		{"ElectroDB, one by one", electro(o)},
	}
	for n, on := range tables {
		rates := make([][]float64, len(ways))
		for round := range (o.rounds + n) / (n + 1) {
			for i := range ways {
				at := (i + round) % len(ways)
				rate, err := ways[at].run(on.create)
				if err != nil {
					s.note("Not measured: %s: %v", ways[at].name, err)
					return s
				}
				rates[at] = append(rates[at], rate)
			}
		}
		for i, w := range ways {
			s.row(on.name, w.name, fmt.Sprintf("%s (%s–%s)", short(median(rates[i])), short(least(rates[i])), short(most(rates[i]))))
		}
		if batches, one := median(rates[0])/median(rates[2]), median(rates[1])/median(rates[2]); n == 0 {
			s.goal(batches >= 8, "in batches ≥ 8 × ElectroDB's one by one", "%s ×", short(batches))
			s.goal(one >= 1.5, "one by one ≥ 1.5 × ElectroDB's", "%s ×", short(one))
		} else {
			s.note("On our table it is %s × in batches and %s × one by one.", short(batches), short(one))
		}
	}
	ours, bare, err := single(400)
	if err != nil {
		s.note("Single appends were not measured: %v", err)
		return s
	}
	s.row(tables[0].name, "ours, a single append, p50", fmt.Sprintf("%s ms", short(median(ours))))
	s.row(tables[0].name, "bare TransactWriteItems of the same items, p50", fmt.Sprintf("%s ms", short(median(bare))))
	s.goal(median(ours) <= 1.1*median(bare), "a single append's p50 ≤ 1.1 × a bare TransactWriteItems", "%s ×", short(median(ours)/median(bare)))
	s.note("Most of each number is the server's own work, on the same cores: one by one, both send it the same two items with the same conditions, and only what the clients take differs. Ours takes a twelfth more than the bare call beside it, so that there is little left to save. " +
		"The first call for a series takes a second request: the one that takes current for granted is refused, and the one that makes it checks the gate.")
	return s
}
