package tablekeys

import (
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ClassRotatingSecret is the partition key of the secrets that change every day.
const ClassRotatingSecret = "SALT"

// AttrSecret is the secret of a day.
const AttrSecret = "_salt" // Binary

// RotatingSecret returns the key of the secret of the day of a time: SALT, 2026-04-20.
func RotatingSecret(at model.Time) keys.Key {
	return keys.Key{PK: ClassRotatingSecret, SK: tier.Day.BucketOf(at).Label()}
}

// ParseRotatingSecret is the inverse of RotatingSecret: it returns the start of the day.
func ParseRotatingSecret(k keys.Key) (model.Time, error) {
	day, err := tier.Day.ParseLabel(k.SK)
	if err != nil || k.PK != ClassRotatingSecret {
		return 0, formError(k, ClassRotatingSecret, err)
	}
	return day.Start, nil
}
