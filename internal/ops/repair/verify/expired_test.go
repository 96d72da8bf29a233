package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The verifier says that an absent row may have expired exactly where aggregate does not
// create it: for every state of the parent rows, at every age, with months kept forever
// or not.
func TestMayHaveExpired_AgreesWithAggregate(t *testing.T) {
	const absent, open, closed = 0, 1, 2
	seen := map[bool]int{}
	for _, month := range []time.Duration{tier.Forever, 800 * tier.Day24} {
		for state := range 9 {
			for _, age := range []time.Duration{1, 89, 91, 729, 731, 831, 900} {
				policy := tier.Standard()
				policy.Tiers[2].Retention = month
				e := eventAt("2026-03-10T10:00:00Z", 1)
				now := e.At.Add(age * tier.Day24)
				rows := map[int]*rollup.Row{}
				for level, is := range map[int]int{1: state % 3, 2: state / 3} {
					if is != absent {
						rows[level] = emptyRow(policy.Tiers[level].Unit, e.At, is == closed)
					}
				}
				expired := mayHaveExpired(policy, 0, e.At, now, func(level int, _ model.Time) *rollup.Row {
					return rows[level]
				})
				if created := aggregateCreatesHour(t, policy, e, now, rows); created == expired {
					t.Errorf("month kept %s, day %d, month %d, %d days old: aggregate creates the row: "+
						"%t; it may have expired: %t",
						month, state%3, state/3, age, created, expired)
				}
				seen[expired]++
			}
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("results %v: want both", seen)
	}
}

// emptyRow returns a row without events of the tested series.
func emptyRow(u tier.Unit, at model.Time, closed bool) *rollup.Row {
	row := &rollup.Row{
		Key:  rollup.Key{Series: tested, Tier: u.String(), Start: u.BucketAt(at).Start},
		Fold: *rollup.NewFold(nil), Rev: rollup.Rev{1}, V: item.Version, WrittenAt: at,
	}
	if closed {
		row.ChildrenExpireAt = 1
	}
	return row
}

// aggregateCreatesHour reports whether aggregate creates the hour of an event.
func aggregateCreatesHour(t *testing.T, p tier.Policy, e model.Event, now model.Time,
	rows map[int]*rollup.Row) bool {
	t.Helper()
	clock := func() model.Time { return now }
	table := memory.New(clock)
	if _, err := table.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if result, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil || result != storage.Written {
			t.Fatal(result, err)
		}
	}
	kinds, err := catalog.New(
		catalog.Kind{Name: tested.Kind, Subject: catalog.SubjectType{Name: tested.Subject.Type}, Retention: p})
	if err != nil {
		t.Fatal(err)
	}
	agg := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: clock,
		Rand:  rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	if report := agg.Process(t.Context(),
		[]storage.Change{{Type: storage.Inserted, Key: e.Key()}}); len(report.Failures) > 0 {
		t.Fatal(fmt.Errorf("process: %w", report.Failures[0].Err))
	}
	hour, err := table.Row(t.Context(),
		rollup.Key{Series: tested, Tier: "hour", Start: tier.Hour.BucketAt(e.At).Start})
	if err != nil {
		t.Fatal(err)
	}
	return !hour.Placeholder()
}
