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

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/config"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/ingest"
	"github.com/tidemark-db/tidemark/pkg/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The load of the append contenders: series that are appended to side by side, each in
// order.
const (
	appendSeries = 8
	appendEach   = 490
	appendWarm   = 98 // of as many series more, before the clock starts: a fresh server is slow
	appendBatch  = 98 // events of a call, which one transaction takes
	appendersAt  = 8
)

// onServer runs work against a DynamoDB Local of its own with an empty table.
func onServer(work func(client *dynamodb.Client, endpoint, table string) error) error {
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
	if err := dynamo.New(client, "bench").Create(ctx); err != nil {
		return err
	}
	return work(client, server.Endpoint, "bench")
}

func ingestInto(client *dynamodb.Client, table string) (*ingest.Service, *catalog.Kind) {
	cat := must(catalog.New(iot.Kinds()...))
	kind, _ := cat.Kind(iot.Readings.Name)
	clock := func() model.Time { return began + 86400_000 }
	return &ingest.Service{Store: dynamo.New(client, table), Limits: config.Default().Limits, Now: clock, Rand: rand.Reader}, kind
}

// appendOurs appends the load, so many events to a call, and answers events a second.
func appendOurs(batch int) (perSecond float64, err error) {
	err = onServer(func(client *dynamodb.Client, _, table string) error {
		in, kind := ingestInto(client, table)
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
	drafts := make([]ingest.Draft, n)
	for i := range drafts {
		e := reading(device, from+i)
		drafts[i] = ingest.Draft{Subject: device, At: e.At, Attrs: e.Attrs}
	}
	outcomes, err := in.AppendEvents(context.Background(), kind, drafts)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Verdict != model.Applied {
			return fmt.Errorf("append to %s: %s", device, o.Verdict)
		}
	}
	return nil
}

// appendElectro is the same by ElectroDB under Node.
func appendElectro(o options) (perSecond float64, err error) {
	err = onServer(func(_ *dynamodb.Client, endpoint, table string) error {
		cmd := exec.Command("node", "append.mjs", endpoint, table, strconv.Itoa(appendSeries), strconv.Itoa(appendEach), strconv.Itoa(appendersAt), strconv.Itoa(appendWarm))
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

// single times appends one after the other, ours and the SDK's own call of the same
// items, in turn, and answers milliseconds.
func single(n int) (ours, bare []float64, err error) {
	err = onServer(func(client *dynamodb.Client, _, table string) error {
		in, kind := ingestInto(client, table)
		for i := range n {
			e := reading("bare", i)
			for _, way := range [2]struct {
				to  *[]float64
				run func() error
			}{
				{&ours, func() error { return appendTo(in, kind, "ours", i, 1) }},
				{&bare, func() error { return transact(client, table, &e, i) }},
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
func transact(client *dynamodb.Client, table string, e *model.Event, i int) error {
	values := map[string]types.AttributeValue{}
	put := sdkItem(item.FromEvent(e))
	set := "SET "
	names := map[string]string{}
	for name, v := range sdkItem(item.FromCurrent(&model.Current{Series: e.Series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt})) {
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
	names["#at"] = keys.AttrAt
	values[":first"] = &types.AttributeValueMemberS{Value: e.At.String()}
	current := keys.Current(e.Series)
	_, err := client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: &table, UpdateExpression: &set, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ConditionExpression: aws.String("attribute_not_exists(#at) OR #at < :first"),
			Key:                 map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: current.PK}, "sk": &types.AttributeValueMemberS{Value: current.SK}}}},
		{Put: &types.Put{TableName: &table, Item: put, ConditionExpression: aws.String("attribute_not_exists(pk)")}},
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
		intro: fmt.Sprintf("%d events of %d series, %d at once, each round on a fresh server with an empty table of ours, contenders in alternating order. "+
			"ElectroDB 3.9.3 under Node appends as its users do: a transaction of event and current, each on its condition.", appendSeries*appendEach, appendSeries, appendersAt),
		head: []string{"way", "events a second (range)"},
	}
	ways := []struct {
		name string
		run  func() (float64, error)
	}{
		{"ours, 98 events of a series in one call", func() (float64, error) { return appendOurs(appendBatch) }},
		{"ours, one by one", func() (float64, error) { return appendOurs(1) }},
		{"ElectroDB, one by one", func() (float64, error) { return appendElectro(o) }},
	}
	rates := map[string][]float64{}
	for round := range o.rounds {
		for i := range ways {
			w := ways[(i+round)%len(ways)]
			rate, err := w.run()
			if err != nil {
				s.note("Not measured: %s: %v", w.name, err)
				return s
			}
			rates[w.name] = append(rates[w.name], rate)
		}
	}
	for _, w := range ways {
		all := rates[w.name]
		s.row(w.name, fmt.Sprintf("%s (%s–%s)", short(median(all)), short(least(all)), short(most(all))))
	}
	theirs := median(rates[ways[2].name])
	s.goal(median(rates[ways[0].name]) >= 8*theirs, "in batches ≥ 8 × ElectroDB's one by one", "%s ×", short(median(rates[ways[0].name])/theirs))
	s.goal(median(rates[ways[1].name]) >= 1.5*theirs, "one by one ≥ 1.5 × ElectroDB's", "%s ×", short(median(rates[ways[1].name])/theirs))
	s.note("Most of each number is the server's own work, on the same cores. The first call for a series takes a second request: the one that takes current for granted is refused, " +
		"and the one that makes it checks the gate.")
	ours, bare, err := single(400)
	if err != nil {
		s.note("Single appends were not measured: %v", err)
		return s
	}
	s.row("ours, a single append, p50", fmt.Sprintf("%s ms", short(median(ours))))
	s.row("bare TransactWriteItems of the same items, p50", fmt.Sprintf("%s ms", short(median(bare))))
	s.goal(median(ours) <= 1.1*median(bare), "a single append's p50 ≤ 1.1 × a bare TransactWriteItems", "%s ×", short(median(ours)/median(bare)))
	return s
}
