package tableconfig

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// removed returns what the table has and kinds no longer declares: the changes that are
// refused, and the configurations of kinds to retire.
func (a *Applier) removed(ctx context.Context,
	kinds *catalog.Catalog) (refused []config.Change, retired []storage.KindConfig, _ error) {
	// one page of 1 MB: a kind takes about 1 KB
	items, _, err := a.Table.Partition(ctx, tablekeys.KindConfigs, keys.Key{})
	if err != nil {
		return nil, nil, fmt.Errorf("read the table's configuration: %w", err)
	}
	for _, it := range items {
		c, err := item.KindConfig(it)
		if err != nil {
			return nil, nil, err
		}
		_, declared := kinds.Kind(c.Kind)
		switch {
		case declared:
		case slices.Contains(a.Retired, c.Kind):
			retired = append(retired, c)
		default:
			refused = append(refused, config.RemovedKind(c.Kind))
		}
	}
	for _, name := range a.Retired {
		if _, declared := kinds.Kind(name); declared {
			return nil, nil, fmt.Errorf("kind %s is still declared: remove it from the configuration to retire it",
				name)
		}
	}
	return refused, retired, nil
}

// retire deletes the configurations of kinds. A kind that is gone already is no error.
func (a *Applier) retire(ctx context.Context, retired []storage.KindConfig) (all []Applied, _ error) {
	for _, c := range retired {
		if !a.DryRun {
			if err := a.Table.DeleteItem(ctx, tablekeys.KindConfig(c.Kind)); err != nil {
				return all, fmt.Errorf("retire kind %s: %w", c.Kind, err)
			}
		}
		all = append(all, Applied{Kind: c.Kind, Changed: true, Retired: true, Config: c})
	}
	return all, nil
}
