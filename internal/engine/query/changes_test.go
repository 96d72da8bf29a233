package query_test

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// What changed a bucket after it had closed follows from its row: arrival and correction of its events, and
// when it was written.
func TestRollups_SayWhatChangedABucketAfterItHadClosed(t *testing.T) {
	t.Parallel()
	closed := at("2026-04-20T10:00:00Z")
	after := func(minutes int) model.Time { return closed.Add(time.Duration(minutes) * time.Minute) }
	graced := func(k *catalog.Kind) {
		k.Retention.Tiers[0].Grace = time.Hour
	}
	immediate := func(k *catalog.Kind) { k.Retention.Tiers[0].Deferred = false }
	ticks := func(k *catalog.Kind) { k.Retention.LateEvery = 30 * time.Minute }
	for name, c := range map[string]struct {
		change func(*catalog.Kind)
		// Minutes after the end of the bucket; 0 is never.
		arrived, corrected, written int
		settles                     model.Time
		want                        query.Changes
	}{
		"on time":                     {arrived: -1, written: 3},
		"by a clock that is fast":     {arrived: 0, written: 3},
		"by an immediate row":         {change: immediate, arrived: 0, written: 1},
		"within the grace":            {change: graced, arrived: 59, written: 63},
		"a session that goes on":      {arrived: 20, written: 33, settles: after(30)},
		"corrected while it was open": {arrived: -9, corrected: -5, written: 3},
		"swept a little late":         {arrived: -1, written: 10},
		"late": {
			arrived: 1, written: 3, want: query.Changes{Late: after(1)}},
		"late, of an immediate row": {change: immediate,
			arrived: 1, written: 1, want: query.Changes{Late: after(1)}},
		"late by hours": {
			arrived: 120, written: 121, want: query.Changes{Late: after(120)}},
		"after the grace": {change: graced,
			arrived: 60, written: 63, want: query.Changes{Late: after(60)}},
		"corrected": {
			arrived: -9, corrected: 50, written: 50, want: query.Changes{Corrected: after(50)}},
		"late, then corrected": {arrived: 9, corrected: 50, written: 50,
			want: query.Changes{Late: after(9), Corrected: after(50)}},
		"an event was deleted": {
			arrived: -1, written: 90, want: query.Changes{Recomputed: after(90)}},
		"corrected, and another gone": {arrived: -1, corrected: 20, written: 90,
			want: query.Changes{Corrected: after(20), Recomputed: after(90)}},
		"late, at the end of the tick": {change: ticks,
			arrived: 20, written: 55, want: query.Changes{Late: after(20)}},
	} {
		w := newFixture(t, func(k *catalog.Kind) {
			k.Retention = tier.Policy{Raw: 30 * 24 * time.Hour, Tiers: []tier.Tier{
				{Unit: tier.Hour, Retention: 90 * 24 * time.Hour, Deferred: true},
				{Unit: tier.Day, Retention: tier.Forever, Deferred: true, Grace: time.Hour}}}
			if c.change != nil {
				c.change(k)
			}
		})
		e := w.reading(closed.Add(-10*time.Minute), "", 20, 0)
		e.ArrivedAt = after(c.arrived)
		if c.corrected != 0 {
			e.CorrectedAt = after(c.corrected)
		}
		row := w.row(tier.Hour, 0, e)
		row.WrittenAt = after(c.written)
		if c.settles != 0 {
			row.Continuation = rollup.Continuation{Events: 1, Last: e.At, Settles: c.settles}
		}
		w.storeRow(row)
		page, err := w.query.Rollups(context.Background(), query.Rollups{Series: w.series(), Unit: tier.Hour,
			From: closed.Add(-time.Hour), To: closed})
		if err != nil || len(page.Rollups) != 1 || page.Rollups[0].Changes != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, page.Rollups, err, c.want)
		}
	}
}

// A bucket of several series has the newest change of any. One that is folded as it is read has none.
func TestRollups_MergeTheChangesOfSeries(t *testing.T) {
	t.Parallel()
	w := newFixture(t, nil)
	closed := at("2026-04-20T10:00:00Z")
	for n, subject := range []string{"sensor_01", "sensor_02"} {
		e := w.reading(closed.Add(-10*time.Minute), "", 20, 0)
		e.Series.Subject.ID = subject
		e.ArrivedAt = closed.Add(time.Duration(n+1) * time.Hour)
		row := w.row(tier.Hour, 0, e)
		row.WrittenAt = e.ArrivedAt
		w.storeRow(row)
	}
	q := query.Rollups{Series: w.series(), Subjects: []string{"sensor_02"}, Unit: tier.Hour,
		From: closed.Add(-time.Hour), To: closed}
	want := query.Changes{Late: closed.Add(2 * time.Hour)}
	page, err := w.query.Rollups(context.Background(), q)
	if err != nil || len(page.Rollups) != 1 || page.Rollups[0].Changes != want {
		t.Errorf("%+v, %v; want %+v", page.Rollups, err, want)
	}

	l := newLiveWorld(t, liveGauge(0))
	l.put(at("2026-03-10T12:00:00Z"), 7)
	l.now = at("2026-03-10T20:00:00Z") // no sweep has been yet
	open, err := l.query.Rollups(context.Background(), query.Rollups{Series: query.Series{Kind: l.kind,
		Subject: "d1"}, Unit: tier.Hour, From: at("2026-03-10T00:00:00Z"), To: at("2026-03-11T00:00:00Z")})
	if err != nil || len(open.Rollups) != 1 || open.Rollups[0].Changes != (query.Changes{}) {
		t.Errorf("%+v, %v; want one bucket without changes", open.Rollups, err)
	}
}
