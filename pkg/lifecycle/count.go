package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Count says what a purge would remove, by class, and removes nothing. Unique values
// are counted as the profile, its tombstone and its versions name them.
func (p *Purger) Count(ctx context.Context, subject model.Subject) ([]model.PurgeCount, error) {
	c := counter{found: model.Purge{Subject: subject}, seen: map[held]bool{}}
	for _, partition := range keys.SubjectPartitions(subject, p.Shards) {
		if err := p.pages(ctx, Listing{Partition: partition}, c.count(classes)); err != nil {
			return nil, p.failed(subject, err)
		}
	}
	quarantine := []class{{name: classQuarantine}}
	err := p.pages(ctx, Listing{Partition: keys.QuarantinePartition(subject)}, c.count(quarantine))
	return c.found.Counts, p.failed(subject, err)
}

type counter struct {
	found model.Purge
	seen  map[held]bool
}

// count counts the items of pages by the first of the classes that has them.
func (c *counter) count(of []class) func([]item.Item) error {
	return func(page []item.Item) error {
		for _, it := range page {
			for _, class := range of {
				if class.has(it) {
					c.add(class, it)
					break
				}
			}
		}
		return nil
	}
}

func (c *counter) add(class class, it item.Item) {
	c.found.Count(class.name, 1, int64(it.Size()))
	for _, h := range class.heldBy(it) {
		if !c.seen[h] {
			c.seen[h] = true
			c.found.Count(classSentinels, 1, int64(len(h.partition)))
		}
	}
}
