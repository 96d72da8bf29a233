package item

import (
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromGate is the stored form of g.
func FromGate(g *model.Gate) Item {
	it := under(keys.Gate(g.Subject), 4)
	it[keys.AttrSince] = timeOf(g.Since)
	it[keys.AttrPurgeID] = stringOf(g.PurgeID)
	if g.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(g.ExpiresAt)
	}
	if g.Receipt != "" {
		it[keys.AttrReceipt] = stringOf(g.Receipt)
	}
	return it
}

// Gate is the way back from FromGate. Errors wrap keys.ErrForeign, ErrNewer or
// ErrDamaged; whoever only asks whether there is a gate needs none of this.
func Gate(it Item) (model.Gate, error) {
	subject, err := keys.ParseGate(it.Key())
	if err != nil {
		return model.Gate{}, err
	}
	g := model.Gate{Subject: subject}
	r := reader{it: it}
	r.version(optional)
	g.Since = r.time(keys.AttrSince, optional)
	g.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	g.PurgeID = r.string(keys.AttrPurgeID, optional)
	g.Receipt = r.string(keys.AttrReceipt, optional)
	if r.err != nil {
		return model.Gate{Subject: subject}, fmt.Errorf("read gate of %s: %w", subject, r.err)
	}
	return g, nil
}

// FromPurge is the stored form of p.
func FromPurge(p *model.Purge) Item {
	it := under(keys.Purge(p.Subject), 9)
	it[keys.AttrPurgeID] = stringOf(p.ID)
	it[keys.AttrBy] = stringOf(p.By)
	it[keys.AttrStep] = stringOf(string(p.Step))
	it[keys.AttrAsked], it[keys.AttrDue], it[keys.AttrSince] = timeOf(p.Asked), timeOf(p.Due), timeOf(p.Since)
	it[keys.AttrRev] = bytesOf(p.Rev[:])
	if p.Gated != 0 {
		it[keys.AttrGated] = timeOf(p.Gated)
	}
	if len(p.Counts) > 0 {
		encoded, _ := json.Marshal(p.Counts) // strings and numbers only: cannot fail
		it[keys.AttrCounts] = stringOf(string(encoded))
	}
	return it
}

// Purge is the way back from FromPurge. Errors wrap keys.ErrForeign, ErrNewer or
// ErrDamaged.
func Purge(it Item) (model.Purge, error) {
	subject, err := keys.ParsePurge(it.Key())
	if err != nil {
		return model.Purge{}, err
	}
	p := model.Purge{Subject: subject}
	r := reader{it: it}
	r.version(required)
	p.ID = r.string(keys.AttrPurgeID, required)
	p.By = r.string(keys.AttrBy, required)
	p.Step = model.PurgeStep(r.string(keys.AttrStep, required))
	p.Asked = r.time(keys.AttrAsked, required)
	p.Due = r.time(keys.AttrDue, required)
	p.Since = r.time(keys.AttrSince, required)
	p.Gated = r.time(keys.AttrGated, optional)
	p.Rev = r.bytes16(keys.AttrRev, required)
	if list := r.string(keys.AttrCounts, optional); list != "" && json.Unmarshal([]byte(list), &p.Counts) != nil {
		r.fail(keys.AttrCounts, "is no list of counts")
	}
	if r.err != nil {
		return model.Purge{Subject: subject}, fmt.Errorf("read purge of %s: %w", subject, r.err)
	}
	return p, nil
}
