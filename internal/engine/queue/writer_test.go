package queue_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const hour = model.Time(3_600_000)

// views are page views in deferred minutes and hours, and the sessions of them.
func views(t *testing.T, change func(*tier.Policy)) *catalog.Catalog {
	t.Helper()
	policy := tier.Policy{Raw: 30 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Minute, Retention: 40 * tier.Day24, Deferred: true, From: 10 * hour},
		{Unit: tier.Hour, Retention: tier.Forever, Deferred: true},
	}}
	change(&policy)
	hours := []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever, Deferred: true, Grace: time.Hour}}
	visits := tier.Policy{Raw: policy.Raw, Tiers: hours}
	site := catalog.SubjectType{Name: "SITE"}
	kinds, err := catalog.New(
		catalog.Kind{Name: "VIEW", Subject: site, Latest: catalog.NoLatest, Shards: 2, Retention: policy},
		catalog.Kind{Name: "VISIT", Subject: site, Latest: catalog.NoLatest, Retention: visits,
			Sessions: &catalog.Sessions{Of: "VIEW", By: "who", Gap: 30 * time.Minute, Follow: 3 * time.Hour}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func TestWriter_QueuesTheFinestBucketAndTheBucketOfTheSessions(t *testing.T) {
	t.Parallel()
	asIs := func(*tier.Policy) {}
	immediate := func(p *tier.Policy) { p.Tiers[0].Deferred = false }
	later := func(p *tier.Policy) { p.Tiers[0].DeferredFrom = 21 * hour }
	for name, c := range map[string]struct {
		change func(*tier.Policy)
		at     model.Time
		now    model.Time
		want   []string
	}{
		"open":                              {asIs, 20 * hour, 20 * hour, []string{"VIEW minute", "VISIT hour"}},
		"before minutes begin":              {asIs, 9 * hour, 9 * hour, []string{"VIEW hour", "VISIT hour"}},
		"closed, its sessions not":          {asIs, 20 * hour, 20*hour + 60_000, []string{"VISIT hour"}},
		"both closed":                       {asIs, 20 * hour, 22 * hour, nil},
		"immediate minutes":                 {immediate, 20 * hour, 20 * hour, []string{"VISIT hour"}},
		"minutes that are not deferred yet": {later, 20 * hour, 20 * hour, []string{"VISIT hour"}},
	} {
		kinds := views(t, c.change)
		kind, _ := kinds.Kind("VIEW")
		now := func() model.Time { return c.now }
		table := memory.New(now)
		order := model.Order{At: c.at, ID: "1"}
		s := kind.Series("s", "", order)
		events := []queue.Event{{EventKey: model.EventKey{Series: s, Order: order}},
			{EventKey: model.EventKey{Series: s, Order: model.Order{At: c.at, ID: "2"}}}}
		writer := queue.NewWriter(table, kinds)
		if unqueued, err := writer.Ensure(t.Context(), kind, events, queue.Requests{Now: now}); len(unqueued) > 0 {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, shard := range storage.FirstGeneration.QueueShards() {
			page, err := table.Invalidations(t.Context(), shard, model.MaxTime, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range page.Invalidations {
				got = append(got, i.Key.Series.Kind+" "+i.Key.Tier)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: queued %v, want %v", name, got, c.want)
		}
	}
}

// Nearly every append is of a bucket that the process remembers, and must cost next to nothing.
func TestWriter_AllocatesNothingForBucketsThatItRemembers(t *testing.T) {
	kinds := views(t, func(*tier.Policy) {})
	kind, _ := kinds.Kind("VIEW")
	now := func() model.Time { return 20 * hour }
	order := model.Order{At: 20 * hour, ID: "1"}
	events := []queue.Event{{EventKey: model.EventKey{Series: kind.Series("s", "", order), Order: order}}}
	writer := queue.NewWriter(memory.New(now), kinds)
	ensure := func() {
		unqueued, err := writer.Ensure(t.Context(), kind, events, queue.Requests{Now: now})
		if len(unqueued) > 0 {
			t.Fatal(err)
		}
	}
	ensure()
	if got := testing.AllocsPerRun(100, ensure); got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
