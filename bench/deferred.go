package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// eventsAnHour is how many events a series has in an hour: one a minute.
const eventsAnHour = 60

// queueingStore is a table that keeps the queue of invalidations.
type queueingStore struct {
	*dynamo.Table
	server *service
}

func (s queueingStore) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	s.server.mu.Lock()
	for _, i := range these {
		s.server.queued[tablekeys.Invalidation(i)] = i
	}
	s.server.mu.Unlock()
	return s.Table.PutInvalidations(ctx, these)
}

func (s queueingStore) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	s.server.mu.Lock()
	for _, i := range these {
		delete(s.server.queued, tablekeys.Invalidation(i))
	}
	s.server.mu.Unlock()
	return s.Table.DeleteInvalidations(ctx, these)
}

// deferringKinds are the kinds of the other contenders, with all tiers deferred.
func deferringKinds() *catalog.Catalog {
	all := iot.Kinds()
	for i := range all {
		all[i].Retention = tier.Standard()
		all[i].Retention.Tiers = slices.Clone(all[i].Retention.Tiers)
		for level := range all[i].Retention.Tiers {
			all[i].Retention.Tiers[level].Deferred = true
		}
	}
	return must(catalog.New(all...))
}

// settleDeferredHour is an hour of series that report once a minute, by one process: each batch of the
// hour, the sweep of all its hours, and the sweep of a 24th of its days, as one hour has on average. A
// month is swept once in 700 hours.
func settleDeferredHour(kinds *catalog.Catalog, hour, payload []byte, batches int) {
	server := &service{latency: latency, events: hour, queued: map[keys.Key]storage.Invalidation{}}
	clock := began + 1800_000
	a := &aggregate.Aggregator{Store: queueingStore{dynamo.New(server.client(), "tidemark"), server},
		Catalog: kinds, Now: func() model.Time { return clock }}
	var d tablestream.Decoder
	for range batches {
		settleOurs(&d, a, payload)
	}
	clock = tier.Hour.BucketAt(clock).End.Add(2 * aggregate.ClockMargin)
	if swept := sweepAll(a); swept == 0 || swept != int64(len(server.queued)) { // of each, its day waits
		panic(fmt.Sprint(swept, " hours swept, ", len(server.queued), " days wait"))
	}
	clock = tier.Day.BucketAt(clock).End.Add(2 * aggregate.ClockMargin)
	days := 0
	maps.DeleteFunc(server.queued, func(keys.Key, storage.Invalidation) bool { days++; return days%24 != 0 })
	sweepAll(a)
}

// sweepAll is an invocation by the schedule. It returns the number of buckets that it wrote.
func sweepAll(a *aggregate.Aggregator) int64 {
	var swept atomic.Int64
	var group sync.WaitGroup
	for _, shard := range storage.FirstGeneration.QueueShards() {
		group.Go(func() {
			report := must(a.Sweep(context.Background(), shard))
			if report.Left > 0 {
				panic(report.Failures[0].Err)
			}
			swept.Add(int64(report.Swept))
		})
	}
	group.Wait()
	return swept.Load()
}
