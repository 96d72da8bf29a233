package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var errStopped = errors.New("the process has stopped")

// lostRecords is a purge of a member whose records of deletions the stream loses: only the purge itself can
// notify the group. The purge stops before one of its requests, and before another it is suspended
// while the group is swept.
type lostRecords struct {
	*team
	stop, sweep int // requests; -1 is none
	requests    int
	through     model.Time // the low watermark of groups
}

func (w *lostRecords) before(...keys.Key) error {
	now := w.requests
	w.requests++
	if now == w.sweep {
		w.advance(10 * time.Minute) // the process is suspended for more than a tick
		w.sweepGroups()
	}
	if now == w.stop {
		return errStopped
	}
	return nil
}

// sweepGroups folds the buckets of all invalidations that are due and not before the low watermark.
func (w *lostRecords) sweepGroups() {
	w.Helper()
	limit := w.now().Add(-queue.ClockMargin)
	partition := tablekeys.InvalidationPartition(storage.GroupShard)
	for _, it := range w.items() {
		if it.Key().PK != partition {
			continue
		}
		i, err := item.Invalidation(it)
		if err != nil {
			w.Fatal(err)
		}
		if i.Due > w.through && i.Due <= limit {
			w.put(w.fold(i.Key))
			_, _, err = w.table.Erase(context.Background(), []keys.Key{it.Key()})
		}
		if err != nil {
			w.Fatal(err)
		}
	}
	w.through = max(w.through, limit)
}

// Whenever the purge stops and goes on, and whenever the group is swept, its row is the fold of the members
// that are left.
func TestPurge_AGroupIsFoldedWithoutTheMemberWhoseRecordsAreLost(t *testing.T) {
	total := 0
	for stop, requests := -1, 0; stop <= requests; stop++ {
		for sweep := -1; sweep <= requests; sweep++ {
			w := &lostRecords{team: newTeam(t), stop: stop, sweep: sweep}
			w.put(w.fold(w.hour))
			w.purger.Store = watched{Store: w.faulty, Eraser: w.faulty, before: w.before}
			_, err := w.purge(t.Context())
			for errors.Is(err, errStopped) {
				_, err = w.purge(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			w.advance(time.Hour)
			w.sweepGroups()
			total++
			requests = max(requests, w.requests)
			row, left := w.row(w.hour), w.fold(w.hour)
			if row.Summary.Events() != sizeOfTeam-1 || left.Summary.Events() != sizeOfTeam-1 {
				t.Fatalf("stopped at request %d, swept at %d: the row has %d events, the shares %d, want %d", stop,
					sweep, row.Summary.Events(), left.Summary.Events(), sizeOfTeam-1)
			}
		}
	}
	if total < 200 {
		t.Errorf("%d purges, want at least 200", total)
	}
}

// An aggregation that read the member's events before they were removed writes its share again at any moment
// until the second pass, leaves the member's row, and the stream loses the records that name the group.
func TestPurge_AShareThatIsWrittenDuringThePurgeIsRemoved(t *testing.T) {
	written := 0
	for at, requests := 0, 1; at < requests; at++ {
		w := newTeam(t)
		w.put(w.fold(w.hour))
		share := w.hour
		share.Member = tablekeys.Member(alice)
		stored := w.row(share)
		requests = 0
		w.purger.Store = watched{Store: w.faulty, Eraser: w.faulty, before: func(...keys.Key) error {
			active, err := (&lifecycle.Purger{Store: w.table}).Active(t.Context(), alice)
			if requests++; requests == at+1 && active != nil && active.Step == storage.PurgeLatestLocked {
				w.put(*stored)
				written++
			}
			return err
		}}
		if _, err := w.purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := w.row(share); left != nil {
			t.Errorf("the share that was written before request %d is left", at)
		}
	}
	if written < 10 {
		t.Errorf("%d shares were written during the first pass, want one before each request", written)
	}
}

// A group that is sealed keeps its sums, and its row stays exact: no sweep looks at it again.
func TestPurge_ASealedGroupIsNotNotified(t *testing.T) {
	w := newTeam(t)
	row := w.fold(w.hour)
	row.ChildrenExpireAt = w.now().Seconds()
	w.put(row)
	share := w.hour
	share.Member = tablekeys.Member(alice)
	if _, _, err := w.table.Erase(t.Context(), []keys.Key{tablekeys.Row(share)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, it := range w.items() {
		if i, err := item.Invalidation(it); err == nil {
			t.Errorf("%+v was put, want no invalidation", i)
		}
	}
}
