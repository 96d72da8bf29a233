package linear

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"golang.org/x/sync/errgroup"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// drilled is the logger whose readings the drill sends, about 5,000.
const drilled = "gwi_w_411"

// restoreDrill fills the table of a stack, restores it to a random moment of its past, kills tidemark restore
// in the middle, starts a stack on the copy, and runs the restore again while senders send everything again
// and functions are killed. Every bucket must equal the oracle. It prints what it did, and how long each
// part took. The requests of tidemark restore go to the database itself, since kills are counted in requests
// through the wire.
func restoreDrill(ctx context.Context, functions string, seed uint64,
	expects map[rollup.Key]loggers.Expect) error {
	maps.DeleteFunc(expects, func(k rollup.Key, _ loggers.Expect) bool { return k.Series.Subject.ID != drilled })
	readings, err := extract(drilled)
	if err != nil {
		return err
	}
	defer os.Remove(readings)
	draw, began := drawFrom(seed, 4), time.Now()
	step := func(format string, args ...any) {
		fmt.Printf("drill     %5.1f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
	database, err := ddblocal.Start(ctx, ddblocal.FromEnv())
	if err != nil {
		return err
	}
	defer database.Stop()
	wire, err := newWire(database.Endpoint, drawFrom(seed, 6))
	if err != nil {
		return err
	}
	defer wire.close()
	table, err := filledAndRestored(ctx, database.Endpoint, functions, readings, draw, step)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	second, err := loggers.StartRig(ctx, loggers.Options{Endpoint: wire.endpoint, Functions: functions,
		Table: table.Name(), Faults: stack.Faults{Seed: seed, Again: 5, Recut: 5}})
	if err != nil {
		return fmt.Errorf("start a stack on the copy: %w", err)
	}
	defer second.Stop()
	kills := &killer{draw: drawFrom(seed, 5), requests: &wire.requests,
		functions: []*stack.Function{second.Stack.Function("ingest"), second.Stack.Function("aggregate")}}
	err = underChaos(ctx, wire, kills, func() error {
		var both errgroup.Group
		both.Go(func() error {
			return second.Tidemark(ctx, io.Discard, "replay", "--batch", "100", "--map", loggers.Map, readings)
		})
		both.Go(func() error {
			restoring := time.Now()
			err := second.Tidemark(ctx, io.Discard, "restore", "--restored", "--no-verify", "--endpoint",
				database.Endpoint)
			step("tidemark restore again, under load: %s", time.Since(restoring).Round(100*time.Millisecond))
			return err
		})
		return both.Wait()
	})
	if err != nil {
		return err
	}
	_, all := kills.deaths()
	step("everything is sent again, with %d functions killed", all)
	return compareRestored(ctx, second, expects, step)
}

// filledAndRestored fills the table of a stack, restores a copy, and begins tidemark restore on it.
func filledAndRestored(ctx context.Context, endpoint, functions, readings string, draw *rand.Rand,
	step func(string, ...any)) (*dynamo.Table, error) {
	first, err := loggers.StartRig(ctx, loggers.Options{Endpoint: endpoint, Functions: functions})
	if err != nil {
		return nil, err
	}
	defer first.Stop()
	if err := first.Tidemark(ctx, io.Discard, "replay", "--batch", "100", "--map", loggers.Map,
		readings); err != nil {
		return nil, err
	}
	if err := first.Stack.Idle(ctx); err != nil {
		return nil, err
	}
	table, err := restored(ctx, first, draw, step)
	if err != nil {
		return nil, err
	}
	return table, killedRestore(ctx, first, table, draw, step)
}

// extract writes the readings of a logger to a file.
func extract(logger string) (path string, err error) {
	zipped, err := os.Open(data)
	if err != nil {
		return "", err
	}
	defer zipped.Close()
	unzipped, err := gzip.NewReader(zipped)
	if err != nil {
		return "", err
	}
	all, err := io.ReadAll(unzipped)
	if err != nil {
		return "", err
	}
	out, err := os.CreateTemp("", "drill-*.csv")
	if err != nil {
		return "", err
	}
	defer out.Close()
	for i, line := range bytes.SplitAfter(all, []byte("\n")) {
		if i > 0 && !bytes.Contains(line, []byte(","+logger+",")) {
			continue
		}
		if _, err := out.Write(line); err != nil {
			return "", err
		}
	}
	return out.Name(), nil
}

// compareRestored verifies the copy and compares it with the oracle.
func compareRestored(ctx context.Context, rig *loggers.Rig, expects map[rollup.Key]loggers.Expect,
	step func(string, ...any)) error {
	rows, err := rig.Rows(ctx)
	if err != nil {
		return err
	}
	if err := rig.Tidemark(ctx, os.Stdout, "verify"); err != nil {
		return err
	}
	result := loggers.Compare(withoutRecorded(rows), expects)
	step("%d of %d buckets of the restored table equal the oracle", result.Equal, result.Buckets)
	if len(result.Wrong) > 0 {
		result.Print(os.Stdout)
		return errDiffers
	}
	return nil
}

// killedRestore runs tidemark restore on a table and kills it at a random moment after the stream is enabled.
func killedRestore(ctx context.Context, rig *loggers.Rig, table *dynamo.Table, draw *rand.Rand,
	step func(string, ...any)) error {
	during, kill := context.WithCancel(ctx)
	defer kill()
	ended := make(chan error, 1)
	go func() {
		ended <- rig.Tidemark(during, io.Discard, "restore", "--restored", "--table", table.Name())
	}()
	var at time.Time // when tidemark restore is killed
	for {
		select {
		case err := <-ended:
			if during.Err() == nil {
				return fmt.Errorf("tidemark restore ended before it was killed: %w", err)
			}
			step("tidemark restore killed in the middle")
			return nil
		case <-time.After(glance):
		}
		switch arn, err := table.StreamARN(ctx); {
		case err != nil:
			return err
		case arn == "":
		case at.IsZero():
			at = time.Now().Add(time.Duration(draw.Int64N(int64(time.Second))))
		case time.Now().After(at):
			kill()
		}
	}
}

// restored creates a table with the items that the stack's table had at a random moment, as a restore
// to a point in time does: without stream and TTL. DynamoDB Local cannot restore, but its stream has
// every change in one order.
func restored(ctx context.Context, rig *loggers.Rig, draw *rand.Rand,
	step func(string, ...any)) (*dynamo.Table, error) {
	endpoint := rig.Stack.Endpoint
	client, err := dynamo.NewClient(ctx, "", endpoint)
	if err != nil {
		return nil, err
	}
	source, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &rig.Stack.Table})
	if err != nil {
		return nil, err
	}
	streams := dynamodbstreams.New(dynamodbstreams.Options{Region: stack.Region, BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(
			func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
			})})
	records, err := allRecords(ctx, streams, source.Table.LatestStreamArn)
	if err != nil {
		return nil, err
	}
	upTo := len(records) * (30 + draw.IntN(40)) / 100
	items, err := itemImages(records[:upTo])
	if err != nil {
		return nil, err
	}
	copied := &dynamodb.CreateTableInput{TableName: aws.String("restored"),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   source.Table.KeySchema, AttributeDefinitions: source.Table.AttributeDefinitions}
	for _, i := range source.Table.GlobalSecondaryIndexes {
		copied.GlobalSecondaryIndexes = append(copied.GlobalSecondaryIndexes,
			types.GlobalSecondaryIndex{IndexName: i.IndexName, KeySchema: i.KeySchema, Projection: i.Projection})
	}
	if _, err := client.CreateTable(ctx, copied); err != nil {
		return nil, err
	}
	step("the table after %d of its %d changes: %d items", upTo, len(records), len(items))
	if err := writeAll(ctx, client, *copied.TableName, items); err != nil {
		return nil, err
	}
	step("restored")
	return dynamo.New(client, *copied.TableName), nil
}
