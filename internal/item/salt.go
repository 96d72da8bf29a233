package item

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromSalt is the stored form of s.
func FromSalt(s *model.Salt) Item {
	it := under(keys.Salt(s.Day), 2)
	it[keys.AttrSalt] = bytesOf(s.Secret)
	it[keys.AttrExpiresAt] = numberOf(s.ExpiresAt)
	return it
}

// Salt is the way back from FromSalt. Errors wrap keys.ErrForeign, ErrNewer or
// ErrDamaged.
func Salt(it Item) (model.Salt, error) {
	day, err := keys.ParseSalt(it.Key())
	if err != nil {
		return model.Salt{}, err
	}
	r := reader{it: it}
	r.version(false)
	s := model.Salt{Day: day, Secret: slices.Clone(r.bytes(keys.AttrSalt, false)), ExpiresAt: r.int(keys.AttrExpiresAt, false)}
	if r.err != nil {
		return model.Salt{}, fmt.Errorf("read the salt of %s: %w", day, r.err)
	}
	return s, nil
}
