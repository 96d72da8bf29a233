package exhaustive

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// check checks a quiet state: each row that readers use equals the recount, or says that
// it is inexact where it may be, and after one more sweep every bucket has settled.
func (x *system) check(s *state) error {
	key := uint16(s.accepted()) | uint16(s.late)<<3 | uint16(s.tick)<<6 | uint16(s.version)<<10
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	err, known := s.table.right[key]
	if !known {
		now := x.now(s)
		content := s.table.replay(&now)
		err = x.checkRows(content, s, now, x.lateWaits(s))
		if err == nil && x.kind(s.version).Retention.HasDeferred() {
			err = x.checkSettles(content, s, &now)
		}
		s.table.right[key] = err
	}
	return err
}

// checkSettles sweeps after all buckets have closed, and checks the rows again.
func (x *system) checkSettles(content *memory.Table, s *state, now *model.Time) error {
	policy := x.kind(s.version).Retention
	for _, i := range s.table.invalidations() {
		*now = max(*now, i.Due.Add(2*aggregate.ClockMargin))
	}
	for level := range policy.Tiers {
		for _, b := range x.buckets(s.version, level) {
			*now = max(*now, policy.ClosesAt(level, b, series).Add(2*aggregate.ClockMargin))
		}
	}
	agg := &aggregate.Aggregator{Store: content, QuarantineStore: content, Catalog: x.catalogs[s.version],
		Now: func() model.Time { return *now }}
	shard := storage.FirstGeneration.Shard(series)
	for range 2 { // parents that were open to the first sweep are closed to the second
		if report, err := agg.Sweep(context.Background(), shard); err != nil || report.Left > 0 {
			return fmt.Errorf("the last sweep failed: %w %v", err, report.Failures)
		}
	}
	if page, err := content.Invalidations(context.Background(), shard, model.MaxTime, ""); err != nil ||
		len(page.Invalidations) > 0 {
		return fmt.Errorf("the queue is not empty after the last sweep: %v %w", page, err)
	}
	return x.checkRows(content, s, *now, 0)
}

// lateWaits returns the events in buckets of late changes that wait for a sweep.
func (x *system) lateWaits(s *state) (set uint8) {
	policy := x.kind(s.version).Retention
	for _, i := range s.table.invalidations() {
		unit, _ := tier.ParseUnit(i.Key.Tier)
		_, level, _ := policy.Find(unit)
		if b := unit.BucketAt(i.Key.Start); i.Due > policy.ClosesAt(level, b, series) {
			set |= x.in(b, 1<<maxEvents-1)
		}
	}
	return set
}

// checkRows checks the rows that readers use, except the rows of events with waiting late changes.
func (x *system) checkRows(content *memory.Table, s *state, now model.Time, waiting uint8) error {
	all, err := content.Sweeps(context.Background())
	if err != nil {
		return err
	}
	rows := map[rollup.Key]*rollup.Row{}
	for _, it := range scan(content) {
		if row, err := item.Row(it); err == nil {
			rows[row.Key] = &row
		}
	}
	policy := x.kind(s.version).Retention
	for level, t := range policy.Tiers {
		for _, b := range x.buckets(s.version, level) {
			if policy.ClosesAt(level, b, series) > max(all.For(series), model.MinTime) {
				continue // readers fold it
			}
			if x.in(b, waiting) != 0 {
				continue // its row need not have late changes yet
			}
			row := rows[rollup.Key{Series: series, Tier: t.Unit.String(), Start: b.Start}]
			if err := x.checkRow(row, s, t, b, now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *system) checkRow(row *rollup.Row, s *state, t tier.Tier, b tier.Bucket, now model.Time) error {
	want := x.in(b, s.accepted())
	mayBeInexact := x.sealed > 0 && x.in(b, s.late) != 0
	if row == nil || row.Empty {
		gone := t.LeastRetention() != tier.Forever && b.End.Add(t.LeastRetention()-2*time.Hour) <= now
		if want != 0 && !gone {
			return fmt.Errorf("%s has no row, want events %03b", b, want)
		}
		return nil
	}
	got, ok := foldedSet(&row.Fold)
	switch {
	case row.Exact && (!ok || got != want):
		return fmt.Errorf("the row of %s is exact and has %d events, sum %03b, want %03b", b,
			row.Summary.Events(), got, want)
	case !row.Exact && !mayBeInexact:
		return fmt.Errorf("the row of %s is inexact without a cause: it has %03b, want %03b", b, got, want)
	}
	return nil
}

// checkRead checks what a reader got: the fold of a set between the changes that were
// processed before it began and those that were stored by its end; of a bucket that it
// folded itself, at least those that were stored before it began.
func (x *system) checkRead(s *state, a *readResult) error {
	got := uint8(0)
	for i := range a.rows {
		row := &a.rows[i]
		if row.Empty {
			continue
		}
		set, ok := foldedSet(&row.Fold)
		b := x.read.BucketAt(row.Key.Start)
		if !ok || set&got != 0 || x.in(b, set) != set || !row.Exact {
			return fmt.Errorf("the reader got %s with %d events, sum %03b, exact %v", b, row.Summary.Events(), set,
				row.Exact)
		}
		got |= set
	}
	for e := range x.at {
		least := s.atLeast[e]
		if x.openTo(a, s.version, e) {
			least = s.stored[e]
		}
		has, right := got>>e&1 == 1, false
		for v := least; v <= s.made[e]; v++ {
			right = right || (v%2 == 1) == has
		}
		if !right {
			return fmt.Errorf("the reader got event %d: %v, although %d to %d of its changes were made", e, has,
				least, s.made[e])
		}
	}
	return nil
}

// openTo reports whether a reader folded the events of a bucket itself.
func (x *system) openTo(a *readResult, version uint8, event int) bool {
	policy := x.kind(version).Retention
	_, top, _ := policy.Find(x.read)
	for level := range top + 1 {
		b := policy.Tiers[level].Unit.BucketAt(x.at[event])
		if c := policy.ClosesAt(level, b, series); c <= max(a.through, model.MinTime) {
			return false
		}
	}
	return true
}
