package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Count returns how many items of each class a purge would remove, and removes nothing.
// It counts the unique values that the profile, its tombstone and its versions name.
func (p *Purger) Count(ctx context.Context, subject model.Subject) ([]storage.PurgeCount, error) {
	if reserved.Group(subject.Type) {
		return nil, fmt.Errorf("purge %s: %w", subject, errGroup)
	}
	c := counter{found: storage.Purge{Subject: subject}, counted: map[heldSentinel]bool{}}
	for _, partition := range tablekeys.SubjectPartitions(subject, p.shardsToSearch()) {
		if err := p.pages(ctx, itemop.ListRequest{Partition: partition}, c.count(classes)); err != nil {
			return nil, p.wrapError(subject, err)
		}
	}
	list := seriesClass(subject)
	if err := p.pages(ctx, itemop.ListRequest{Partition: list.partition, Prefix: list.prefix},
		c.count([]itemClass{list.itemClass})); err != nil {
		return nil, p.wrapError(subject, err)
	}
	quarantine := []itemClass{{name: classQuarantine}}
	err := p.pages(ctx, itemop.ListRequest{Partition: tablekeys.QuarantinePartition(subject)},
		c.count(quarantine))
	queue := []itemClass{{name: classSweepQueue, rowsOf: &subject}}
	if err == nil {
		err = p.eachQueueShard(ctx, func(partition string) error {
			return p.pages(ctx, itemop.ListRequest{Partition: partition}, c.count(queue))
		})
	}
	return c.found.Counts, p.wrapError(subject, err)
}

type counter struct {
	found   storage.Purge
	counted map[heldSentinel]bool
}

// count returns a function that counts the items of a page. Each item counts for the
// first class that matches it.
func (c *counter) count(of []itemClass) func([]item.Item) error {
	return func(page []item.Item) error {
		for _, it := range page {
			for _, class := range of {
				if class.matches(it) {
					c.addItem(class, it)
					break
				}
			}
		}
		return nil
	}
}

func (c *counter) addItem(class itemClass, it item.Item) {
	c.found.Count(class.name, 1, int64(it.Size()))
	for _, h := range class.listSentinels(it) {
		if !c.counted[h] {
			c.counted[h] = true
			c.found.Count(classSentinels, 1, int64(len(h.partition)))
		}
	}
}
