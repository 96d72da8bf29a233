package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// unreadableRows are the two ways in which a stored row cannot be read.
var unreadableRows = []struct {
	err    error
	change func(item.Item)
}{
	{item.ErrDamaged, func(it item.Item) {
		it[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte("nonsense")}
	}},
	{item.ErrNewer, func(it item.Item) { it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"} }},
}

// spoil replaces the row of a bucket by one that cannot be read.
func (w *fixture) spoil(row rollup.Row, change func(item.Item)) {
	w.t.Helper()
	row.Rev[0] = 1
	stored, err := item.FromRow(&row)
	if err != nil {
		w.t.Fatalf("encode: %v", err)
	}
	change(stored)
	if err := w.table.PutItem(context.Background(), stored); err != nil {
		w.t.Fatalf("put: %v", err)
	}
}

// hoursOfACounter has rows of three hours with one reading each, 10, 20 and 50. The second row is spoilt.
func hoursOfACounter(t *testing.T, change func(item.Item)) (w *fixture, spoilt tier.Bucket) {
	w = newFixture(t, func(k *catalog.Kind) {
		k.Measures = []rollup.MeasureSpec{{Name: "temperature", Counter: true}}
	})
	for i, value := range []int64{10, 20, 50} {
		e := w.reading(now.Add(time.Duration(i-4)*time.Hour), "", value, 0)
		w.put(e)
		row := w.row(tier.Hour, 0, e)
		if i == 1 {
			spoilt = tier.Hour.BucketAt(e.At)
			w.spoil(row, change)
			continue
		}
		w.storeRow(row)
	}
	return w, spoilt
}

func (w *fixture) wantMissing(reader string, missing []query.Segment, b tier.Bucket, why error) {
	w.t.Helper()
	if len(missing) != 1 || missing[0].From != b.Start || missing[0].To != b.End ||
		!errors.Is(missing[0].Err, why) {
		w.t.Fatalf("%s: missing %+v, want %s because of %q", reader, missing, b, why)
	}
}

// A row that cannot be read says nothing of its own bucket, and takes nothing from the others. It is never
// left out.
func TestReaders_NameTheBucketOfARowThatCannotBeRead(t *testing.T) {
	ctx := context.Background()
	for _, row := range unreadableRows {
		w, spoilt := hoursOfACounter(t, row.change)
		for _, newest := range []bool{false, true} {
			q := w.hours()
			q.Newest = newest
			page, err := w.query.Rollups(ctx, q)
			requireNoError(t, err)
			w.wantMissing("page", page.Missing, spoilt, row.err)
			all, err := w.query.AllRollups(ctx, q)
			requireNoError(t, err)
			w.wantMissing("all pages", all.Missing, spoilt, row.err)
			for _, found := range [][]query.Rollup{page.Rollups, all.Rollups} {
				if len(found) != 2 {
					t.Fatalf("got %d rollups, want the other two", len(found))
				}
				for _, r := range found {
					if increase, known := r.Measure("temperature").Increase(); known {
						t.Errorf("%s: increase %v: the reading before it cannot be read", r.Bucket, increase)
					}
				}
			}
			if newest {
				continue
			}
			var errs []error
			for r, err := range w.query.EachRollup(ctx, q) {
				requireNoError(t, err)
				errs = append(errs, r.Err)
			}
			if len(errs) != 3 || !errors.Is(errs[1], row.err) || errs[0] != nil || errs[2] != nil {
				t.Errorf("iterator: errors %v, want %q of the second of three", errs, row.err)
			}
		}
		q := w.hours()
		q.From, q.To = spoilt.Start-hour, spoilt.End+hour
		for reader, total := range map[string]func() (query.Total, error){
			"total": func() (query.Total, error) { return w.query.Total(ctx, q) },
			"total of a range": func() (query.Total, error) {
				t, err := w.query.RangeTotal(ctx, q)
				return t.Total, err
			},
			"total of a chart": func() (query.Total, error) {
				c, err := w.query.Chart(ctx, query.Chart{Rollups: q})
				return c.Total(), err
			},
		} {
			got, err := total()
			requireNoError(t, err)
			w.wantMissing(reader, got.Missing, spoilt, row.err)
			m := got.Measure("temperature")
			if increase, known := m.Increase(); got.Exact || got.Summary.Events() != 2 || known {
				t.Errorf("%s: %d events, exact %v, increase %v (%v), want 2, inexact, not known", reader,
					got.Summary.Events(), got.Exact, increase, known)
			}
		}
		c, err := w.query.Chart(ctx, query.Chart{Rollups: q, Gaps: true})
		requireNoError(t, err)
		w.wantMissing("chart", c.Missing, spoilt, row.err)
		if len(c.Rollups) != 2 || slices.ContainsFunc(c.Rollups, func(r query.Rollup) bool { return r.Gap }) {
			t.Errorf("chart: %d rollups, want two and no gap", len(c.Rollups))
		}
	}
}

// A range that begins after such a row knows no reading before itself.
func TestCounter_TheReadingBeforeARangeIsNotReadAcrossARowThatCannotBeRead(t *testing.T) {
	for _, row := range unreadableRows {
		w, spoilt := hoursOfACounter(t, row.change)
		q := w.hours()
		q.From = spoilt.End
		page, err := w.query.Rollups(context.Background(), q)
		requireNoError(t, err)
		if increase, known := page.Rollups[0].Measure("temperature").Increase(); known {
			t.Errorf("%v: increase %v, want not known", row.err, increase)
		}
	}
}

// A day of a zone with such an hour stays a day of the zone, as do the days before it.
func TestLocalRollups_ARowThatCannotBeReadIsNoReasonForUTC(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	requireNoError(t, err)
	for _, row := range unreadableRows {
		w, spoilt := hoursOfACounter(t, row.change)
		q := query.Local{Rollups: w.hours(), Zone: zone, Unit: times.Day}
		q.From, q.To = now-48*hour, now
		page, err := w.query.LocalRollups(context.Background(), q)
		requireNoError(t, err)
		w.wantMissing("days", page.Missing, spoilt, row.err)
		if len(page.Rollups) != 1 || page.Rollups[0].Local.Zone != zone.String() || page.Rollups[0].Exact {
			t.Errorf("days: %+v, want one inexact day of %s", page.Rollups, zone)
		}
	}
}

// An open bucket is folded from its children. It cannot be read if one of them is of a newer version, and is
// inexact if one is damaged.
func TestLive_AnOpenBucketWithAChildThatCannotBeRead(t *testing.T) {
	for _, row := range unreadableRows {
		w, spoilt := hoursOfACounter(t, row.change)
		tiers := w.kind.Retention.Tiers
		for i := range tiers {
			tiers[i].Deferred = tiers[i].Unit != tier.Hour
		}
		w.query.Store = &query.Live{Store: w.table, Watermarks: query.Swept(storage.LowWatermarks{}),
			Kind: func(context.Context, string) (*catalog.Kind, error) { return w.kind, nil },
			Now:  func() model.Time { return now }}
		q := w.hours()
		q.Unit = tier.Day
		page, err := w.query.Rollups(context.Background(), q)
		requireNoError(t, err)
		if errors.Is(row.err, item.ErrNewer) {
			w.wantMissing("open day", page.Missing, tier.Day.BucketAt(spoilt.Start), item.ErrNewer)
			continue
		}
		if len(page.Rollups) != 1 || page.Rollups[0].Exact || page.Rollups[0].Unreadable != 1 {
			t.Errorf("open day: %+v, want one inexact row with one unreadable child", page.Rollups)
		}
	}
}
