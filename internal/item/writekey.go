package item

import (
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

// FromWriteKey returns the stored form of k. It never expires.
func FromWriteKey(k *entity.WriteKey) Item {
	it := newItem(tablekeys.WriteKey(k.ID), 1)
	text, _ := json.Marshal(k) // plain data: cannot fail
	it[tablekeys.AttrWriteKey] = stringOf(string(text))
	return it
}

// WriteKey is the inverse of FromWriteKey. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged.
func WriteKey(it Item) (entity.WriteKey, error) {
	id, err := tablekeys.ParseWriteKey(it.Key())
	if err != nil {
		return entity.WriteKey{}, err
	}
	r := reader{it: it}
	r.version(required)
	var k entity.WriteKey
	if text := r.string(tablekeys.AttrWriteKey, required); r.err == nil && json.Unmarshal([]byte(text), &k) != nil {
		r.fail(tablekeys.AttrWriteKey, "is not a write key")
	}
	if r.err != nil {
		return entity.WriteKey{}, fmt.Errorf("read write key %s: %w", id, r.err)
	}
	k.ID = id
	return k, nil
}
