package tableconfig

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Groups that are declared for a kind with data begin with the first bucket that starts when every process
// knows them: the shares of earlier buckets are not written.

// beginLater sets the first buckets of groups.
func beginLater(c *storage.KindConfig, earliest model.Time) {
	for i := range c.Tiers {
		if t := &c.Tiers[i]; t.From == 0 {
			t.From = parseUnit(*t).FirstStart(earliest)
		}
	}
}

// hideUnapplied gives groups no bucket until their kind is applied, if the kind of their members is.
func hideUnapplied(ctx context.Context, table Reader, k *catalog.Kind) error {
	if k.GroupsOf == "" {
		return nil
	}
	of, err := table.KindConfig(ctx, k.GroupsOf)
	if err != nil {
		return fmt.Errorf("read the table's configuration: %w", err)
	}
	if of == nil {
		return nil
	}
	k.Retention.Tiers = append([]tier.Tier(nil), k.Retention.Tiers...)
	for i := range k.Retention.Tiers {
		k.Retention.Tiers[i].From = model.MaxTime
	}
	return nil
}
