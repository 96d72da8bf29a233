package ingest

import (
	"encoding/hex"
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// plan is one transaction and what it means for whom.
type plan struct {
	tx      Transaction
	pending []entry // in the order they came
	// highs are the record highs: events newer than all before them and than current
	// as far as known. One by one, each would change current. lows are the rest.
	highs, lows []entry
	// asked has, at the place of each of the reply's Stored, the entry asked about.
	asked []entry
}

// plan classifies pending by what is known of current. The condition compares with
// the first high, because one by one that is where current would be met; the write
// is what all highs, one over the other, would have left.
func (b *batch) plan(pending []entry) (plan, error) {
	token, err := b.token()
	if err != nil {
		return plan{}, err
	}
	p := plan{tx: Transaction{Token: token}, pending: pending}
	p.highs, p.lows = b.split(pending)
	p.write(b)
	if b.kind.Late == catalog.DropLate {
		p.asked = append(append(p.asked, p.highs...), p.lows...)
		p.puts(p.highs)
		for _, e := range p.lows {
			p.tx.Absent = append(p.tx.Absent, e.event.Key())
		}
	} else {
		p.asked = pending
		p.puts(pending)
		p.sayLate()
	}
	return p, nil
}

// split parts entries into record highs and the rest.
func (b *batch) split(entries []entry) (highs, lows []entry) {
	var newest *model.Order
	if b.seen != nil && b.seen.Ordered {
		newest = &b.seen.Order
	}
	for i, e := range entries {
		if newest == nil || newest.Before(e.event.Order) {
			highs, newest = append(highs, e), &entries[i].event.Order
		} else {
			lows = append(lows, e)
		}
	}
	return highs, lows
}

// write plans the change of current, or the caller's condition alone where there is
// none. What is not known yet is taken to be there: creation costs one more item,
// and happens once in the life of a series.
func (p *plan) write(b *batch) {
	if len(p.highs) == 0 {
		if len(b.where) > 0 {
			p.tx.Check = &CurrentCheck{Series: p.lows[0].event.Series, Where: b.where}
		}
		return
	}
	first, last := p.highs[0].event, p.highs[len(p.highs)-1].event
	w := &CurrentWrite{
		Series: last.Series,
		Create: b.looked && (b.seen == nil || !b.seen.Ordered),
		First:  first.Order,
		Last:   last.Order,
		Hash:   last.Hash,
		Now:    last.ArrivedAt,
		Where:  b.where,
	}
	highs := make([]*model.Event, len(p.highs))
	for i := range p.highs {
		highs[i] = &p.highs[i].event
		w.Set = w.Set.Union(highs[i].Attrs)
	}
	w.Entries = entriesOf(b.kind, highs...)
	if w.Create {
		p.tx.Gate = &last.Series.Subject
	}
	p.tx.Current = w
}

func (p *plan) puts(entries []entry) {
	p.tx.Puts = make([]model.Event, len(entries))
	for i, e := range entries {
		p.tx.Puts[i] = e.event
	}
}

// sayLate has the events that are not record highs carry their verdict: what follows
// from applied events alone must be able to tell them apart.
func (p *plan) sayLate() {
	late := make(map[int]bool, len(p.lows))
	for _, e := range p.lows {
		late[e.place] = true
	}
	for i, e := range p.pending {
		p.tx.Puts[i].Late = late[e.place]
	}
}

// orderFailed reports whether current, as the failed condition showed it, explains
// the failure by its order: then the entries are classified anew. Else only the
// caller's own condition is left to blame.
func (p *plan) orderFailed(c *model.Current) bool {
	ordered := c != nil && c.Ordered
	switch w := p.tx.Current; {
	case w == nil:
		return false
	case w.Create:
		return ordered
	default:
		return !ordered || !c.Order.Before(w.First)
	}
}

// token is a fresh idempotency token.
func (s *Service) token() (string, error) {
	var nonce [16]byte
	if _, err := io.ReadFull(s.Rand, nonce[:]); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return hex.EncodeToString(nonce[:]), nil
}
