package ingest

import (
	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// plan is one transaction, with the entries that its result decides.
type plan struct {
	tx      storage.AppendTransaction
	pending []entry // in the given order
	// advancing are the events that are newer than the latest item, as far as known, and
	// newer than all entries before them. Appended one by one, each of them would change
	// the latest item. late are all others.
	advancing, late []entry
	// remembered is the entry with the identity of the latest item, if any. Its event may
	// have expired, but the latest item keeps the hash. It is checked as absent: the hash of
	// a stored event, which may be a correction, comes before the latest item's.
	remembered   []entry
	rememberedAs model.Hash // the hash that the latest item keeps
	// identities are the entries that StoreResult.Stored refers to, in its order.
	identities []entry
}

// plan classifies pending by the latest item as last known, and builds the transaction. Its
// condition compares the latest item with the first advancing event; it writes what all
// advancing events, one after the other, would have written.
func (b *batch) plan(pending []entry) (plan, error) {
	token, err := ids.Token(b.Rand)
	if err != nil {
		return plan{}, err
	}
	p := plan{tx: storage.AppendTransaction{Token: token}, pending: pending}
	p.split(b.latest)
	p.writeLatest(b)
	if b.kind.Late == catalog.DropLate {
		p.put(p.advancing)
		p.checkAbsent(p.late)
	} else {
		p.put(p.stored())
	}
	p.checkAbsent(p.remembered)
	return p, nil
}

// split divides the pending entries, given the latest item as last known. An entry after a
// newer one is not remembered: the newer one replaces the hash of the latest item.
func (p *plan) split(latest *model.Latest) {
	var newest *model.Order
	if latest != nil && latest.Ordered {
		newest = &latest.Order
	}
	for i, e := range p.pending {
		switch {
		case newest == nil || newest.Before(e.event.Order):
			p.advancing, newest = append(p.advancing, e), &p.pending[i].event.Order
		case len(p.advancing) == 0 && e.event.Order == *newest:
			p.remembered, p.rememberedAs = append(p.remembered, e), latest.Hash
		default:
			p.late = append(p.late, e)
		}
	}
}

// writeLatest adds the write of the latest item, or only the caller's condition if no event
// advances it. A latest item that is not known is assumed to exist: creating one costs
// one more item, the check of the purge lock, and is needed once in a series.
func (p *plan) writeLatest(b *batch) {
	if len(p.advancing) == 0 {
		if len(b.condition) > 0 && len(p.late) > 0 {
			p.tx.Check = &storage.LatestCheck{Series: p.late[0].event.Series, Condition: b.condition}
		}
		return
	}
	first, last := p.advancing[0].event, p.advancing[len(p.advancing)-1].event
	w := &storage.LatestWrite{
		Series:    last.Series,
		Create:    b.latestKnown && (b.latest == nil || !b.latest.Ordered),
		First:     first.Order,
		Last:      last.Order,
		Hash:      last.Hash,
		Now:       last.ArrivedAt,
		Condition: b.condition,
	}
	events := make([]*model.Event, len(p.advancing))
	for i := range p.advancing {
		events[i] = &p.advancing[i].event
		w.Set = w.Set.Union(events[i].Attrs)
	}
	w.Entries = indexEntries(b.kind, events...)
	if w.Create {
		p.tx.PurgeLock = &last.Series.Subject
	}
	p.tx.Latest = w
}

// put adds the puts of entries. It must be called before checkAbsent, because the results of puts
// precede the results of checks.
func (p *plan) put(entries []entry) {
	p.identities = append(p.identities, entries...)
	p.tx.Puts = make([]model.Event, len(entries))
	for i, e := range entries {
		p.tx.Puts[i] = e.event
	}
}

func (p *plan) checkAbsent(entries []entry) {
	p.identities = append(p.identities, entries...)
	for _, e := range entries {
		p.tx.Absent = append(p.tx.Absent, e.event.Key())
	}
}

// stored returns the advancing and late events in the given order. Late is set in the late
// ones: what is computed from applied events alone must be able to skip them.
func (p *plan) stored() []entry {
	late, remembered := indexes(p.late), indexes(p.remembered)
	var all []entry
	for _, e := range p.pending {
		if e.event.Late = late[e.index]; !remembered[e.index] {
			all = append(all, e)
		}
	}
	return all
}

func indexes(entries []entry) map[int]bool {
	all := make(map[int]bool, len(entries))
	for _, e := range entries {
		all[e.index] = true
	}
	return all
}

// orderFailed reports whether the condition on the order failed, given the latest item that the failed
// condition returned. If so, the entries must be classified again. If not, the caller's own condition failed.
func (p *plan) orderFailed(latest *model.Latest) bool {
	ordered := latest != nil && latest.Ordered
	switch w := p.tx.Latest; {
	case w == nil:
		return false
	case w.Create:
		return ordered
	default:
		return !ordered || !latest.Order.Before(w.First)
	}
}

// maxEventBytes is the size limit of a stored event. An item of the table holds 400 KB, and
// the latest item holds each field that a stored event of the series has.
const maxEventBytes = 256 << 10

// Limits of one transaction. The table accepts 100 items, of which the latest item and the
// purge lock need one each; 4 MB, of which the latest item may need 400 KB; and 4 KB for
// the expression that names the fields of the latest item.
const (
	maxTransactionEvents = 98
	maxTransactionBytes  = 3_500_000
	maxTransactionFields = 350
)

// itemOverhead is an upper bound of the size of our own attributes of an event, without its keys.
const itemOverhead = 200

// itemSize returns a close upper bound of the size of an event as the table counts it.
func itemSize(keyBytes int, attrs model.Attrs) int {
	const numberBytes = 21
	n := keyBytes + itemOverhead
	for _, a := range attrs {
		n += len(a.Name) + len(a.Value.Text) + numberBytes
	}
	return n
}
