package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// RotatingSecret is a random secret that is valid for one UTC day. Pseudonyms derived from
// it cannot be traced back once it has expired.
type RotatingSecret struct {
	Day       model.Time // its first instant, UTC
	Secret    []byte
	ExpiresAt int64 // epoch seconds
}
