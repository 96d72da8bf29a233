package verify

import (
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func (f *fixture) bucket(v BucketVerifier, u tier.Unit, at model.Time) (BucketReport, error) {
	f.Helper()
	v.Store, v.Now = f.Table, f.now
	return v.Verify(f.Context(), &f.catalog.Kinds[0], tested, u, at)
}

// Whatever happened to a table, the recount of one bucket finds the same as the recount of the whole series.
func TestBucketVerifier_AgreesWithTheRecountOfTheSeries(t *testing.T) {
	statuses := map[Status]int{}
	for name, change := range map[string]func(*fixture){
		"nothing":              func(*fixture) {},
		"an event not counted": func(f *fixture) { f.store(eventAt("2026-04-20T14:10:00Z", 1)) },
		"an hour without row":  func(f *fixture) { f.store(eventAt("2026-04-20T20:00:00Z", 1)) },
		"a deleted event": func(f *fixture) {
			e := f.inShard(testEvents[4])
			if _, err := f.DeleteEvent(f.Context(), e.Key(), f.now()); err != nil {
				f.Fatal(err)
			}
		},
		"another number": func(f *fixture) {
			f.changeRow(tier.Day, "2026-04-20T14:00:00Z", func(r *rollup.Row) { r.Digest[0]++ })
		},
		"a sealed hour": func(f *fixture) {
			f.changeRow(tier.Hour, "2026-04-20T14:00:00Z", func(r *rollup.Row) { r.ChildrenExpireAt = 1 })
		},
		"a row that is gone": func(f *fixture) {
			key := rollup.Key{Series: tested, Tier: "hour", Start: eventAt("2026-04-20T14:00:00Z", 0).At}
			stored, err := f.Row(f.Context(), key)
			if err == nil {
				var row item.Item
				if row, err = item.FromRow(stored); err == nil {
					err = f.DeleteItem(f.Context(), row.Key())
				}
			}
			if err != nil {
				f.Fatal(err)
			}
		},
	} {
		for _, shards := range []int{1, 3} {
			t.Run(name, func(t *testing.T) {
				kind := *testKind(t)
				kind.Shards = shards
				f := newFixture(t, &kind)
				f.process(testEvents...)
				change(f)
				whole := counter{store: f.Table, now: f.now}
				_, all, err := whole.recount(t.Context(), &f.catalog.Kinds[0], tested, Always)
				if err != nil || len(all) == 0 {
					t.Fatalf("%d findings, %v", len(all), err)
				}
				for _, want := range all {
					u, _ := tier.ParseUnit(want.Key.Tier)
					got, err := f.bucket(BucketVerifier{}, u, want.Key.Start+1)
					same := got.Status == want.Status && got.Key == want.Key && got.Detail == want.Detail
					if err != nil || !same {
						t.Errorf("%v: %s %q, %v; want %s %q",
							want.Key, got.Status, got.Detail, err, want.Status, want.Detail)
					}
					if u == tier.Hour && !got.Status.OK() && got.Status != Extra && got.Events == "" {
						t.Errorf("%s %s: the cause is not named", want.Key.Tier, want.Key.Start)
					}
					statuses[got.Status]++
				}
			})
		}
	}
	for _, s := range []Status{Equal, Sealed, Differs, Missing, Extra} {
		if statuses[s] == 0 {
			t.Errorf("no bucket is %s: %v", s, statuses)
		}
	}
}

func TestBucketVerifier_ListsEventsThatArrivedAfterTheBucketHadClosed(t *testing.T) {
	f := newFixture(t, testKind(t))
	at := eventAt("2026-04-20T14:10:00Z", 0).At
	for i, arrived := range []time.Duration{time.Minute, 3 * time.Hour, 2 * time.Hour} {
		e := eventAt("2026-04-20T14:10:00Z", int64(i))
		e.At, e.ArrivedAt = e.At+model.Time(i), at.Add(arrived)
		f.process(e)
	}
	got, err := f.bucket(BucketVerifier{}, tier.Hour, at)
	if err != nil || got.Stored != 3 || got.Status != Equal {
		t.Fatalf("%+v, %v; want three events in an equal row", got.Finding, err)
	}
	if len(got.Late) != 2 || got.Late[0].At != at+2 || got.Late[1].At != at+1 {
		t.Errorf("late events %v, want the third and the second", got.Late)
	}
}

func TestBucketVerifier_ABucketWithoutRowAndEvents(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	got, err := f.bucket(BucketVerifier{}, tier.Hour, eventAt("2026-04-20T03:00:00Z", 0).At)
	const nothing = "there is no row, and no event is stored"
	if err != nil || got.Status != Equal || got.Detail != nothing || got.Stored != 0 {
		t.Errorf("%+v, %v; want equal to nothing", got.Finding, err)
	}
}

func TestBucketVerifier_RefusesTooManyEvents(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	_, err := f.bucket(BucketVerifier{MaxEvents: 1}, tier.Month, testEvents[0].At)
	if !errors.Is(err, ErrManyEvents) {
		t.Errorf("error %v, want ErrManyEvents", err)
	}
}
