package item

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// FromLatest returns the stored form of l.
func FromLatest(l *model.Latest) Item {
	it := newItem(keys.Latest(l.Series), len(l.Attrs)+5)
	it.setAttrs(l.Attrs)
	if l.Ordered {
		it[tablekeys.AttrAt] = timeValue(l.At)
		it[tablekeys.AttrID] = stringValue(l.ID)
		it[tablekeys.AttrHash] = bytesValue(l.Hash[:])
	}
	if l.Ordered || l.CreatedAt != 0 {
		it[keys.AttrCreatedAt] = timeValue(l.CreatedAt)
	}
	if l.PurgeLocked {
		it[tablekeys.AttrPurgeLock] = boolValue(true)
	}
	return it
}

// Latest is the inverse of FromLatest. All attributes that are not ours become Attrs, including the
// enrichment of other writers. Attributes with a type that a field cannot have (maps and lists of an
// enricher) are left out. An item without order attribute was written by enrichment alone and is not Ordered.
// Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
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

// DerivedLatest is a latest item that is folded from events.
type DerivedLatest struct {
	model.Latest
	// Rev is the revision of the fold; zero if none has written the item.
	Rev rollup.Rev
	// ExpiresAt is the expiry of the event, in epoch seconds; 0 if it never expires. It is
	// not known of an item that an append wrote.
	ExpiresAt   int64
	ExpiryKnown bool
}

// FromDerivedLatest returns the attributes of l that a fold sets, without the key: the attributes
// of the event, the revision, and the creation time if it is not zero.
func FromDerivedLatest(l *DerivedLatest) Item {
	it := FromLatest(&l.Latest)
	delete(it, keys.AttrPK)
	delete(it, keys.AttrSK)
	if l.CreatedAt == 0 {
		delete(it, keys.AttrCreatedAt)
	}
	if l.Ordered && l.ExpiryKnown {
		it[tablekeys.AttrUntil] = Number(l.ExpiresAt)
	}
	it[tablekeys.AttrRev] = bytesValue(l.Rev[:])
	return it
}

// ReadDerivedLatest is the inverse of FromDerivedLatest for a complete item; nil is no item. An
// item that is damaged has no event, so that a fold repairs it. The error wraps ErrNewer.
func ReadDerivedLatest(it Item) (l DerivedLatest, err error) {
	if it == nil {
		return l, nil
	}
	r := reader{it: it}
	l.Rev = r.bytes16(tablekeys.AttrRev, optional)
	_, l.ExpiryKnown = r.value(tablekeys.AttrUntil, N, optional)
	l.ExpiresAt = r.int(tablekeys.AttrUntil, optional)
	if l.Latest, err = Latest(it); errors.Is(err, ErrNewer) {
		return l, err
	}
	return l, nil
}
