// Package tablescan reads the stored items of one subject, or of the whole table, in order to inspect, export
// or repair them. Unlike package query it returns items as they are stored, expired ones included.
package tablescan

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Table reads pages of items. A page starts after the given key, the first page after
// the zero key; a zero next key says that it was the last page.
type Table interface {
	PartitionReader
	// Scan reads a page of the whole table. The order of partitions has no meaning.
	Scan(ctx context.Context, after keys.Key) (items []item.Item, next keys.Key, err error)
	// ScanPage is Scan of at most limit items. The items of a partition are in the order of their sort keys,
	// and no item needs to have the key of the position.
	ScanPage(ctx context.Context, after keys.Key, limit int) (items []item.Item, next keys.Key, err error)
}

// PartitionReader reads pages of one partition, in the order of its sort keys: what functions may do, which
// scan no table.
type PartitionReader interface {
	Partition(ctx context.Context, pk string, after keys.Key) (items []item.Item, next keys.Key, err error)
}

// Each calls visit for every item of the table, one at a time, and reads the next page
// meanwhile. It stops at the first error of either.
func Each(ctx context.Context, table Table, visit func(item.Item) error) error {
	pages := make(chan []item.Item, 1)
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		defer close(pages)
		for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
			items, next, err := table.Scan(ctx, after)
			if err != nil {
				return err
			}
			select {
			case pages <- items:
			case <-ctx.Done():
				return ctx.Err()
			}
			after = next
		}
		return nil
	})
	work.Go(func() error {
		for items := range pages {
			for _, it := range items {
				if err := visit(it); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return work.Wait()
}

// Walk calls visit for every stored item of a subject, or of the whole table if subject
// is the zero value. It ends early, without an error, when visit returns false.
func Walk(ctx context.Context, table Table, kinds *catalog.Catalog, subject model.Subject,
	visit func(item.Item) bool) error {
	if subject == (model.Subject{}) {
		_, err := Pages(func(after keys.Key) ([]item.Item, keys.Key, error) {
			return table.Scan(ctx, after)
		}, visit)
		return err
	}
	for _, pk := range Partitions(subject, kinds) {
		if more, err := Partition(ctx, table, pk, visit); err != nil || !more {
			return err
		}
	}
	return nil
}

// Partition calls visit for every item of one partition, in the order of its sort keys.
// It returns false when visit returned false.
func Partition(ctx context.Context, table PartitionReader, pk string,
	visit func(item.Item) bool) (more bool, err error) {
	return Pages(func(after keys.Key) ([]item.Item, keys.Key, error) {
		return table.Partition(ctx, pk, after)
	}, visit)
}

// Pages calls visit for every item of the pages that read returns, until the last page
// or until visit returns false; then it returns false too.
func Pages(read func(after keys.Key) ([]item.Item, keys.Key, error),
	visit func(item.Item) bool) (more bool, err error) {
	for it, err := range paging.Items(read) {
		if err != nil || !visit(it) {
			return false, err
		}
	}
	return true, nil
}

// Partitions returns the partition keys that hold a subject's items, sorted: its own,
// and one for each shard of each kind that is spread over shards.
func Partitions(s model.Subject, kinds *catalog.Catalog) []string {
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
