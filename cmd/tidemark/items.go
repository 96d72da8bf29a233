package main

import (
	"context"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// partitions are where a subject's items lie: one, and one for each shard of a kind
// that is spread.
func partitions(s model.Subject, kinds *catalog.Catalog) []string {
	all := []string{keys.SubjectPartition(s)}
	for _, k := range kinds.Kinds {
		if k.Subject.Name != s.Type || k.Shards < 2 {
			continue
		}
		for shard := 1; shard <= k.Shards; shard++ {
			all = append(all, keys.Partition(model.Series{Subject: s, Kind: k.Name, Shard: shard}))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// walkItems calls do for every stored item: of a subject, or of the whole table where
// the subject is the zero value. It ends early, without an error, when do answers
// false.
func walkItems(ctx context.Context, table *dynamo.Table, kinds *catalog.Catalog, subject model.Subject, do func(item.Item) bool) error {
	pages := []func(keys.Key) ([]item.Item, keys.Key, error){
		func(after keys.Key) ([]item.Item, keys.Key, error) { return table.Scan(ctx, after) },
	}
	if subject != (model.Subject{}) {
		pages = pages[:0]
		for _, pk := range partitions(subject, kinds) {
			pages = append(pages, func(after keys.Key) ([]item.Item, keys.Key, error) {
				return table.Partition(ctx, pk, after)
			})
		}
	}
	for _, page := range pages {
		if more, err := walkPages(page, do); err != nil || !more {
			return err
		}
	}
	return nil
}

func walkPages(page func(keys.Key) ([]item.Item, keys.Key, error), do func(item.Item) bool) (more bool, err error) {
	for after := (keys.Key{}); ; {
		items, next, err := page(after)
		if err != nil {
			return false, err
		}
		for _, it := range items {
			if !do(it) {
				return false, nil
			}
		}
		if next == (keys.Key{}) {
			return true, nil
		}
		after = next
	}
}

// seriesOf are the stored series that have events or rollups, in order. Those of one
// subject are found by leaps; to find all, the table is read once.
func seriesOf(ctx context.Context, table *dynamo.Table, kinds *catalog.Catalog, subject model.Subject) ([]model.Series, error) {
	found := map[model.Series]bool{}
	take := func(it item.Item) bool {
		if s, ok := seriesOfKey(it.Key()); ok {
			found[s] = true
		}
		return true
	}
	var err error
	if subject == (model.Subject{}) {
		err = walkItems(ctx, table, kinds, subject, take)
	} else {
		for _, pk := range partitions(subject, kinds) {
			_, err = walkPages(func(after keys.Key) ([]item.Item, keys.Key, error) {
				items, next, err := table.Partition(ctx, pk, after)
				return items, beyond(next), err
			}, take)
			if err != nil {
				break
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), seriesOrder), err
}

// beyond leaps from a position to behind all that is of the same series and class: a
// sort key is a position whether or not an item stands there.
func beyond(k keys.Key) keys.Key {
	if e, err := keys.ParseEvent(k); err == nil {
		_, k.SK = keys.EventRange(e.Series, model.MinTime, model.MaxTime+1)
	}
	if r, err := keys.ParseRow(k); err == nil {
		unit, _ := tier.ParseUnit(r.Tier) // it parsed
		_, k.SK = keys.RowRange(r.Series, unit, model.MinTime, model.MaxTime+1)
	}
	return k
}

func seriesOfKey(k keys.Key) (model.Series, bool) {
	if e, err := keys.ParseEvent(k); err == nil {
		return e.Series, true
	}
	if r, err := keys.ParseRow(k); err == nil {
		return r.Series, true
	}
	return model.Series{}, false
}
