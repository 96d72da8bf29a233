package query_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// progressAt is the present of these tests.
var progressAt = model.NewTime(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))

func TestTableProgress_HasTheLeastSweepLessTheClosingDelayAndTheStreamBesideIt(t *testing.T) {
	noon := progressAt
	all := func(at model.Time) []model.Time { return []model.Time{at, at, at, at} }
	for _, c := range []struct {
		name      string
		deferred  bool
		stored    []item.Item
		sweeps    []model.Time
		complete  model.Time // 0: none
		processed model.Time
	}{
		{"nothing was processed", true, nil, nil, model.MinTime, model.MinTime},
		{"immediate tiers: the stream alone", false, []item.Item{item.FromStreamProgress(noon)}, nil, 0, noon},
		{"a queue shard was never swept", true, []item.Item{item.FromStreamProgress(noon)},
			[]model.Time{noon, noon, noon}, model.MinTime, noon},
		{"the stream is behind the sweeps", true, []item.Item{item.FromStreamProgress(noon.Add(-time.Hour))},
			all(noon), noon.Add(-5 * time.Minute), noon.Add(-time.Hour)},
		{"a sweep is behind, and buckets close 5 min after their end", true,
			[]item.Item{item.FromStreamProgress(noon)},
			[]model.Time{noon, noon.Add(-time.Hour), noon, noon}, noon.Add(-65 * time.Minute), noon},
		{"a blocked batch holds the processed time", true,
			[]item.Item{item.FromStreamProgress(noon), item.FromBlocked(storage.Blocked{
				Seq: "1", Gap: storage.Gap{From: noon.Add(-30 * time.Minute), To: noon},
			})}, all(noon), noon.Add(-5 * time.Minute), noon.Add(-30 * time.Minute)},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind := gauges()
			if c.deferred {
				kind = deferredGauges(0, 3*time.Minute, 2*time.Minute)
			}
			table := memory.New(func() model.Time { return progressAt })
			shards := storage.FirstGeneration.QueueShards()
			for n, at := range c.sweeps {
				c.stored = append(c.stored, item.FromLowWatermark(shards[n%len(shards)], at))
			}
			for _, it := range c.stored {
				if err := table.PutItem(t.Context(), it); err != nil {
					t.Fatal(err)
				}
			}
			got, err := query.TableProgress(t.Context(), table, &catalog.Catalog{Kinds: []catalog.Kind{kind}})
			complete := model.Time(0)
			if got.CompleteThrough != nil {
				complete = *got.CompleteThrough
			}
			if err != nil || complete != c.complete || *got.ProcessedThrough != c.processed {
				t.Errorf("complete %s, processed %s, %v; want %s, %s",
					complete, *got.ProcessedThrough, err, c.complete, c.processed)
			}
		})
	}
}

func TestProgress_WarnsOfALagOfGapsAndOfBlockedBatchesAndOfNothingElse(t *testing.T) {
	hour := storage.Gap{From: progressAt.Add(-2 * time.Hour), To: progressAt.Add(-time.Hour)}
	at := func(ago time.Duration) *model.Time { return new(progressAt.Add(-ago)) }
	for _, c := range []struct {
		name string
		p    query.Progress
		want []string // a part of each warning
	}{
		{"not known", query.Progress{}, nil},
		{"nothing was processed", query.Progress{ProcessedThrough: new(model.MinTime)}, nil},
		{"nothing was processed yet", query.Progress{ProcessedThrough: new(model.MinTime),
			Begun: progressAt.Add(-query.BehindAfter)}, nil},
		{"a stream that never was processed", query.Progress{ProcessedThrough: new(model.MinTime),
			Begun: progressAt.Add(-time.Hour)},
			[]string{"nothing of the table stream was processed since its first heartbeat at 2026-04-20T11"}},
		{"up to date", query.Progress{ProcessedThrough: at(query.BehindAfter)}, nil},
		{"a lag", query.Progress{ProcessedThrough: at(time.Hour)}, []string{"1h0m0s behind"}},
		{"a gap and a blocked batch", query.Progress{ProcessedThrough: at(0), Unprocessed: []query.Unprocessed{
			{Gap: hour, Reason: query.StreamGap}, {Gap: hour, Reason: query.BlockedBatch},
		}}, []string{
			"from 2026-04-20T10:00:00.000Z to 2026-04-20T11:00:00.000Z may be missing: the table stream may have lost",
			"a batch of the table stream fails, and later changes may wait for it",
		}},
	} {
		got := c.p.Warnings(progressAt)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
			continue
		}
		for i, part := range c.want {
			if !strings.Contains(got[i], part) {
				t.Errorf("%s: %q; want %q", c.name, got[i], part)
			}
		}
	}
}

// Every result has the progress of its series: the processed time is not after the time through which late
// changes are in rows.
func TestProgress_IsBesideEachResult(t *testing.T) {
	kind := deferredGauges(0, 0, 0)
	kind.Retention.LateEvery = 5 * time.Minute
	table := memory.New(func() model.Time { return progressAt })
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if err := table.PutItem(t.Context(), item.FromLowWatermark(shard, progressAt)); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.PutItem(t.Context(), item.FromStreamProgress(progressAt)); err != nil {
		t.Fatal(err)
	}
	now := func() model.Time { return progressAt }
	live := &query.Live{
		Store: table, Watermarks: table, Stream: table, Now: now,
		Kind: func(context.Context, string) (*catalog.Kind, error) { return &kind, nil },
	}
	s := &query.Service{Store: live, Now: now}
	q := query.Rollups{
		Series: query.Series{Kind: &kind, Subject: "d"}, Unit: kind.Retention.Tiers[0].Unit,
		From: progressAt.Add(-time.Hour), To: progressAt,
	}
	want := progressAt.Add(-6 * time.Minute) // a tick and the margin of clocks
	page, err := s.Rollups(t.Context(), q)
	chart, chartErr := s.Chart(t.Context(), query.Chart{Rollups: q})
	total, totalErr := s.RangeTotal(t.Context(), q)
	is := func(at *model.Time) bool { return at != nil && *at == want }
	for _, p := range []query.Progress{page.Progress, chart.Progress, chart.Total().Progress, total.Progress} {
		if !is(p.CompleteThrough) || !is(p.ProcessedThrough) {
			t.Errorf("%s; %v %v %v; want both times %s", p.Text(progressAt), err, chartErr, totalErr, want)
		}
	}
}

func TestLateDelay_IsThatOfTheKindWhoseLateChangesWaitLongest(t *testing.T) {
	for _, c := range []struct {
		every []time.Duration // of each kind
		want  time.Duration
	}{
		{[]time.Duration{0}, 0}, {[]time.Duration{5 * time.Minute}, 6 * time.Minute},
		{[]time.Duration{5 * time.Minute, 15 * time.Minute, 0}, 16 * time.Minute},
	} {
		for _, closing := range []time.Duration{0, 40 * time.Minute} {
			var kinds catalog.Catalog
			for _, every := range c.every {
				kind := deferredGauges(0, closing, 0)
				kind.Retention.LateEvery = every
				kinds.Kinds = append(kinds.Kinds, kind)
			}
			got, waits := query.LateDelay(&kinds)
			if waits != (c.want > 0) || waits && got != c.want-closing {
				t.Errorf("late changes that wait %v, buckets that close after %s: %s, %v; want %s",
					c.every, closing, got, waits, c.want-closing)
			}
		}
	}
}
