//go:build adding

package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// adding is the aggregator that everybody writes first, and no build that deploys
// has: each record of a new event is added to the rows of its buckets, one after the
// other and safe from lost updates. Only a record that comes again undoes it.
type adding struct{ *aggregate.Aggregator }

func newSettler(a *aggregate.Aggregator) settler { return adding{a} }

func (a adding) Settle(ctx context.Context, changes []model.Change) aggregate.Report {
	var report aggregate.Report
	for i := range changes {
		if changes[i].What != model.Inserted || changes[i].After == nil {
			continue
		}
		if err := a.add(ctx, changes[i].After); err != nil {
			report.Failures = append(report.Failures, aggregate.Failure{Change: i, Err: err})
			return report
		}
	}
	return report
}

func (a adding) add(ctx context.Context, e *model.Event) error {
	kind, ok := a.Catalog.Kind(e.Series.Kind)
	if !ok {
		return fmt.Errorf("add %s: unknown kind", e.Series)
	}
	for _, t := range kind.Ladder.Tiers {
		b := t.Unit.BucketOf(e.At)
		key := rollup.Key{Series: e.Series, Tier: t.Unit.String(), Start: b.Start}
		for written := false; !written; {
			row, err := a.Store.Row(ctx, key)
			if err != nil {
				return err
			}
			fold, prev := rollup.NewFold(kind.Spec()), rollup.Rev{}
			if row != nil {
				fold.AddRow(row)
				prev = row.Rev
			}
			fold.AddEvent(e)
			next := &rollup.Row{Key: key, Fold: *fold, WrittenAt: a.Now(), ExpiresAt: t.ExpiresAt(b, a.Now())}
			if _, err := rand.Read(next.Rev[:]); err != nil {
				return err
			}
			answer, err := a.Store.PutRow(ctx, next, prev)
			if err != nil {
				return err
			}
			written = answer == model.Written
		}
	}
	return nil
}
