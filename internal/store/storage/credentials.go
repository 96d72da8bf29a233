package storage

import "github.com/tidemark-db/tidemark/pkg/model"

// RotatingSecret is a random secret that is valid for one UTC day. Pseudonyms derived from
// it cannot be traced back once it has expired.
type RotatingSecret struct {
	Day       model.Time // its first instant, UTC
	Secret    []byte
	ExpiresAt int64 // epoch seconds
}

// APIKey lets a sender write, or a program read the figures of websites, and do nothing else. The table has
// hashes of its secrets only.
type APIKey struct {
	ID        string      `json:"-"`                  // in the key; not secret
	Name      string      `json:"name"`               // for people: the sender or program
	Subjects  string      `json:"subjects,omitempty"` // beginning of the ids of subjects; "" allows all
	Kinds     []string    `json:"kinds,omitempty"`    // nil allows all
	Sites     []string    `json:"sites,omitempty"`    // ids of websites that it reads; such a key writes nothing
	Secrets   []APISecret `json:"secrets"`            // newest first
	CreatedAt model.Time  `json:"createdAt"`
	CreatedBy string      `json:"createdBy"`
	RevokedAt model.Time  `json:"revokedAt,omitempty"` // 0 while it is valid
}

// APISecret is the hash of a secret. After a rotation the former secret is valid for a while.
type APISecret struct {
	Hash  []byte     `json:"hash"`            // SHA-256; the secret is random, so it needs no salt
	Until model.Time `json:"until,omitempty"` // 0 is no end
}
