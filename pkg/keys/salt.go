package keys

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ClassSalt is the partition of the salts of days.
const ClassSalt = "SALT"

// AttrSalt is the secret of a day.
const AttrSalt = "_salt" // Binary

// Salt is the key of the salt of the day that an instant lies in: SALT, 2026-04-20.
func Salt(at model.Time) Key { return Key{ClassSalt, tier.Day.BucketOf(at).Label()} }

// ParseSalt is the way back from Salt: the day's first instant.
func ParseSalt(k Key) (model.Time, error) {
	day, err := tier.Day.ParseLabel(k.SK)
	if err != nil || k.PK != ClassSalt {
		return 0, foreign(k, ClassSalt, err)
	}
	return day.Start, nil
}
