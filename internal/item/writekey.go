package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// FromWriteKey returns the stored form of k. It never expires.
func FromWriteKey(k *entity.WriteKey) Item {
	it := newItem(tablekeys.WriteKey(k.ID), 1)
	it.setJSON(tablekeys.AttrWriteKey, k)
	return it
}

// WriteKey is the inverse of FromWriteKey. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged.
func WriteKey(it Item) (entity.WriteKey, error) {
	id, err := tablekeys.ParseWriteKey(it.Key())
	if err != nil {
		return entity.WriteKey{}, err
	}
	r := readerOf(it)
	var k entity.WriteKey
	r.json(tablekeys.AttrWriteKey, &k, "is not a write key", required)
	if r.err != nil {
		return entity.WriteKey{}, fmt.Errorf("read write key %s: %w", id, r.err)
	}
	k.ID = id
	return k, nil
}
