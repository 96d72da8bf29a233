package aggregate_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCompleteThrough_IsTheLeastOfTheStreamAndAllSweepsLessTheClosingDelay(t *testing.T) {
	for _, c := range []struct {
		name     string
		deferred bool
		progress model.Time // MinTime: none
		sweeps   []model.Time
		want     model.Time
	}{
		{"nothing was processed", true, model.MinTime, nil, model.MinTime},
		{"immediate: the stream alone", false, noon, nil, noon},
		{"a queue shard was never swept", true, noon, []model.Time{noon, noon, noon}, model.MinTime},
		{"the stream is behind", true, noon.Add(-time.Hour), []model.Time{noon, noon, noon, noon}, noon.Add(-time.Hour)},
		{"a sweep is behind, and buckets close 5 min after their end", true, noon, []model.Time{noon, noon.Add(-time.Hour), noon, noon}, noon.Add(-65 * time.Minute)},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind := gauge
			if c.deferred {
				kind = deferred(gauge, 0)
				for i := range kind.Retention.Tiers {
					kind.Retention.Tiers[i].Grace = 3 * time.Minute
				}
				kind.Retention.Jitter = 2 * time.Minute
			}
			w := newWorldOf(t, kind)
			if c.progress > model.MinTime {
				if err := w.table.PutItem(w.ctx(), item.FromStreamProgress(c.progress)); err != nil {
					t.Fatal(err)
				}
			}
			for shard, at := range c.sweeps {
				if err := w.table.PutItem(w.ctx(), item.FromLowWatermark(shard%tablekeys.QueueShards, at)); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := aggregate.CompleteThrough(w.ctx(), w.table, w.agg.Catalog); err != nil || got != c.want {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestLateDelay_IsThatOfTheKindWhoseLateChangesWaitLongest(t *testing.T) {
	for _, c := range []struct {
		every []time.Duration // of each kind
		want  time.Duration
	}{{[]time.Duration{0}, 0}, {[]time.Duration{5 * time.Minute}, 6 * time.Minute}, {[]time.Duration{5 * time.Minute, 15 * time.Minute, 0}, 16 * time.Minute}} {
		var kinds catalog.Catalog
		for _, every := range c.every {
			kind := deferred(gauge, 0)
			kind.Retention.LateEvery = every
			kinds.Kinds = append(kinds.Kinds, kind)
		}
		if got := aggregate.LateDelay(&kinds); got != c.want {
			t.Errorf("late changes that wait %v: %s, want %s", c.every, got, c.want)
		}
	}
}
