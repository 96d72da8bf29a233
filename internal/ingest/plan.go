package ingest

import (
	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// plan is one transaction, with the entries that its result decides.
type plan struct {
	tx      AppendTransaction
	pending []entry // in the given order
	// advancing are the events that are newer than the latest item, as far as known, and
	// newer than all entries before them. Appended one by one, each of them would change
	// the latest item. late are all others.
	advancing, late []entry
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
	p := plan{tx: AppendTransaction{Token: token}, pending: pending}
	p.advancing, p.late = b.split(pending)
	p.writeLatest(b)
	if b.kind.Late == catalog.DropLate {
		p.identities = append(append(p.identities, p.advancing...), p.late...)
		p.put(p.advancing)
		for _, e := range p.late {
			p.tx.Absent = append(p.tx.Absent, e.event.Key())
		}
	} else {
		p.identities = pending
		p.put(pending)
		p.markLate()
	}
	return p, nil
}

// split divides entries into advancing and late events.
func (b *batch) split(entries []entry) (advancing, late []entry) {
	var newest *model.Order
	if b.latest != nil && b.latest.Ordered {
		newest = &b.latest.Order
	}
	for i, e := range entries {
		if newest == nil || newest.Before(e.event.Order) {
			advancing, newest = append(advancing, e), &entries[i].event.Order
		} else {
			late = append(late, e)
		}
	}
	return advancing, late
}

// writeLatest adds the write of the latest item, or only the caller's condition if no event
// advances it. A latest item that is not known is assumed to exist: creating one costs
// one more item, the check of the purge lock, and is needed once in a series.
func (p *plan) writeLatest(b *batch) {
	if len(p.advancing) == 0 {
		if len(b.condition) > 0 {
			p.tx.Check = &LatestCheck{Series: p.late[0].event.Series, Condition: b.condition}
		}
		return
	}
	first, last := p.advancing[0].event, p.advancing[len(p.advancing)-1].event
	w := &LatestWrite{
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
	w.Entries = entriesOf(b.kind, events...)
	if w.Create {
		p.tx.PurgeLock = &last.Series.Subject
	}
	p.tx.Latest = w
}

func (p *plan) put(entries []entry) {
	p.tx.Puts = make([]model.Event, len(entries))
	for i, e := range entries {
		p.tx.Puts[i] = e.event
	}
}

// markLate sets Late in the late events that are stored. What is computed from applied
// events alone must be able to skip them.
func (p *plan) markLate() {
	late := make(map[int]bool, len(p.late))
	for _, e := range p.late {
		late[e.index] = true
	}
	for i, e := range p.pending {
		p.tx.Puts[i].Late = late[e.index]
	}
}

// orderFailed reports whether the condition on the order failed, given the latest item that
// the failed condition returned. If so, the entries must be classified again. If not,
// the caller's own condition failed.
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
