package main

import (
	"bytes"
	crand "crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// bench is a table on the engine with the services of the ingest and aggregate
// functions, and runs command lines on it.
type bench struct {
	*testing.T
	endpoint string
	table    *dynamo.Table
	kinds    *catalog.Catalog
	service  *ingest.Service
	agg      *aggregate.Aggregator
}

func newBench(t *testing.T) *bench {
	return benchOn(t, func(table *dynamo.Table) error { return table.Create(t.Context()) })
}

// benchOn returns a bench with a table that create creates.
func benchOn(t *testing.T, create func(*dynamo.Table) error) *bench {
	t.Helper()
	return benchAt(t, enginetest.Endpoint(t), create)
}

// benchAt is benchOn with another DynamoDB.
func benchAt(t *testing.T, endpoint string, create func(*dynamo.Table) error) *bench {
	t.Helper()
	b := &bench{T: t, endpoint: endpoint}
	t.Setenv("AWS_REGION", "")
	client, err := dynamo.NewClient(t.Context(), "", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	b.table = dynamo.New(client, "bench-"+crand.Text())
	err = create(b.table)
	if err != nil {
		t.Fatal(err)
	}
	settings := config.Default(iot.Kinds()...)
	settings.Retention = tier.Standard() // rows are written by process, not when buckets close
	if b.kinds, err = settings.Catalog(); err != nil {
		t.Fatal(err)
	}
	if _, err := (&tableconfig.Applier{Table: b.table, Now: wallClock}).Apply(t.Context(), b.kinds); err != nil {
		t.Fatal(err)
	}
	b.service = &ingest.Service{Store: b.table, Limits: settings.Limits, Now: wallClock, Rand: crand.Reader}
	b.agg = &aggregate.Aggregator{Store: b.table, QuarantineStore: b.table, Catalog: b.kinds, Now: wallClock}
	return b
}

func newClient(t *testing.T) *dynamodb.Client {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), "", enginetest.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// append stores readings of a device, each given as TIME VALUE. It returns their changes,
// which the rollups do not include until they are passed to process.
func (b *bench) append(device string, readings ...string) (changes []storage.Change) {
	b.Helper()
	kind := &b.kinds.Kinds[0]
	for _, r := range readings {
		when, value, _ := strings.Cut(r, " ")
		body := fmt.Sprintf(`{"deviceId":%q,"timestamp":%q,"temperature":%s}`, device, when, value)
		outcomes, err := b.service.Append(b.Context(), kind, ingest.DecodeObject([]byte(body)))
		if err != nil || outcomes[0].Outcome != model.Applied && outcomes[0].Outcome != model.Late {
			b.Fatalf("append %s: %+v, %v", r, outcomes, err)
		}
		changes = append(changes, storage.Change{Type: storage.Inserted, Key: outcomes[0].Key})
	}
	return changes
}

// process updates the rollups.
func (b *bench) process(changes []storage.Change) {
	b.Helper()
	if report := b.agg.Process(b.Context(), changes); len(report.Failures) > 0 {
		b.Fatal(report.Failures[0].Err)
	}
}

// tidemark runs a command line on the table. It returns the exit status and the output
// without durations, which differ from run to run.
func (b *bench) tidemark(args ...string) (int, string) {
	b.Helper()
	var out bytes.Buffer
	args = append(args, "--endpoint", b.endpoint, "--table", b.table.Name())
	status := run(b.Context(), args, strings.NewReader(""), &out, &out)
	return status, regexp.MustCompile(` in \d[\d.]*\w+`).ReplaceAllString(out.String(), "")
}

// expect runs a command line and fails the test unless it has the exit status and its
// output contains all the texts. It returns the output.
func (b *bench) expect(status int, args []string, texts ...string) string {
	b.Helper()
	got, out := b.tidemark(args...)
	var missing []string
	for _, s := range texts {
		if !strings.Contains(out, s) {
			missing = append(missing, s)
		}
	}
	if got != status || missing != nil {
		b.Errorf("tidemark %s exit status %d, want %d; output\n%s\nwithout %q", strings.Join(args, " "), got,
			status, out, missing)
	}
	return out
}

func words(line string) []string { return strings.Fields(line) }

// rowItem returns a stored row, for a test to change.
func (b *bench) rowItem(device string, u tier.Unit, when string) item.Item {
	b.Helper()
	it, err := b.table.GetItem(b.Context(), b.rowKey(device, u, when))
	if err != nil || it == nil {
		b.Fatalf("%s row of %s at %s: %v, %v", u, device, when, it, err)
	}
	return it
}

func (b *bench) rowKey(device string, u tier.Unit, when string) keys.Key {
	at := timeAt(when)
	return keys.Row(rollup.Key{Series: b.kinds.Kinds[0].Series(device, "", model.Order{}), Tier: u.String(),
		Start: u.BucketAt(at).Start})
}

func (b *bench) put(it item.Item) {
	b.Helper()
	if err := b.table.PutItem(b.Context(), it); err != nil {
		b.Fatal(err)
	}
}

const equalText = "every rollup equals its events"
