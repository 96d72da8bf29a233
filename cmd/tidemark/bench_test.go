package main

import (
	"bytes"
	crand "crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// bench is a table on DynamoDB Local, the two functions' work on it without the
// functions, and the command line.
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

// benchOn is a bench on a table that create makes.
func benchOn(t *testing.T, create func(*dynamo.Table) error) *bench {
	t.Helper()
	b := &bench{T: t, endpoint: localDatabase(t).Endpoint}
	t.Setenv("AWS_REGION", "")
	b.table = dynamo.New(clientOf(t), "bench-"+crand.Text())
	err := create(b.table)
	if err != nil {
		t.Fatal(err)
	}
	settings := config.Default(iot.Kinds()...)
	if b.kinds, err = settings.Catalog(); err != nil {
		t.Fatal(err)
	}
	b.service = &ingest.Service{Store: b.table, Limits: settings.Limits, Now: wallClock, Rand: crand.Reader}
	b.agg = &aggregate.Aggregator{Store: b.table, Quarantine: b.table, Catalog: b.kinds, Now: wallClock}
	return b
}

func clientOf(t *testing.T) *dynamodb.Client {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), "", localDatabase(t).Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// append brings readings of a device in, as TIME VALUE; nobody tells the rollups.
func (b *bench) append(device string, readings ...string) (changes []model.Change) {
	b.Helper()
	kind := &b.kinds.Kinds[0]
	for _, r := range readings {
		when, value, _ := strings.Cut(r, " ")
		body := fmt.Sprintf(`{"deviceId":%q,"timestamp":%q,"temperature":%s}`, device, when, value)
		outcomes, err := b.service.Append(b.Context(), kind, ingest.DecodeObject([]byte(body)))
		if err != nil || outcomes[0].Verdict != model.Applied && outcomes[0].Verdict != model.Late {
			b.Fatalf("append %s: %+v, %v", r, outcomes, err)
		}
		changes = append(changes, model.Change{What: model.Inserted, Key: outcomes[0].Key})
	}
	return changes
}

// settle tells the rollups.
func (b *bench) settle(changes []model.Change) {
	b.Helper()
	if report := b.agg.Settle(b.Context(), changes); len(report.Failures) > 0 {
		b.Fatal(report.Failures[0].Err)
	}
}

// tidemark runs a command line on the table and answers its exit status and what it
// said, without times that differ from run to run.
func (b *bench) tidemark(args ...string) (int, string) {
	b.Helper()
	var out bytes.Buffer
	args = append(args, "--endpoint", b.endpoint, "--table", b.table.Name())
	status := run(b.Context(), args, strings.NewReader(""), &out, &out)
	return status, regexp.MustCompile(` in \d[\d.]*\w+`).ReplaceAllString(out.String(), "")
}

// expect runs a command line and fails unless it ends so and says all of this.
func (b *bench) expect(status int, args []string, says ...string) string {
	b.Helper()
	got, out := b.tidemark(args...)
	var lacks []string
	for _, s := range says {
		if !strings.Contains(out, s) {
			lacks = append(lacks, s)
		}
	}
	if got != status || lacks != nil {
		b.Errorf("tidemark %s ended in %d, want %d, and said\n%s\nwithout %q", strings.Join(args, " "), got, status, out, lacks)
	}
	return out
}

func words(line string) []string { return strings.Fields(line) }

// rowItem is a stored row, for hands to change.
func (b *bench) rowItem(device string, u tier.Unit, when string) item.Item {
	b.Helper()
	it, err := b.table.GetItem(b.Context(), b.rowKey(device, u, when))
	if err != nil || it == nil {
		b.Fatalf("%s row of %s at %s: %v, %v", u, device, when, it, err)
	}
	return it
}

func (b *bench) rowKey(device string, u tier.Unit, when string) keys.Key {
	at := eventAt(when, 0).At
	return keys.Row(rollup.Key{Series: b.kinds.Kinds[0].Series(device, "", model.Order{}), Tier: u.String(), Start: u.BucketOf(at).Start})
}

func (b *bench) put(it item.Item) {
	b.Helper()
	if err := b.table.PutItem(b.Context(), it); err != nil {
		b.Fatal(err)
	}
}

const equalText = "every bucket says exactly what its events say"
