package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// excuseShares gives the status Pending to findings of a member's shares that differ for a while: during its
// purge, which removes shares before the row that names them, and where its profile moved and the change is
// not processed yet. A member that is read and not changed meanwhile has no other reason.
func (c counter) excuseShares(ctx context.Context, one *recount, findings []found) error {
	wrong := func(f found) bool { return f.wrong() && f.Key.Member != "" }
	if !slices.ContainsFunc(findings, wrong) {
		return nil
	}
	purging, err := c.isPurged(ctx, one.series.Subject)
	if err != nil {
		return err
	}
	through, err := c.movedThrough(ctx)
	if err != nil {
		return err
	}
	for i := range findings {
		f := &findings[i]
		switch {
		case !wrong(*f):
		case purging:
			f.Status, f.Detail = Pending, "its member is being purged"
		case one.moved(f.Key.Series.Kind, f.Key.Start, through):
			f.Status, f.Detail = Pending, "the profile of its member changed, which is not processed yet"
		}
	}
	return nil
}

// isPurged reports whether a purge of a member has begun and not ended.
func (c counter) isPurged(ctx context.Context, member model.Subject) (bool, error) {
	key := tablekeys.PurgeLock(member)
	items, err := readItems(ctx, c.items, []keys.Key{key}, true)
	if err != nil || items[key] == nil {
		return false, err
	}
	lock, err := item.PurgeLock(items[key])
	return lock.Receipt == "", err
}

// movedThrough returns the time through which changes of profiles are processed. Where it is not known, each
// is processed within Patience.
func (c counter) movedThrough(ctx context.Context) (model.Time, error) {
	if states, tells := c.store.(query.StreamStates); tells {
		state, err := states.StreamState(ctx)
		if err != nil {
			return 0, fmt.Errorf("read the progress of the table: %w", err)
		}
		if through := state.Through(); through != model.MinTime {
			return through.Add(-untilStored), nil
		}
	}
	return c.now().Add(-Patience), nil
}

// moved reports whether the groups of a kind are by profiles, and the member's may have changed for a bucket
// by a change that is not processed.
func (r *recount) moved(kind string, start model.Time, through model.Time) bool {
	for _, g := range r.kind.GroupKinds() {
		if g.Name == kind && g.GroupByProfile {
			return r.shares.log.Newest() > through && start >= r.shares.log.Newest()
		}
	}
	return false
}
