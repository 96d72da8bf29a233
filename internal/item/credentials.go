package item

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// FromRotatingSecret returns the stored form of s.
func FromRotatingSecret(s *entity.RotatingSecret) Item {
	it := newItem(tablekeys.RotatingSecret(s.Day), 2)
	it[tablekeys.AttrSecret] = bytesOf(s.Secret)
	it[keys.AttrExpiresAt] = Number(s.ExpiresAt)
	return it
}

// RotatingSecret is the inverse of FromRotatingSecret. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func RotatingSecret(it Item) (entity.RotatingSecret, error) {
	day, err := tablekeys.ParseRotatingSecret(it.Key())
	if err != nil {
		return entity.RotatingSecret{}, err
	}
	r := readerOf(it)
	s := entity.RotatingSecret{Day: day, Secret: slices.Clone(r.bytes(tablekeys.AttrSecret, false)), ExpiresAt: r.int(keys.AttrExpiresAt, false)}
	return decoded(&r, s, "the rotating secret of %s", day)
}

// FromWriteKey returns the stored form of k. It never expires.
func FromWriteKey(k *entity.WriteKey) Item {
	it := newItem(tablekeys.WriteKey(k.ID), 1)
	it.setJSON(tablekeys.AttrWriteKey, k)
	return it
}

// WriteKey is the inverse of FromWriteKey. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func WriteKey(it Item) (entity.WriteKey, error) {
	id, err := tablekeys.ParseWriteKey(it.Key())
	if err != nil {
		return entity.WriteKey{}, err
	}
	r := readerOf(it)
	var k entity.WriteKey
	r.json(tablekeys.AttrWriteKey, &k, "is not a write key", required)
	k.ID = id
	return decoded(&r, k, "write key %s", id)
}
