package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func (w *fixture) hours() query.Rollups {
	return query.Rollups{Series: w.series(), Unit: tier.Hour, From: model.MinTime, To: model.MaxTime + 1}
}

func (w *fixture) rollups(q query.Rollups) (found []query.Rollup) {
	w.t.Helper()
	for r, err := range w.query.EachRollup(context.Background(), q) {
		if err != nil {
			w.t.Fatalf("rollups: %v", err)
		}
		found = append(found, r)
	}
	return found
}

func TestRollups_ReportOpenAndInexactBuckets(t *testing.T) {
	w := newFixture(t, nil)
	inexact := w.row(tier.Hour, 0, w.reading(at("2026-04-20T12:59:00Z"), "", 1, 0))
	inexact.Exact = false
	w.storeRow(inexact)
	w.storeRow(w.row(tier.Hour, 0, w.reading(at("2026-04-20T13:00:00Z"), "", 2, 0)))
	w.storeRow(w.row(tier.Hour, 0, w.reading(now, "", 3, 0), w.reading(now+1, "", 5, 0)))

	found := w.rollups(w.hours())
	var got [][2]bool
	for _, r := range found {
		got = append(got, [2]bool{r.Exact, r.Open})
	}
	if want := [][2]bool{{false, false}, {true, false}, {true, true}}; !slices.Equal(got, want) {
		t.Fatalf("exact, open: got %v, want %v", got, want)
	}
	m := found[2].Measure("temperature")
	if avg, _ := m.Avg(); avg != 4 || m.Count != 2 {
		t.Errorf("the open hour: avg %v of %d values, want 4 of 2", avg, m.Count)
	}
	if m := found[2].Measure("humidity"); m.Count != 0 {
		t.Errorf("an absent measure has %d values, want 0", m.Count)
	}
}

func TestRollups_EmptyAndExpiredRowsAreHidden(t *testing.T) {
	w := newFixture(t, nil)
	empty := w.row(tier.Hour, now.Seconds()+100, w.reading(now-2*hour, "", 1, 0))
	empty.Fold, empty.Empty = *rollup.NewFold(w.kind.Spec()), true
	w.storeRow(empty)
	w.storeRow(w.row(tier.Hour, now.Seconds(), w.reading(now-3*hour, "", 1, 0)))
	w.storeRow(w.row(tier.Hour, now.Seconds()+1, w.reading(now-hour, "", 1, 0)))

	found := w.rollups(w.hours())
	if len(found) != 1 || found[0].Bucket.Start != tier.Hour.BucketAt(now-hour).Start {
		t.Errorf("got %d rollups, want only the one that has not expired", len(found))
	}
}

func TestRollups_RangeIsHalfOpenByBucketStart(t *testing.T) {
	w := newFixture(t, nil)
	first := tier.Hour.BucketAt(now - 3*hour).Start
	for i := range model.Time(3) {
		w.storeRow(w.row(tier.Hour, 0, w.reading(first+i*hour, "", 1, 0)))
	}
	for name, c := range map[string]struct {
		from, to model.Time
		want     int
	}{
		"at bucket boundaries": {first, first + 2*hour, 2},
		"a moment too late":    {first + 1, first + 2*hour, 1},
		"a moment too early":   {first, first + 2*hour + 1, 3},
		"within one bucket":    {first + 1, first + hour, 0},
	} {
		q := w.hours()
		q.From, q.To = c.from, c.to
		if got := w.rollups(q); len(got) != c.want {
			t.Errorf("%s: %d buckets, want %d", name, len(got), c.want)
		}
	}
}

func TestRollups_AnUnknownTierIsAnError(t *testing.T) {
	w := newFixture(t, nil)
	q := w.hours()
	q.Unit = tier.Minute
	if _, err := w.query.Rollups(context.Background(), q); !errors.Is(err, query.ErrNoTier) {
		t.Errorf("got %v, want %v", err, query.ErrNoTier)
	}
}

// A spread series has one row for each bucket, which readers see as long as it exists: also the
// row of an event that was imported long after its time.
func TestRollups_ASpreadBucketIsVisibleAsLongAsItsRow(t *testing.T) {
	w := newFixture(t, func(k *catalog.Kind) {
		k.Shards = 2
		k.Retention = tier.Policy{Raw: 3 * tier.Day24, Tiers: []tier.Tier{{Unit: tier.Hour,
			Retention: 7 * tier.Day24}, {Unit: tier.Day, Retention: tier.Forever}}}
	})
	imported := w.reading(tier.Hour.BucketAt(now-2*365*24*hour).Start, "", 1, 0)
	expired := w.reading(tier.Hour.BucketAt(now-8*24*hour).Start, "", 1, 0)
	w.storeRow(w.row(tier.Hour, now.Seconds()+1000, imported))
	w.storeRow(w.row(tier.Hour, now.Seconds(), expired))
	found := w.rollups(w.hours())
	if len(found) != 1 || found[0].Bucket.Start != imported.At {
		t.Errorf("got %d buckets, want only the one whose row has not expired", len(found))
	}
}

func TestFigures_WithoutAValidValueAreEmpty(t *testing.T) {
	w := newFixture(t, nil)
	e := w.reading(now, "", 1, 0)
	e.Attrs[0].Value = model.TextValue("NaN")
	w.storeRow(w.row(tier.Hour, 0, e))
	f := figure.New(w.rollups(w.hours())[0].Measure("temperature"))
	if want := (figure.Figures{Invalid: 1}); f != want {
		t.Errorf("got %+v, want only the invalid count", f)
	}
}
