package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// An absent row is told to have expired where, and only where, a look would not make
// it: in every state of the rows above, at every age, month rows for ever or not.
func TestMayHaveLived_IsWhatALookGoesBy(t *testing.T) {
	const absent, open, closed = 0, 1, 2
	told := map[bool]int{}
	for _, month := range []time.Duration{tier.Forever, 800 * tier.Day24} {
		for state := range 9 {
			for _, age := range []time.Duration{1, 89, 91, 729, 731, 831, 900} {
				ladder := tier.Standard()
				ladder.Tiers[2].Retention = month
				e := eventAt("2026-03-10T10:00:00Z", 1)
				now := e.At.Add(age * tier.Day24)
				rows := map[int]*rollup.Row{}
				for rung, is := range map[int]int{1: state % 3, 2: state / 3} {
					if is != absent {
						rows[rung] = emptyHanded(ladder.Tiers[rung].Unit, e.At, is == closed)
					}
				}
				lived := mayHaveLived(ladder, 0, e.At, now, func(rung int, _ model.Time) *rollup.Row { return rows[rung] })
				if made := lookMakesHour(t, ladder, e, now, rows); made == lived {
					t.Errorf("month kept %s, day %d, month %d, %d days old: a look makes the row: %t; told to have lived: %t",
						month, state%3, state/3, age, made, lived)
				}
				told[lived]++
			}
		}
	}
	if told[true] == 0 || told[false] == 0 {
		t.Errorf("told %v: want both", told)
	}
}

// emptyHanded is a row of the tested series over a time.
func emptyHanded(u tier.Unit, at model.Time, closed bool) *rollup.Row {
	row := &rollup.Row{
		Key:  rollup.Key{Series: tested, Tier: u.String(), Start: u.BucketOf(at).Start},
		Fold: *rollup.NewFold(nil), Rev: rollup.Rev{1}, V: item.Version, WrittenAt: at,
	}
	if closed {
		row.ChildrenUntil = 1
	}
	return row
}

func lookMakesHour(t *testing.T, l tier.Ladder, e model.Event, now model.Time, rows map[int]*rollup.Row) bool {
	t.Helper()
	clock := func() model.Time { return now }
	table := memory.New(clock)
	if _, err := table.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if answer, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil || answer != model.Written {
			t.Fatal(answer, err)
		}
	}
	kinds, err := catalog.New(catalog.Kind{Name: tested.Kind, Subject: catalog.SubjectType{Name: tested.Subject.Type}, Ladder: l})
	if err != nil {
		t.Fatal(err)
	}
	agg := &aggregate.Aggregator{Store: table, Quarantine: table, Catalog: kinds, Now: clock, Rand: rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	if report := agg.Settle(t.Context(), []model.Change{{What: model.Inserted, Key: e.Key()}}); len(report.Failures) > 0 {
		t.Fatal(fmt.Errorf("settle: %w", report.Failures[0].Err))
	}
	hour, err := table.Row(t.Context(), rollup.Key{Series: tested, Tier: "hour", Start: tier.Hour.BucketOf(e.At).Start})
	if err != nil {
		t.Fatal(err)
	}
	return hour != nil
}
