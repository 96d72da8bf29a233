package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromLatest returns the stored form of l.
func FromLatest(l *model.Latest) Item {
	it := newItem(keys.Latest(l.Series), len(l.Attrs)+5)
	it.setAttrs(l.Attrs)
	if l.Ordered {
		it[tablekeys.AttrAt] = timeOf(l.At)
		it[tablekeys.AttrID] = stringOf(l.ID)
		it[tablekeys.AttrHash] = bytesOf(l.Hash[:])
	}
	if l.Ordered || l.CreatedAt != 0 {
		it[keys.AttrCreatedAt] = timeOf(l.CreatedAt)
	}
	if l.PurgeLocked {
		it[tablekeys.AttrPurgeLock] = boolOf(true)
	}
	return it
}

// Latest is the inverse of FromLatest. All attributes that are not ours become Attrs,
// including the enrichment of other writers. Attributes with a type that a field cannot have
// (maps and lists of an enricher) are left out. An item without order attribute was written
// by enrichment alone and is not Ordered. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged.
func Latest(it Item) (model.Latest, error) {
	series, err := keys.ParseLatest(it.Key())
	if err != nil {
		return model.Latest{}, err
	}
	l := model.Latest{Series: series}
	r := reader{it: it}
	r.version(optional)
	_, l.PurgeLocked = it[tablekeys.AttrPurgeLock]
	l.CreatedAt = r.time(keys.AttrCreatedAt, optional)
	if _, l.Ordered = it[tablekeys.AttrAt]; l.Ordered {
		l.At = r.time(tablekeys.AttrAt, required)
		l.ID = r.string(tablekeys.AttrID, required)
		l.Hash = r.bytes16(tablekeys.AttrHash, required)
	}
	if r.err != nil {
		return model.Latest{Series: series}, fmt.Errorf("read latest item of %s: %w", series, r.err)
	}
	l.Attrs, _ = it.attrs()
	return l, nil
}
