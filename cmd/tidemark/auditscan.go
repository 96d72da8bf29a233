package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// auditor audits partition by partition: a scan hands each out in one piece, so that
// no more than one is kept in mind. A partition that looks wrong is read once more, by
// itself: what a scan met while it changed, or out of order, is not told.
type auditor struct {
	table    *dynamo.Table
	kinds    *catalog.Catalog
	again    func(*model.Event) bool
	progress progress // in items; may not be nil

	partition string
	audit     *audit
	suspects  []suspect
	strangers map[model.Series]bool // of kinds that are not declared
	items     int
}

// unknown are the series of kinds that are not declared, of which nothing is known.
func (a *auditor) unknown() []model.Series {
	return slices.SortedFunc(maps.Keys(a.strangers), seriesOrder)
}

// run audits the partitions of a subject, all of the table where it is the zero value.
func (a *auditor) run(ctx context.Context, subject model.Subject) ([]suspect, error) {
	if subject != (model.Subject{}) {
		for _, pk := range partitions(subject, a.kinds) {
			if err := a.inspect(ctx, pk); err != nil {
				return nil, err
			}
		}
		return a.suspects, nil
	}
	err := eachItem(ctx, a.table, func(it item.Item) error {
		a.items++
		a.progress.add(1)
		if pk := it.Key().PK; pk != a.partition || a.audit == nil {
			if err := a.close(ctx); err != nil {
				return err
			}
			a.partition, a.audit = pk, newAudit(a.kinds, wallClock(), a.again)
		}
		a.audit.take(it)
		return nil
	})
	if err == nil {
		err = a.close(ctx)
	}
	return a.suspects, err
}

// close ends the partition that the scan went through.
func (a *auditor) close(ctx context.Context) error {
	if a.audit == nil {
		return nil
	}
	a.meet(a.audit)
	if len(a.audit.suspects()) == 0 {
		return nil
	}
	return a.inspect(ctx, a.partition)
}

// inspect reads one partition for itself, strongly consistent and in order.
func (a *auditor) inspect(ctx context.Context, pk string) error {
	one := newAudit(a.kinds, wallClock(), a.again)
	_, err := walkPages(func(after keys.Key) ([]item.Item, keys.Key, error) {
		return a.table.Partition(ctx, pk, after)
	}, func(it item.Item) bool {
		one.take(it)
		if a.audit == nil { // not counted by a scan
			a.items++
			a.progress.add(1)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("audit partition %s: %w", pk, err)
	}
	a.meet(one)
	a.suspects = append(a.suspects, one.suspects()...)
	return nil
}

func (a *auditor) meet(one *audit) {
	for s, b := range one.series {
		if b != nil {
			continue
		}
		if a.strangers == nil {
			a.strangers = map[model.Series]bool{}
		}
		a.strangers[s] = true
	}
}
