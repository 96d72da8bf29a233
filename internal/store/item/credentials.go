package item

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// FromRotatingSecret returns the stored form of s.
func FromRotatingSecret(s *storage.RotatingSecret) Item {
	it := newItem(tablekeys.RotatingSecret(s.Day), 2)
	it[tablekeys.AttrSecret] = bytesValue(s.Secret)
	it[keys.AttrExpiresAt] = Number(s.ExpiresAt)
	return it
}

// RotatingSecret is the inverse of FromRotatingSecret. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func RotatingSecret(it Item) (storage.RotatingSecret, error) {
	day, err := tablekeys.ParseRotatingSecret(it.Key())
	if err != nil {
		return storage.RotatingSecret{}, err
	}
	r := newReader(it)
	s := storage.RotatingSecret{Day: day, Secret: slices.Clone(r.bytes(tablekeys.AttrSecret, false)),
		ExpiresAt: r.int(keys.AttrExpiresAt, false)}
	return decoded(&r, s, "the rotating secret of %s", day)
}

// FromAPIKey returns the stored form of k. It never expires.
func FromAPIKey(k *storage.APIKey) Item {
	it := newItem(tablekeys.WriteKey(k.ID), 1)
	it.setJSON(tablekeys.AttrWriteKey, k)
	return it
}

// APIKey is the inverse of FromAPIKey. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func APIKey(it Item) (storage.APIKey, error) {
	id, err := tablekeys.ParseWriteKey(it.Key())
	if err != nil {
		return storage.APIKey{}, err
	}
	r := newReader(it)
	var k storage.APIKey
	r.json(tablekeys.AttrWriteKey, &k, "is not a write key", required)
	k.ID = id
	return decoded(&r, k, "write key %s", id)
}
