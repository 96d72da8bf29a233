package exhaustive

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// users emits what users do: they append each event once, and delete events.
func (x *system) users(s state, emit func(step)) {
	for e := range x.at {
		bit := uint8(1) << e
		if s.ingest.at == nil && s.appended&bit == 0 {
			n := s
			n.appended |= bit
			n.sending = uint8(e)
			n.ingest.at = x.memo("append", e, int(s.version), func() any {
				return x.root(fmt.Sprint("append ", e, n.version), x.append(e, n.version))
			}).(*local)
			x.settle(n, ingesting, step{who: ingesting, what: gets, event: e}, emit)
		}
		if s.table.events&bit != 0 && s.made[e] < maxChanges && s.used.deletes < x.budget.deletes {
			now := x.now(&s)
			to, _ := x.tables.apply(s.table, x.deletion(e, int(s.tick)), now)
			if to == s.table {
				continue // it has nearly expired
			}
			n := s
			n.used.deletes++
			n.table = to
			n.change(e)
			emit(step{who: user, what: "deletes", event: e, to: n})
		}
	}
}

func (x *system) deletion(e, tick int) *request {
	now := x.times[tick]
	return x.memo("deletion", e, tick, func() any {
		return x.request(&request{kind: writes, text: fmt.Sprint("a user deletes ", e, " at ", now),
			do: func(t *memory.Table) *response {
				result, err := t.DeleteEvent(context.Background(), x.eventKey(e), now)
				return written(storage.StoreResult{Result: result}, err)
			}})
	}).(*request)
}

// expiries emits the removal of each expired item.
func (x *system) expiries(s state, emit func(step)) {
	now := x.now(&s)
	for _, it := range s.table.items {
		at, expires := itemExpiry(it)
		if !expires || at > now.Seconds() {
			continue
		}
		k := it.Key()
		to, _ := x.tables.apply(s.table, x.request(
			&request{kind: writes, text: fmt.Sprint("expires ", k, now), do: func(t *memory.Table) *response {
				t.ExpireWhere(now, func(other keys.Key) bool { return other == k })
				return written(storage.StoreResult{}, nil)
			}}), now)
		n := s
		n.table = to
		emit(step{who: removal, what: "removes " + k.SK, to: n})
	}
}

// itemExpiry returns when an item expires, in epoch seconds.
func itemExpiry(it item.Item) (at int64, expires bool) {
	if e, err := item.Event(it); err == nil {
		return e.ExpiresAt, e.ExpiresAt != 0
	}
	row, err := item.Row(it)
	return row.ExpiresAt, err == nil && row.ExpiresAt != 0
}

// begin emits the start of sweeps and readers.
func (x *system) begin(s state, emit func(step)) {
	if s.sweep.at == nil && s.used.sweeps < x.budget.sweeps {
		n := s
		n.used.sweeps++
		n.sweep.at = x.memo("sweep", int(s.version), 0, func() any {
			return x.root(fmt.Sprint("sweep ", n.version), x.scenario.sweep(n.version))
		}).(*local)
		x.settle(n, sweeping, step{who: sweeping, what: "begins"}, emit)
	}
	if s.reader.at == nil && s.used.readers < x.budget.readers {
		n := s
		n.used.readers++
		n.reader.at = x.memo("reader", int(s.version), 0, func() any {
			return x.root(fmt.Sprint("reader ", n.version), x.reader(n.version))
		}).(*local)
		x.settle(n, reading, step{who: reading, what: "begins"}, emit)
	}
}
