package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Expired cleans up after a tombstone that TTL took away: its life is over, and its
// versions and the unique values it held go with it. It may be called again, at any
// time: what belongs to a later life of the subject is left alone, and so is a life
// that goes on after all.
func (s *Service) Expired(ctx context.Context, t *model.Profile) error {
	err := s.sweep(ctx, t.Subject, t.Life, t.Sentinels)
	if err != nil && !errors.Is(err, errMoved) {
		return fmt.Errorf("clean up after %s: %w", t.Subject, err)
	}
	return nil
}

// finish cleans up after a tombstone that has expired and still stands, and removes it
// last: as long as it stands, it says what there is to clean up.
func (s *Service) finish(ctx context.Context, t *model.Profile) error {
	over := []Action{isOver(keys.Metadata(t.Subject), t.Life)}
	if err := s.sweepUnder(ctx, over, t.Subject, t.Life, t.Sentinels); err != nil {
		return err
	}
	_, err := s.waiter().commit(ctx, s.Store, []Action{{Key: keys.Tombstone(t.Subject), When: unchanged(t), Delete: true}})
	return err
}

// sweep removes what a life that is over left behind: its sentinels and its versions.
// Each goes on condition that it names this life, and that neither the profile nor the
// tombstone does: what was read before may be older than that life.
func (s *Service) sweep(ctx context.Context, subject model.Subject, life model.Life, sentinels []string) error {
	over := []Action{isOver(keys.Metadata(subject), life), isOver(keys.Tombstone(subject), life)}
	return s.sweepUnder(ctx, over, subject, life, sentinels)
}

// isOver checks that what stands under a key is not of this life.
func isOver(k keys.Key, life model.Life) Action {
	when := ofLife(life)
	when.Op = IsNot
	return Action{Key: k, When: Condition{when}}
}

func (s *Service) sweepUnder(ctx context.Context, over []Action, subject model.Subject, life model.Life, sentinels []string) error {
	done := map[string]bool{}
	if err := s.removeEach(ctx, over, letGo(subject, life, sentinels, done)); err != nil {
		return err
	}
	l := Listing{Partition: keys.SubjectPartition(subject), Prefix: keys.VersionPrefix}
	for {
		page, err := s.Store.List(ctx, l)
		if err != nil {
			return err
		}
		if err := s.removeEach(ctx, over, ofVersions(page.Items, subject, life, done)); err != nil {
			return err
		}
		if l.After = page.Next; l.After == (Place{}) {
			return nil
		}
	}
}

// letGo are the removals of sentinels that a life held, those not done yet.
func letGo(subject model.Subject, life model.Life, sentinels []string, done map[string]bool) (all []Action) {
	for _, partition := range sentinels {
		if !done[partition] {
			done[partition] = true
			all = append(all, Action{Key: keys.UniqueIn(partition), When: ours(subject, life), Delete: true})
		}
	}
	return all
}

// ofVersions are the removals of those items that are versions of a life. What a
// version says it held goes before it: it may be all that still says so.
func ofVersions(items []item.Item, subject model.Subject, life model.Life, done map[string]bool) (all []Action) {
	for _, it := range items {
		if v, err := item.ProfileVersion(it); err == nil && v.Life == life {
			all = append(all, letGo(subject, life, v.Sentinels, done)...)
			all = append(all, Action{Key: it.Key(), When: Condition{ofLife(life)}, Delete: true})
		}
	}
	return all
}

// removeEach removes what can be, as many a transaction as fit, each beside the checks
// of over: where one of these fails the answer is errMoved. A removal whose condition
// fails is left out and the rest sent again: that item is gone, or another's by now.
func (s *Service) removeEach(ctx context.Context, over, removals []Action) error {
	for len(removals) > 0 {
		n := min(len(removals), MaxItems-len(over))
		reply, err := s.waiter().commit(ctx, s.Store, append(removals[:n:n], over...))
		switch {
		case err != nil:
			return err
		case reply.Answer == model.Written:
			removals = removals[n:]
			continue
		}
		rest := stillToGo(removals[:n], reply.Met)
		switch {
		case len(rest) < n:
			removals = append(rest, removals[n:]...)
		case failsIn(reply.Met, n):
			return errMoved
		default:
			return errUnreasoned
		}
	}
	return nil
}

// stillToGo are the removals whose own condition held.
func stillToGo(removals []Action, met []Met) (rest []Action) {
	for i, a := range removals {
		if i >= len(met) || !met[i].Failed {
			rest = append(rest, a)
		}
	}
	return rest
}

// failsIn reports whether one of the checks from place n on failed.
func failsIn(met []Met, n int) bool {
	for i := n; i < len(met); i++ {
		if met[i].Failed {
			return true
		}
	}
	return false
}

// release removes a sentinel of a life that is over, if it names that.
func (s *Service) release(ctx context.Context, subject model.Subject, life model.Life, partition string) error {
	over := []Action{isOver(keys.Metadata(subject), life), isOver(keys.Tombstone(subject), life)}
	return s.removeEach(ctx, over, []Action{{Key: keys.UniqueIn(partition), When: ours(subject, life), Delete: true}})
}
