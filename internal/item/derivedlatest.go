package item

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

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

// FromDerivedLatest returns the attributes of l that a fold sets, without the key: those of
// the event, the revision, and the creation time if it is not zero.
func FromDerivedLatest(l *DerivedLatest) Item {
	it := FromLatest(&l.Latest)
	delete(it, keys.AttrPK)
	delete(it, keys.AttrSK)
	if l.CreatedAt == 0 {
		delete(it, keys.AttrCreatedAt)
	}
	if l.Ordered {
		it[tablekeys.AttrUntil] = numberOf(l.ExpiresAt)
	}
	it[tablekeys.AttrRev] = bytesOf(l.Rev[:])
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
