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
	it[keys.AttrExpiresAt] = numberOf(s.ExpiresAt)
	return it
}

// RotatingSecret is the inverse of FromRotatingSecret. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged.
func RotatingSecret(it Item) (entity.RotatingSecret, error) {
	day, err := tablekeys.ParseRotatingSecret(it.Key())
	if err != nil {
		return entity.RotatingSecret{}, err
	}
	r := readerOf(it)
	s := entity.RotatingSecret{Day: day, Secret: slices.Clone(r.bytes(tablekeys.AttrSecret, false)), ExpiresAt: r.int(keys.AttrExpiresAt, false)}
	return decoded(&r, s, "the rotating secret of %s", day)
}
