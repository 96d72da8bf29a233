package aggregate_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The purge lock is gone, and TTL has not removed the log yet that expired with it, or has: a member that is
// used again, also with events from before the purge, counts in no group until its new profile is stored.
func TestMoves_AnExpiredLogCountsNoMemberThatIsUsedAgain(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		f := newFleet(t, byHall())
		f.setNow(at("2026-03-10T11:30:00Z"))
		f.moveTo("north")
		f.setNow(at("2026-03-12T11:59:40Z"))
		left := *f.log()
		// by a clock that is behind it has not expired
		left.ExpiresAt = f.now().Add(aggregate.ClockMargin / 2).Seconds()
		if _, err := f.table.PutAll(f.ctx(), []itemop.Put{{Item: item.FromMemberships(&left)}}); err != nil {
			t.Fatal(err)
		}
		if removed {
			if err := f.table.DeleteItem(f.ctx(), tablekeys.Memberships(left.Subject)); err != nil {
				t.Fatal(err)
			}
		}
		f.delivered()
		delete(f.logs, left.Subject)
		f.send(f.member("d1", "2026-03-12T10:01:00Z", "x", "1"))
		f.send(f.member("d1", "2026-03-12T12:01:00Z", "x", "1"))
		f.processAll(f.delivered())
		f.sweepAll(at("2026-03-12T14:00:00Z"))
		f.wantHall("north", "2026-03-12T10:00:00Z", 0)
		f.wantHall("north", "2026-03-12T12:00:00Z", 0)
		fresh := &storage.Memberships{Subject: left.Subject}
		next, _, err := fresh.Moved([]string{"hall"}, hall("south"), f.now(), tier.Forever)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.table.PutAll(f.ctx(), []itemop.Put{{Item: item.FromMemberships(next)}}); err != nil {
			t.Fatal(err)
		}
		f.logs[next.Subject] = *next
		f.setNow(at("2026-03-12T15:01:00Z"))
		f.send(f.member("d1", "2026-03-12T15:01:00Z", "x", "1"))
		f.processAll(f.delivered())
		f.sweepAll(at("2026-03-12T18:00:00Z"))
		f.wantHall("south", "2026-03-12T15:00:00Z", 1)
		f.wantHall("north", "2026-03-12T12:00:00Z", 0)
		f.wantRecount(1)
	}
}
