package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// CleanUpExpired removes the versions and unique values of a tombstone that TTL deleted.
// It may be called again at any time: it changes nothing of a later generation of the
// subject, or of a generation that was restored.
func (s *Service) CleanUpExpired(ctx context.Context, t *model.Profile) error {
	err := s.removeGeneration(ctx, t.Subject, t.Generation, t.Sentinels)
	if err != nil && !errors.Is(err, errChanged) {
		return fmt.Errorf("clean up after %s: %w", t.Subject, err)
	}
	return nil
}

// finishRemoval removes the versions and unique values of an expired tombstone, and then
// the tombstone. The tombstone goes last, because it names what there is to remove.
func (s *Service) finishRemoval(ctx context.Context, t *model.Profile) error {
	ended := []itemop.Action{lacksGeneration(keys.Metadata(t.Subject), t.Generation)}
	if err := s.removeGenerationIf(ctx, ended, t.Subject, t.Generation, t.Sentinels); err != nil {
		return err
	}
	_, err := s.retrier().commit(ctx, s.Store,
		[]itemop.Action{{Key: tablekeys.Tombstone(t.Subject), Precondition: unchangedProfile(t), Delete: true}})
	return err
}

// removeGeneration removes the sentinels and versions of a generation that has ended. Each
// removal requires that the item belongs to the generation, and that neither the profile
// nor the tombstone does, because the state may have changed since it was read.
func (s *Service) removeGeneration(ctx context.Context, subject model.Subject, g model.Generation,
	sentinels []string) error {
	return s.removeGenerationIf(ctx, hasEnded(subject, g), subject, g, sentinels)
}

// hasEnded checks that neither the profile nor the tombstone belongs to a generation.
func hasEnded(subject model.Subject, g model.Generation) []itemop.Action {
	return []itemop.Action{lacksGeneration(keys.Metadata(subject), g),
		lacksGeneration(tablekeys.Tombstone(subject), g)}
}

// lacksGeneration checks that the item of a key does not belong to a generation.
func lacksGeneration(k keys.Key, g model.Generation) itemop.Action {
	when := hasGeneration(g)
	when.Op = itemop.AttrDiffers
	return itemop.Action{Key: k, Precondition: itemop.Precondition{when}}
}

func (s *Service) removeGenerationIf(ctx context.Context, checks []itemop.Action, subject model.Subject,
	g model.Generation, sentinels []string) error {
	done := map[string]bool{}
	if err := s.commitRemovals(ctx, checks, sentinelRemovals(subject, g, sentinels, done)); err != nil {
		return err
	}
	l := itemop.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.VersionPrefix}
	for items, err := range itemop.Pages(ctx, s.Store, l) {
		if err != nil {
			return err
		}
		if err := s.commitRemovals(ctx, checks, versionRemovals(items, subject, g, done)); err != nil {
			return err
		}
	}
	return nil
}

// sentinelRemovals returns the removals of the sentinels of a generation that are not in
// done, and adds them to done.
func sentinelRemovals(subject model.Subject, g model.Generation, sentinels []string,
	done map[string]bool) (all []itemop.Action) {
	for _, partition := range sentinels {
		if !done[partition] {
			done[partition] = true
			all = append(all, itemop.Action{Key: tablekeys.UniqueIn(partition),
				Precondition: sentinelOwnedBy(subject, g), Delete: true})
		}
	}
	return all
}

// versionRemovals returns the removals of the items that are versions of a generation. The sentinels that a
// version names are removed before it, because it may be the only item that still names them.
func versionRemovals(items []item.Item, subject model.Subject, g model.Generation,
	done map[string]bool) (all []itemop.Action) {
	for _, it := range items {
		if v, err := item.ProfileVersion(it); err == nil && v.Generation == g {
			all = append(all, sentinelRemovals(subject, g, v.Sentinels, done)...)
			all = append(all, itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{hasGeneration(g)},
				Delete: true})
		}
	}
	return all
}

// commitRemovals removes items in as few transactions as possible. Each transaction includes the checks, and
// errChanged is returned if one of them fails. If the precondition of a removal fails, the item is gone or
// belongs to another generation: that removal is dropped and the others are sent again.
func (s *Service) commitRemovals(ctx context.Context, checks, removals []itemop.Action) error {
	for len(removals) > 0 {
		n := min(len(removals), itemop.MaxItems-len(checks))
		got, err := s.retrier().commit(ctx, s.Store, append(removals[:n:n], checks...))
		switch {
		case err != nil:
			return err
		case got.Result == storage.Written:
			removals = removals[n:]
			continue
		}
		rest := remainingRemovals(removals[:n], got.Items)
		switch {
		case len(rest) < n:
			removals = append(rest, removals[n:]...)
		case anyFailed(got.Items, n):
			return errChanged
		default:
			return errNoFailedCondition
		}
	}
	return nil
}

// remainingRemovals returns the removals whose own precondition did not fail.
func remainingRemovals(removals []itemop.Action, results []itemop.ItemResult) (rest []itemop.Action) {
	for i, a := range removals {
		if i >= len(results) || !results[i].Failed {
			rest = append(rest, a)
		}
	}
	return rest
}

// anyFailed reports whether a precondition from index n on failed.
func anyFailed(results []itemop.ItemResult, n int) bool {
	for i := n; i < len(results); i++ {
		if results[i].Failed {
			return true
		}
	}
	return false
}

// releaseSentinel removes a sentinel of a generation that has ended.
func (s *Service) releaseSentinel(ctx context.Context, subject model.Subject, g model.Generation,
	partition string) error {
	return s.commitRemovals(ctx, hasEnded(subject, g),
		sentinelRemovals(subject, g, []string{partition}, map[string]bool{}))
}
