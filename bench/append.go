package bench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The load of the append contenders: series that are appended to concurrently, each in order.
const (
	appendSeries = 8
	appendEach   = 490
	appendWarm   = 98              // appended by the contender to other series, before the measurement
	serverWarm   = 8 * time.Second // of appends in batches and single appends before that, because the server compiles frequent code
	appendBatch  = 98              // events per call, which fit in one transaction
	appendersAt  = 8
)

func ingestInto(client *dynamodb.Client) (*ingest.Service, *catalog.Kind) {
	cat := must(catalog.New(iot.Kinds()...))
	kind, _ := cat.Kind(iot.Readings.Name)
	clock := func() model.Time { return began + 86400_000 }
	return &ingest.Service{Store: dynamo.New(client, appendTable), Limits: config.Default().Limits, Now: clock,
		Rand: rand.Reader}, kind
}

// appender appends the load and returns the number of events per second.
type appender func(create func(context.Context, *dynamodb.Client) error) (perSecond float64, err error)

// ours appends with Tidemark, batch events per call.
func ours(batch int) appender {
	return func(create func(context.Context, *dynamodb.Client) error) (perSecond float64, err error) {
		err = onServer(create, func(client *dynamodb.Client, _ string) error {
			in, kind := ingestInto(client)
			if err := appendEvents(in, kind, "warm", appendWarm, batch); err != nil {
				return err
			}
			began := time.Now()
			err := appendEvents(in, kind, "sensor", appendEach, batch)
			perSecond = appendSeries * appendEach / time.Since(began).Seconds()
			return err
		})
		return perSecond, err
	}
}

func appendEvents(in *ingest.Service, kind *catalog.Kind, name string, each, batch int) error {
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

// electro appends with ElectroDB under Node.
func electro(o options) appender {
	return func(create func(context.Context, *dynamodb.Client) error) (perSecond float64, err error) {
		err = onServer(create, func(_ *dynamodb.Client, endpoint string) error {
			cmd := exec.Command("node", "append.mjs", endpoint, appendTable, strconv.Itoa(appendSeries),
				strconv.Itoa(appendEach), strconv.Itoa(appendersAt), strconv.Itoa(appendWarm))
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

func appending(o options) *section {
	s := &section{
		title: "Append, on DynamoDB Local",
		intro: fmt.Sprintf("%d events of %d series, %d at once. Each round uses a fresh server, with the contenders in alternating order. The "+
			"server first receives appends for %s, half in batches and half one by one, because a new server is several times "+
			"slower. ElectroDB 3.9.3 under Node sends a transaction of event and latest item, each with its condition. The goals "+
			"apply to a table with the primary key only: with our table, DynamoDB Local also maintains two indexes and the stream in "+
			"each write, which DynamoDB does not. Our table has half as many rounds. What the server itself takes in each form of a "+
			"write prints `go test ./internal/local/ddb -run - -bench Writes`: it bounds `tidemark dev`.",
			appendSeries*appendEach, appendSeries, appendersAt, serverWarm),
		head: []string{"table", "way", "events a second (range)"},
	}
	ways := []struct {
		name string
		run  appender
	}{
		{"Tidemark, 98 events of a series in one call", ours(appendBatch)},
		{"Tidemark, one by one", ours(1)},
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
			s.row(on.name, w.name,
				fmt.Sprintf("%s (%s–%s)", short(median(rates[i])), short(least(rates[i])), short(most(rates[i]))))
		}
		if batches, one := median(rates[0])/median(rates[2]), median(rates[1])/median(rates[2]); n == 0 {
			s.goal(batches >= 8, "in batches ≥ 8 × ElectroDB's one by one", "%s ×", short(batches))
			s.goal(one >= 1.5, "one by one ≥ 1.5 × ElectroDB's", "%s ×", short(one))
		} else {
			s.note("On our table: %s × in batches and %s × one by one.", short(batches), short(one))
		}
	}
	ours, bare, err := single(400)
	if err != nil {
		s.note("Single appends were not measured: %v", err)
		return s
	}
	s.row(tables[0].name, "Tidemark, a single append, p50", fmt.Sprintf("%s ms", short(median(ours))))
	s.row(tables[0].name, "bare TransactWriteItems of the same items, p50",
		fmt.Sprintf("%s ms", short(median(bare))))
	s.goal(median(ours) <= 1.1*median(bare), "a single append's p50 ≤ 1.1 × a bare TransactWriteItems", "%s ×",
		short(median(ours)/median(bare)))
	s.note("Most of the time is the server's own work, on the same cores. One by one, both clients send the same two items with the " +
		"same conditions, so only the clients' own work differs. Ours takes a twelfth more than the bare call, so there is " +
		"little left to save. The first append to a series takes a second request: the first one fails because there is no " +
		"latest item, the second creates it and checks the purge lock.")
	return s
}
