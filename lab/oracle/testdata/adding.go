package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// naiveCounter adds each new event to the rows of its buckets, with optimistic locking. It is the obvious
// implementation, and it is wrong when a record is delivered twice. It is never deployed.
type naiveCounter struct{ *aggregate.Aggregator }

func (n naiveCounter) Process(ctx context.Context, changes []storage.Change) aggregate.Report {
	var report aggregate.Report
	for i := range changes {
		if changes[i].Type != storage.Inserted || changes[i].After == nil {
			continue
		}
		if err := n.add(ctx, changes[i].After); err != nil {
			report.Failures = append(report.Failures, aggregate.Failure{Change: i, Err: err})
			return report
		}
	}
	return report
}

func (n naiveCounter) add(ctx context.Context, e *model.Event) error {
	kind, ok := n.Catalog.Kind(e.Series.Kind)
	if !ok {
		return fmt.Errorf("add %s: unknown kind", e.Series)
	}
	for _, t := range kind.Retention.Tiers {
		b := t.Unit.BucketAt(e.At)
		key := rollup.Key{Series: e.Series, Tier: t.Unit.String(), Start: b.Start}
		for written := false; !written; {
			row, err := n.Store.Row(ctx, key)
			if err != nil {
				return err
			}
			fold, revision := rollup.NewFold(kind.Spec()), rollup.Rev{}
			if row != nil {
				fold.AddRow(row)
				revision = row.Rev
			}
			fold.AddEvent(e)
			next := &rollup.Row{Key: key, Fold: *fold, WrittenAt: n.Now(), ExpiresAt: t.ExpiresAt(b, n.Now())}
			if next.Rev, err = ids.Nonce(rand.Reader); err != nil {
				return err
			}
			result, err := n.Store.PutRow(ctx, next, revision)
			if err != nil {
				return err
			}
			written = result == storage.Written
		}
	}
	return nil
}
