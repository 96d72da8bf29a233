package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// RotatingSecret is a random secret that is valid for one UTC day. Pseudonyms derived from
// it cannot be traced back once it has expired.
type RotatingSecret struct {
	Day       model.Time // its first instant, UTC
	Secret    []byte
	ExpiresAt int64 // epoch seconds
}

// WriteKey lets a sender write, and do nothing else. The table has hashes of its secrets only.
type WriteKey struct {
	ID        string        `json:"-"`                  // in the key; not secret
	Name      string        `json:"name"`               // for people: the sender
	Subjects  string        `json:"subjects,omitempty"` // beginning of the ids of subjects; "" allows all
	Kinds     []string      `json:"kinds,omitempty"`    // nil allows all
	Secrets   []WriteSecret `json:"secrets"`            // newest first
	CreatedAt model.Time    `json:"createdAt"`
	CreatedBy string        `json:"createdBy"`
	RevokedAt model.Time    `json:"revokedAt,omitempty"` // 0 while it is valid
}

// WriteSecret is the hash of a secret. After a rotation the former secret is valid for a while.
type WriteSecret struct {
	Hash  []byte     `json:"hash"`            // SHA-256; the secret is random, so it needs no salt
	Until model.Time `json:"until,omitempty"` // 0 is no end
}
