package linear

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// kinds are what the histories on DynamoDB Local append: by what happens to late events, and
// whether there is a latest item. All buckets are open, so that reads fold them.
func kinds() []catalog.Kind {
	k := catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures:  []rollup.MeasureSpec{{Name: Measure}},
		Retention: tier.Policy{Raw: 30 * tier.Day24, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 90 * tier.Day24}, {Unit: tier.Day, Retention: tier.Forever}}}.Defer(),
	}
	for i := range k.Retention.Tiers {
		k.Retention.Tiers[i].Grace = 12 * time.Hour
	}
	drop, none := k, k
	drop.Late, none.Latest = catalog.DropLate, catalog.NoLatest
	return []catalog.Kind{k, drop, none}
}

// history runs clients at the same time on a table, and returns what they saw. Their choices follow
// from the seed; the order of their requests does not.
func history(ctx context.Context, table *dynamo.Table, kind catalog.Kind, seed uint64) (*Log, error) {
	declared, err := catalog.New(kind)
	if err != nil {
		return nil, err
	}
	now, began := func() model.Time { return model.NewTime(time.Now()) }, time.Now()
	log := &Log{
		Kind: &declared.Kinds[0], Base: tier.Hour.BucketAt(now()).Start.Add(-Slots * Step),
		Clock: func() int64 { return int64(time.Since(began)) },
	}
	// The time of a check grows fast with the operations of a series.
	series := []string{crand.Text(), crand.Text(), crand.Text(), crand.Text(), crand.Text(), crand.Text()}
	var running sync.WaitGroup
	for i := range clients {
		c := &Client{
			ID: i, Log: log, Store: table, Now: now,
			Query: &query.Service{Store: &query.Live{Store: table, Watermarks: table, Kind: query.CatalogKinds(declared), Now: now}, Now: now},
			Ingest: func(to ingest.Store) *ingest.Service {
				return &ingest.Service{Store: to, Limits: config.Default().Limits, Now: now, Rand: crand.Reader,
					RetryPolicy: retry.Policy{Attempts: 4}}
			},
		}
		running.Go(func() {
			draw := rand.New(rand.NewPCG(seed, uint64(i)))
			for n := range waves * requests {
				c.Operate(ctx, series, float64(n)/(waves*requests), func(_ string, n int) int { return draw.IntN(n) })
			}
		})
	}
	running.Wait()
	return log, nil
}

// historyTime is how long histories are played.
func historyTime() time.Duration {
	if testenv.Long() {
		return 20 * time.Second
	}
	return 6 * time.Second
}

// The clients of the simulation, at the same time and for real, on DynamoDB Local. It has no faults:
// the simulation and make chaos have them.
func TestHistories_AreLinearizableOnDynamoDB(t *testing.T) {
	server, err := ddblocal.Start(t.Context(), ddblocal.FromEnv())
	if errors.Is(err, ddblocal.ErrMissing) {
		testenv.Missing(t, "java", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	client, err := dynamo.NewClient(t.Context(), "", server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "linear-"+crand.Text())
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	operations := map[Verb]int{}
	reads := 0
	seed := uint64(1)
	// each kind at least once
	for end := time.Now().Add(historyTime()); seed <= 3 || time.Now().Before(end); seed++ {
		log, err := history(t.Context(), table, kinds()[seed%3], seed)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Check(); err != nil {
			explain(t, seed, err)
		}
		for i := range log.Operations {
			operations[log.Operations[i].Verb]++
		}
		reads += len(log.Reads)
	}
	for _, verb := range []Verb{Append, Correct, Delete, Erase, ReadLatest, ReadEvent} {
		if operations[verb] == 0 {
			t.Errorf("no history has a %s", verb)
		}
	}
	if reads == 0 {
		t.Error("no history reads rollups")
	}
	t.Logf("%d histories: %v, %d reads of rollups", seed-1, operations, reads)
}

// explain fails the test with the page of a violation.
func explain(t *testing.T, seed uint64, err error) {
	t.Helper()
	page, violation := filepath.Join(t.ArtifactDir(), fmt.Sprintf("seed-%d.html", seed)), new(Violation)
	if errors.As(err, &violation) {
		err = errors.Join(err, violation.Draw(page))
	}
	t.Fatalf("seed %d: %v; its page is %s", seed, err, page)
}
